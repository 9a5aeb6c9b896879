import { WAIT_INDEFINITELY } from 'n8n-workflow';
import { readWaitLimit } from '../../../nodes/MessagingService/sendAndWait/fields';
import { findOperation } from '../../../nodes/MessagingService/actions';
import { fakeRead } from '../../support/unit/fakeRead';

const { fields = [] } = findOperation('email', 'sendAndWait') ?? {};

const limit = (values?: Record<string, unknown>, timeZone?: string) => {
	const options = values ? { limitWaitTime: { values } } : {};
	return readWaitLimit(fakeRead(fields, { options }, { timeZone }));
};

const at = (maxDateAndTime: unknown) => ({ limitType: 'atSpecifiedTime', maxDateAndTime });

const sentAt = Date.parse('2030-01-31T12:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: sentAt }));
afterEach(() => jest.useRealTimers());

test.each([
	[undefined, Infinity],
	[{ limitType: 'afterTimeInterval', resumeUnit: 'minutes', resumeAmount: 45 }, 2_700_000],
	[{ resumeUnit: 'days', resumeAmount: 2 }, 172_800_000],
	[{ resumeUnit: 'minutes', resumeAmount: 0.02 }, 1_200],
	// What is not set has the default of its field.
	[{}, 3_600_000],
	// No interval is longer than forever.
	[{ resumeUnit: 'days', resumeAmount: 1e300 }, Infinity],
])('with %j it waits for %d ms', (values, wait) => {
	const until = wait === Infinity ? WAIT_INDEFINITELY : new Date(sentAt + wait);
	expect(limit(values)()).toEqual(until);
});

test('an interval begins when the message has been sent', () => {
	const until = limit({ resumeAmount: 1, resumeUnit: 'minutes' });
	jest.setSystemTime(sentAt + 5_000);
	expect(until().getTime()).toBe(sentAt + 65_000);
});

test.each([
	['2030-01-31T19:00:00', 'Asia/Kolkata', '2030-01-31T13:30:00.000Z'],
	['2030-01-31T19:00:00+01:00', 'Asia/Kolkata', '2030-01-31T18:00:00.000Z'],
	[new Date(sentAt + 1_000), 'UTC', '2030-01-31T12:00:01.000Z'],
])('a date: %s', (maxDateAndTime, timeZone, expected) => {
	const until = limit(at(maxDateAndTime), timeZone);
	expect(until().toISOString()).toBe(expected);
});

test.each([
	[{ resumeAmount: 0 }, 'Amount is 0 or negative (item 0)'],
	[{ resumeAmount: 'soon' }, 'Amount is not a number (item 0)'],
	[
		{ resumeUnit: 'weeks' },
		'Unit is not one of Days (days), Hours (hours), Minutes (minutes) (item 0)',
	],
	[{ limitType: 'never' }, 'Limit Type is not one of'],
	[at('2030-01-31T12:00:00Z'), 'Max Date and Time is in the past (2030-01-31 17:30'],
	[at(''), 'Max Date and Time is empty (item 0)'],
])('rejects %j', (values, message) => {
	expect(() => limit(values)).toThrow(message);
});
