import { omit } from 'lodash';
import { judgeEvent, type Subscription } from '../../../nodes/MessagingService/trigger/delivery';

const now = Date.parse('2026-01-31T12:00:00Z');

const subscription: Subscription = {
	events: ['message.sent', 'message.delivered', 'message.failed'],
	templateNames: [],
	fromNumbers: [],
	toNumbers: [],
	maxAgeSeconds: 0,
	ignoreDuplicates: true,
	ignoreOwnMessages: true,
};

const event = {
	event: 'message.delivered',
	timestamp: '2026-01-31T11:59:00.000Z',
	data: {
		providerMessageId: 'pm1',
		status: 'delivered',
		to: '447700900210',
		from: '441632960710',
		templateName: 'welcome',
	},
};

const judge = (payload: unknown, settings: Partial<Subscription> = {}) => {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return judgeEvent(Buffer.from(body), { ...subscription, ...settings }, now);
};

test('passes the payload on as it came, with the ID of its message', () => {
	const payload = { ...event, extra: 1 };
	expect(judge(payload)).toEqual({ payload, messageId: 'pm1' });
});

test.each([
	['not JSON', 'x'],
	['not an object', '[]'],
	['null', 'null'],
	['without an event', omit(event, 'event')],
	['with an event that is no text', { ...event, event: { kind: 'message.sent' } }],
])('responds with 400 to a signed body that is %s', (_name, payload) => {
	expect(judge(payload)).toMatchObject({ status: 400 });
});

test.each([
	['no time', omit(event, 'timestamp')],
	['data that is no object', { ...event, data: 'x' }],
	['an odd sender', { ...event, data: { ...event.data, from: { toString: 1, valueOf: 1 } } }],
	['letters that are not UTF-8', Buffer.from(JSON.stringify({ ...event, x: 'é' }), 'latin1')],
])('accepts an event with %s', (_name, payload) => {
	const body = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
	expect(judgeEvent(body, subscription, now)).toHaveProperty('payload.event', event.event);
});

test.each([undefined, null, '', {}, ['pm1'], 7, 2 ** 53])('%j is an ID if it is exact', (id) => {
	const verdict = judge({ ...event, data: { providerMessageId: id } });
	expect(verdict).toHaveProperty('payload');
	expect(verdict).toHaveProperty('messageId', id === 7 ? '7' : '');
});

test.each<[string, Partial<Subscription>]>([
	['message.read', {}],
	['message.clicked', {}],
	['message.delivered', { templateNames: ['other'] }],
	['message.delivered', { fromNumbers: ['441'] }],
	['message.delivered', { toNumbers: ['441'] }],
])('responds with 200 to %s, which %j excludes', (kind, filters) => {
	const verdict = judge({ ...event, event: kind }, filters);
	expect(verdict).toMatchObject({ status: 200 });
	const body = { ignored: `Not subscribed to ${kind}` };
	if (kind !== 'message.delivered') expect(verdict).toMatchObject({ body });
});

test.each(['+44 1632 960710', 441632960710])('filters let through what they name (%j)', (from) => {
	const numbers = { fromNumbers: ['441632960710'], toNumbers: ['1', '441632960710'] };
	const filters = { templateNames: ['other', 'welcome'], ...numbers };
	expect(judge({ ...event, data: { ...event.data, from, to: from } }, filters)).toHaveProperty(
		'payload',
	);
});

describe('max age', () => {
	const soon = new Date(now + 60_000).toISOString();

	const error =
		'The timestamp differs from the current time by more than 59 seconds, or cannot be read';

	test.each([
		[event.timestamp, 60, {}],
		[event.timestamp, 59, { status: 400, body: { error } }],
		[soon, 60, {}],
		// An event that could be dated as one liked would never grow old.
		[soon, 59, { status: 400 }],
		[soon, 0, {}],
		['yesterday', 60, { status: 400 }],
		[1769860740, 60, { status: 400 }],
		[new Date(now + 6_039 * 60_000).toISOString().replace('Z', '+99:99'), 60, { status: 400 }],
	])('of an event of %s is %i seconds', (timestamp, maxAgeSeconds, verdict) => {
		const judged = judge({ ...event, timestamp }, { maxAgeSeconds });
		expect(judged).toMatchObject(verdict);
		expect('payload' in judged).toBe(!('status' in verdict));
	});

	test('rejects no event without a subscription', () => {
		const old = { event: 'message.read', timestamp: '2020-01-01T00:00:00Z' };
		expect(judge(old, { maxAgeSeconds: 60 })).toMatchObject({ status: 200 });
	});
});
