import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { judgeDelivery, type Subscription } from '../../../nodes/MessagingService/trigger/delivery';
import { isSigned } from '../../../nodes/MessagingService/trigger/signature';

const secret = 'a secret of the test';
const now = Date.parse('2026-01-31T12:00:00Z');

const subscription: Subscription = {
	secret,
	events: ['message.sent', 'message.delivered', 'message.failed'],
	templateNames: [],
	fromNumbers: [],
	maxAgeSeconds: 0,
};

const event = {
	event: 'message.delivered',
	timestamp: '2026-01-31T11:59:00.000Z',
	data: {
		providerMessageId: 'pm1',
		status: 'delivered',
		to: '919876543210',
		from: '918047104710',
		templateName: 'welcome',
	},
};

const sign = (body: Uint8Array, encoding: 'hex' | 'base64' = 'hex', key = secret) =>
	createHmac('sha256', key).update(body).digest(encoding);

function judge(payload: unknown, settings: Partial<Subscription> = {}) {
	const rawBody = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
	return judgeDelivery(
		{ rawBody, signature: sign(rawBody) },
		{ ...subscription, ...settings },
		now,
	);
}

describe('signature', () => {
	const body = Buffer.from(JSON.stringify(event));

	test.each([
		['hex', sign(body)],
		['base64', sign(body, 'base64')],
		['hex with prefix', `sha256=${sign(body)}`],
		['base64 with prefix', `sha256=${sign(body, 'base64')}`],
	])('accepts %s', (_name, signature) => {
		expect(isSigned(body, signature, secret)).toBe(true);
	});

	test.each([
		['missing', undefined],
		['empty', ''],
		['the prefix alone', 'sha256='],
		['truncated', sign(body).slice(0, -1)],
		['too long', `${sign(body)}0`],
		['repeated', `${sign(body)}, ${sign(body)}`],
		['a list', [sign(body)]],
		['of another secret', sign(body, 'hex', 'another')],
		['of another body', sign(Buffer.from('{}'))],
		['in capitals', sign(body).toUpperCase()],
		['with spaces', ` ${sign(body)}`],
		['with another prefix', `sha1=${sign(body)}`],
	])('refuses one that is %s', (_name, signature) => {
		expect(isSigned(body, signature, secret)).toBe(false);
	});

	test('refuses everything without a secret', () => {
		expect(isSigned(body, createHmac('sha256', '').update(body).digest('hex'), '')).toBe(false);
	});

	test('no mutation of body or signature is accepted', () => {
		const signatures = [sign(body), sign(body, 'base64'), `sha256=${sign(body)}`];
		const mutateBytes = (bytes: Uint8Array, at: number, by: number) => {
			const copy = Uint8Array.from(bytes);
			const index = at % copy.length;
			copy[index] = (copy[index] ?? 0) ^ by;
			return copy;
		};
		fc.assert(
			fc.property(
				fc.nat(),
				fc.integer({ min: 1, max: 255 }),
				fc.constantFrom(...signatures),
				fc.boolean(),
				(at, by, signature, mutateBody) => {
					if (mutateBody) return !isSigned(mutateBytes(body, at, by), signature, secret);
					const mutated = Buffer.from(mutateBytes(Buffer.from(signature, 'latin1'), at, by));
					return !isSigned(body, mutated.toString('latin1'), secret);
				},
			),
			{ numRuns: 100_000 },
		);
	});
});

describe('verdict', () => {
	test('passes the payload on as it came, with a key that tells events of a message apart', () => {
		expect(judge({ ...event, extra: 1 })).toEqual({
			payload: { ...event, extra: 1 },
			key: 'message.delivered pm1',
		});
	});

	test.each([
		['not JSON', 'x'],
		['not an object', '[]'],
		['null', 'null'],
		['empty', ''],
		['of an unknown kind', { ...event, event: 'message.clicked' }],
		['without data', { event: event.event, timestamp: event.timestamp }],
		['without a message id', { ...event, data: { ...event.data, providerMessageId: '' } }],
		['without a time', { ...event, timestamp: 'yesterday' }],
	])('answers 400 to a signed body that is %s', (_name, payload) => {
		expect(judge(payload)).toMatchObject({ status: 400 });
	});

	test('answers 400 to an event that is too old', () => {
		expect(judge(event, { maxAgeSeconds: 59 })).toMatchObject({ status: 400 });
		expect(judge(event, { maxAgeSeconds: 60 })).toHaveProperty('payload');
	});

	test('takes a time that is none for too old', () => {
		const timestamp = '2026-01-31T12:00:00+99:99';
		expect(judge({ ...event, timestamp }, { maxAgeSeconds: 60 })).toMatchObject({ status: 400 });
	});

	test.each([null, 918047104710, { toString: 1, valueOf: 1 }])('bears %j as a sender', (from) => {
		const odd = { ...event, data: { ...event.data, from } };
		expect(judge(odd)).toHaveProperty('payload', odd);
		const wanted = judge(odd, { fromNumbers: ['918047104710'] });
		expect('payload' in wanted).toBe(typeof from === 'number');
	});

	test('answers 200 to what was not asked for', () => {
		expect(judge({ ...event, event: 'message.read' })).toMatchObject({ status: 200 });
		expect(judge(event, { templateNames: ['other'] })).toMatchObject({ status: 200 });
		expect(judge(event, { fromNumbers: ['911'] })).toMatchObject({ status: 200 });
	});

	test('filters let through what they name', () => {
		const filters = { templateNames: ['other', 'welcome'], fromNumbers: ['918047104710'] };
		expect(judge(event, filters)).toHaveProperty('payload');
	});

	test('answers 401 before it looks at the body', () => {
		const rawBody = Buffer.from('x');
		expect(judgeDelivery({ rawBody, signature: 'y' }, subscription, now)).toMatchObject({
			status: 401,
		});
	});
});
