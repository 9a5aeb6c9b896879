import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { escape } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import {
	challengeIn,
	isAuthentic,
	passedOn,
	tokenIn,
} from '../../../nodes/MessagingService/trigger/dashboard';

const places = ['headers', 'query', 'body'] as const;
const text = fc.string({ maxLength: 40 });
const isToken = (one: string) => tokenIn({ verificationToken: one }) === one;
const token = fc.string({ minLength: 8, maxLength: 80 }).filter(isToken);
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

/** As a form has it. */
const inForm = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

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
	test('if a whole value is the token, wherever it stands', () => {
		const place = fc.constantFrom(...places);
		const prefix = fc.constantFrom('', 'Bearer ', 'bearer  ');
		fc.assert(
			fc.property(parts, token, place, name, prefix, (given, own, where, key, before) => {
				const delivery = deliveryOf(withValue(given, where, key, before + own));
				expect(isAuthentic(delivery, own)).toBe(true);
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
	test('with anything but the whole token', () => {
		const place = fc.constantFrom(...places);
		fc.assert(
			fc.property(parts, token, place, fc.constantFrom(...nearly), (given, own, where, make) => {
				const delivery = deliveryOf(withValue(given, where, 'x-token', make(own)));
				expect(isAuthentic(delivery, own)).toBe(false);
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

describe('what comes out', () => {
	const mask = '[verification token]';
	const word = fc.string({ maxLength: 8 }).map((one) => one.replace(/[^a-z]/g, ' '));
	const anyToken = fc
		.oneof(
			token,
			fc.string({ unit: 'grapheme', minLength: 8 }).filter(isToken),
			fc.stringMatching(/^[1-9]\d{7,11}$/),
		)
		.filter((one) => !mask.includes(one));
	const percent = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');
	const quoted = (text: string) => JSON.stringify({ a: [text] });

	/** Writes the token, or the mask in its place. */
	const writings: Array<(text: string) => string> = [
		(text) => text,
		(text) => `Bearer ${text}, ${text}`,
		(text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
		(text) => (text === mask ? text : escape(text)),
		(text) => quoted(text),
		(text) => quoted(quoted(text)),
		...[encodeURIComponent, percent, (text: string) => percent(text).toUpperCase(), inForm].map(
			(encode) => (text: string) => `/webhook?token=${text === mask ? text : encode(text)}&a=%5B`,
		),
		(text) => (text === mask ? text : Buffer.from(text).toString('hex')),
	];

	/** Puts a text somewhere into a delivery. */
	const placings: Array<(given: Parts, text: string) => Parts> = [
		(given, text) => withValue(given, 'headers', 'x-original-url', text),
		(given, text) => withValue(given, 'headers', text.startsWith('x-') ? text : `x-${text}`, ''),
		(given, text) => withValue(given, 'query', 'a', text),
		(given, text) => withValue(given, 'query', 'a', ['b', text]),
		(given, text) => withValue(given, 'query', text, ''),
		(given, text) => withValue(given, 'body', 'a', [{ b: { c: text, d: null } }, 1]),
		(given, text) => withValue(given, 'body', 'a', { [text]: 1 }),
		(given, text) => ({ ...given, body: `<a b="${text}">${text}</a>` as unknown as IDataObject }),
		(given, text) => ({ ...given, body: [text, 1, [text]] as unknown as IDataObject }),
	];

	test('has the token nowhere, however it is written, and all else as it came', () => {
		const writing = fc.constantFrom(...writings);
		const placing = fc.constantFrom(...placings);
		fc.assert(
			fc.property(
				parts,
				anyToken,
				writing,
				placing,
				word,
				word,
				(given, own, write, put, ...around) => {
					fc.pre(!JSON.stringify(given).includes(own));
					const framed = (text: string) => `${around[0]}${text}${around[1]}`;
					const out = passedOn(deliveryOf(put(given, framed(write(own)))), own);
					expect(out).toEqual(passedOn(deliveryOf(put(given, framed(write(mask))))));
				},
			),
			{ numRuns: 1_000 },
		);
	});

	test('has no token in Base64, as in a header with Basic', () => {
		const user = fc.string({ maxLength: 5 });
		const encoding = fc.constantFrom('base64' as const, 'base64url' as const);
		fc.assert(
			fc.property(parts, anyToken, encoding, user, user, (given, own, form, before, after) => {
				const written = Buffer.from(`${before}:${own}${after}`).toString(form);
				const put = withValue(given, 'headers', 'x-authorization', `Basic ${written}`);
				const { headers } = passedOn(deliveryOf(put), own) as Parts;
				const text = String(headers['x-authorization']);
				expect(text).toMatch(/^Basic .*\[verification token\]/);
				// All but the last bits of its first and last characters.
				expect(text.length).toBeLessThanOrEqual(
					'Basic '.length + mask.length + written.length - own.length,
				);
			}),
		);
	});

	test('is the delivery as it came, if the token stands in no further place', () => {
		const json = fc.jsonValue({ maxDepth: 4 });
		fc.assert(
			fc.property(parts, json, anyToken, (given, body, own) => {
				fc.pre(!JSON.stringify([given, body]).includes(own));
				const delivery = { ...deliveryOf(given), body };
				expect(passedOn(delivery, own)).toEqual(passedOn(delivery));
				expect(passedOn(delivery, own).body).toEqual(body);
			}),
		);
	});

	test('has no token that is a number either', () => {
		const body = { id: 123456789, ids: [12345678, 1234567], text: '1,2,3' };
		const out = passedOn({ headers: {}, query: {}, body }, '12345678');
		expect(out.body).toEqual({ id: `${mask}9`, ids: [mask, 1234567], text: '1,2,3' });
	});

	test('are of the headers those that describe the delivery', () => {
		const own = { 'content-type': 'text/plain', 'user-agent': 'service', 'x-request-id': '1' };
		const headers = { ...own, cookie: 'a', authorization: 'b', host: 'c', 'not-x-a': 'd' };
		const out = passedOn({ headers, query: {}, body: 'text' });
		expect(out).toEqual({ headers: own, query: {}, body: 'text' });
	});
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
