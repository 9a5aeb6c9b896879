import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	challengeIn,
	isAuthentic,
	passedOn,
	tokenIn,
} from '../../../nodes/MessagingService/trigger/dashboard';

const places = ['headers', 'query', 'body'] as const;
const text = fc.string({ maxLength: 40 });
const token = fc.string({ minLength: 8, maxLength: 80 }).filter((one) => {
	const { verificationToken } = { verificationToken: one };
	return tokenIn({ verificationToken }) === one;
});
const name = fc.oneof(
	fc.constantFrom('token', 'authorization', 'x-hub-signature', '__proto__', 'constructor'),
	text,
);
/** Parts of a delivery without the token, as n8n reads JSON and forms. */
const part = fc.dictionary(name, fc.oneof(text, fc.array(text), fc.integer(), fc.constant(null)), {
	maxKeys: 8,
});
const parts = fc.record({ headers: part, query: part, body: part });
type Parts = Record<(typeof places)[number], IDataObject>;

const deliveryOf = (given: Parts, rawBody = Buffer.from(JSON.stringify(given.body))) => ({
	...given,
	rawBody,
});

/** The parts with one more value in one of them. */
const withValue = (given: Parts, place: keyof Parts, key: string, value: unknown): Parts => ({
	...given,
	// As n8n's parsers do, also for `__proto__`.
	[place]: Object.fromEntries([...Object.entries(given[place]), [key, value]]) as IDataObject,
});

/** What a guess or a mistake in copying looks like; none of them is the token. */
const nearly: Array<(token: string) => unknown> = [
	(one) => one.slice(0, -1),
	(one) => one.slice(1),
	(one) => one + one,
	(one) => `${one}, ${one}`,
	(one) => [one, one],
	(one) => ({ token: one }),
	(one) => `${one}\0`,
	(one) => `sha256=${one}`,
	(one) => `Basic ${one}`,
	(one) => Buffer.from(one).toString('base64'),
	(one) => createHmac('sha256', one).update('').digest('hex'),
	(one) => createHmac('sha256', one).update('another body').digest('hex'),
	(one) => createHmac('sha1', one).update('').digest('hex'),
	() => '',
	() => ' ',
	() => 'Bearer ',
];

describe('a delivery counts', () => {
	test('if a whole value is the token, wherever it stands, and the token does not come out', () => {
		const place = fc.constantFrom(...places);
		const prefix = fc.constantFrom('', 'Bearer ', 'bearer  ');
		fc.assert(
			fc.property(parts, token, place, name, prefix, (given, own, where, key, before) => {
				const delivery = deliveryOf(withValue(given, where, key, before + own));
				expect(isAuthentic(delivery, own)).toBe(true);
				const out = passedOn(delivery, own);
				expect(Object.keys(out[where] as IDataObject)).not.toContain(key);
				// All else is as it came.
				const expected = passedOn(deliveryOf(withValue(given, where, key, 0)));
				const without = (one: IDataObject) =>
					Object.entries(one).filter(([other]) => where !== 'headers' && other !== key);
				expect(without(out[where] as IDataObject)).toEqual(without(expected[where] as IDataObject));
			}),
		);
	});

	test('if a header or parameter is the HMAC of the body, but none that stands in the body', () => {
		const place = fc.constantFrom(...places);
		const encoding = fc.constantFrom('hex', 'base64', 'base64url');
		const prefix = fc.constantFrom('', 'sha256=');
		fc.assert(
			fc.property(parts, token, place, encoding, prefix, (given, own, where, form, before) => {
				const rawBody = Buffer.from(JSON.stringify(given.body));
				const hmac = createHmac('sha256', own).update(rawBody).digest(form);
				const delivery = deliveryOf(withValue(given, where, 'signature', before + hmac), rawBody);
				expect(isAuthentic(delivery, own)).toBe(where !== 'body');
			}),
		);
	});
});

describe('a delivery does not count', () => {
	test('with anything but the whole token, and its values come out as they are', () => {
		const place = fc.constantFrom(...places);
		fc.assert(
			fc.property(parts, token, place, fc.constantFrom(...nearly), (given, own, where, make) => {
				const delivery = deliveryOf(withValue(given, where, 'x-token', make(own)));
				expect(isAuthentic(delivery, own)).toBe(false);
				expect(passedOn(delivery, own)).toEqual(passedOn(delivery));
			}),
		);
	});

	test('without a body, even if the HMAC of nothing is right', () => {
		const signature = createHmac('sha256', 'a token').update('').digest('hex');
		for (const rawBody of [Buffer.alloc(0), undefined]) {
			const delivery = { headers: { signature }, query: {}, body: undefined, rawBody };
			expect(isAuthentic(delivery, 'a token')).toBe(false);
		}
	});

	test('with more than 100 values, whatever they are', () => {
		const guesses = (count: number) =>
			Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, `${index}`]));
		const holds = (count: number) =>
			places.map((place) => {
				const given = { headers: {}, query: {}, body: {}, [place]: guesses(count) };
				return isAuthentic(deliveryOf(withValue(given, place, 'token', 'the token')), 'the token');
			});
		expect(holds(99)).toEqual([true, true, true]);
		expect(holds(100)).toEqual([false, false, false]);
	});
});

test.each([
	'',
	' \t\n',
	'1234567',
	'       1234567       ',
	'Bearer 1234567',
	null,
	undefined,
	12345678,
	{},
])('%j is no token, so nothing is let in', (verificationToken) => {
	expect(tokenIn({ verificationToken } as IDataObject)).toBeUndefined();
});

test('a token is used without the spaces around it', () => {
	expect(tokenIn({ verificationToken: ' 12345678\n' })).toBe('12345678');
});

test('of the headers, those come out that describe the delivery', () => {
	const own = { 'content-type': 'text/plain', 'user-agent': 'service', 'x-request-id': '1' };
	const headers = { ...own, cookie: 'a', authorization: 'b', host: 'c' };
	const out = passedOn({ headers, query: {}, body: 'text' });
	expect(out).toEqual({ headers: own, query: {}, body: 'text' });
});

test.each<[IDataObject, string]>([
	[{ challenge: '42' }, '42'],
	[{ token: 'x', 'hub.Challenge': ' <b>' }, '<b>'],
	[{ challenge: 'x'.repeat(200) }, 'x'.repeat(200)],
	[{ challenge: 'x'.repeat(201) }, ''],
	[{ challenge: ['1', '2'] }, ''],
	[{ token: 'x' }, ''],
])('the text that a check of the address wants back: %j', (query, challenge) => {
	expect(challengeIn(query)).toBe(challenge);
});
