import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { bounded } from '../../../nodes/MessagingService/api/bounded';

const short = { success: true, providerMessageId: 'm1', cost: 1, remainingBalance: 9 };
const text = (length: number) => 'x'.repeat(length);
const sizeOf = (value: unknown): number => JSON.stringify(value).length;

test('a response as documented is the same', () => {
	const response = { ...short, message: 'Template message sent' };
	expect(bounded(response)).toBe(response);
});

test.each<[string, IDataObject, IDataObject]>([
	['a text', { message: text(1_000_000) }, { message: /^x+… \(99\d{4} characters left out\)$/ }],
	[
		'two texts',
		{ a: text(50_000), b: text(9_000) },
		{ a: /^x+… \(4\d{4} characters left out\)$/, b: /^x+… \(4\d{3} characters left out\)$/ },
	],
	['a list', { log: Array(9_000).fill(7) }, { log: /^\[7,7,.*7.*… \(\d+ characters left out\)$/ }],
	['an object', { more: { id: 'a', log: text(20_000) } }, { more: { id: 'a', log: /^x+… \(/ } }],
	[
		'an object far down',
		{ a: { b: { c: { d: text(20_000) } } } },
		{ a: { b: /^\{"c":\{"d":"x+… \(/ } },
	],
	['a field with a long name', { [text(20_000)]: 1 }, { '…': '(1 more left out)' }],
])('%s too large is shortened, and the short fields stay', (_name, large, expected) => {
	const shown = bounded({ ...large, ...short });
	const matching = (value: unknown): unknown => {
		if (value instanceof RegExp) return expect.stringMatching(value);
		if (typeof value !== 'object' || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, matching(one)]));
	};
	expect(shown).toEqual({ ...short, ...(matching(expected) as IDataObject) });
	expect(sizeOf(shown)).toBeLessThan(11_000);
});

test('of very many fields so many are kept as there is room for', () => {
	const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]));
	const shown = bounded({ webhook: { id: 'w1', ...many }, success: true }) as {
		webhook: IDataObject;
	};
	expect(shown).toMatchObject({ success: true });
	expect(shown.webhook['…']).toMatch(/^\(99\d{3} more left out\)$/);
	expect(Object.keys(shown.webhook).length).toBeGreaterThan(300);
});

test('whatever the response, it is bounded and its short fields stay', () => {
	const long = fc.integer({ min: 200, max: 40_000 }).map(text);
	const value = fc.oneof(
		long,
		fc.array(fc.integer(), { minLength: 500, maxLength: 3_000 }),
		fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(long, fc.jsonValue()), { maxKeys: 5 }),
		fc.jsonValue(),
	);
	const name = fc.string({ maxLength: 30 }).map((end) => `own ${end}`);
	fc.assert(
		fc.property(fc.dictionary(name, value, { maxKeys: 60 }), (large) => {
			const shown = bounded({ ...(large as IDataObject), ...short });
			expect(shown).toMatchObject(short);
			// Escapes may take six characters for one.
			expect(sizeOf(shown)).toBeLessThan(60_000);
		}),
	);
});
