import fc from 'fast-check';
import { maskOf } from '../../../nodes/MessagingService/api/masking';

const key = 'msk_0123"\\abc';

test('masks the key in texts and field names at any depth', () => {
	const answer = { [key]: [{ error: `Bearer ${key}, ${key}` }], count: 3, none: null };
	expect(maskOf(key)(answer)).toEqual({
		'[API key]': [{ error: 'Bearer [API key], [API key]' }],
		count: 3,
		none: null,
	});
});

test('leaves an answer without the key as it is', () => {
	const answer = { at: new Date(), text: 'msk_0123' };
	expect(maskOf(key)(answer)).toBe(answer);
});

test.each(['', '1', 'success'])('%j is no key that could be told from other text', (short) => {
	const answer = { success: true, message: 'success 1' };
	expect(maskOf(short)(answer)).toBe(answer);
});

const lower = (text: string) => text.replace(/%../g, (byte) => byte.toLowerCase());
const encodings: Array<[string, (text: string) => string]> = [
	['as it is', (text) => text],
	['in JSON', (text) => JSON.stringify({ key: text })],
	['in an address', encodeURIComponent],
	['in an address in small letters', (text) => lower(encodeURIComponent(text))],
	['in a form', (text) => new URLSearchParams({ key: text }).toString()],
	['in base64', (text) => Buffer.from(text).toString('base64')],
	['in base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
	['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
	['in large hexadecimal', (text) => Buffer.from(text).toString('hex').toUpperCase()],
];

describe.each(encodings)('masks a key %s', (_name, encode) => {
	test('with anything around it', () => {
		const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
		const keys = fc.array(character, { minLength: 12, maxLength: 60 }).map((list) => list.join(''));
		const around = fc.string({ maxLength: 5 });
		fc.assert(
			fc.property(keys, around, around, (drawn, before, after) => {
				const answer = { error: encode(`${before}${drawn}${after}`) };
				const { error } = maskOf(drawn)(answer);
				expect(error).toContain('[API key]');
				// What is left does not lead back to the key.
				expect(error.length).toBeLessThan(answer.error.length + mask.length);
				expect(maskOf(drawn)({ error })).toEqual({ error });
			}),
		);
	});
});

const mask = '[API key]';

test('a form that begins with another one is masked whole', () => {
	const inside = 'msk_01234567%2';
	expect(maskOf(inside)({ error: encodeURIComponent(inside) })).toEqual({ error: mask });
});

test('eight characters can be a key, seven cannot', () => {
	expect(maskOf('12345678')('12345678')).toBe(mask);
	expect(maskOf('1234567')('1234567')).toBe('1234567');
});
