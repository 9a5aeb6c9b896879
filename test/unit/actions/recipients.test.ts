import fc from 'fast-check';
import {
	chunksOf,
	type Chunk,
	type Row,
	type Chunking,
	type Chunks,
} from '../../../nodes/MessagingService/actions/bulkCampaign/chunks';

const row = (values: Partial<Row>): Row => ({
	phone: '919876543210',
	params: [],
	headerValue: undefined,
	headerMediaId: undefined,
	name: undefined,
	...values,
});

/** Everything in chunks of two, as it is. */
function check(rows: Row[], chunking: Partial<Chunking> = {}): Chunks {
	const source = {
		count: rows.length,
		at: (number: number) => {
			const { params, ...rest } = rows[number] ?? row({});
			return { ...rest, params: Array.isArray(params) ? [...(params as unknown[])] : params };
		},
		problemOf: () => undefined,
		paramName: (place: number) => `parameter ${place + 1}`,
	};
	return chunksOf(source, {
		common: {},
		size: 2,
		removeDuplicates: false,
		allowBlank: false,
		countryCodes: [],
		isLeftOut: () => false,
		...chunking,
	});
}

const madeOf = ({ body }: Chunk) => (JSON.parse(String(body)) as { recipients: Row[] }).recipients;

const numbersOf = ({ chunks }: Chunks) => chunks.map(({ rows }) => [...rows]);

test('keeps what the service takes and nothing else', () => {
	const { chunks, bad } = check([
		row({ phone: '+91 98765 43210', params: ['A', 2], name: 'Anna', headerValue: '' }),
		row({ headerValue: 'x', headerMediaId: 'y', params: ['A', 'B'] }),
	]);
	expect(chunks.flatMap(madeOf)).toEqual([
		{ phone: '919876543210', params: ['A', '2'], name: 'Anna' },
		{ phone: '919876543210', params: ['A', 'B'], headerValue: 'x', headerMediaId: 'y' },
	]);
	expect(bad).toEqual([]);
});

test.each([
	[row({ phone: '0123456789' }), 'the phone number "0123456789" starts with a zero'],
	[row({ phone: undefined }), 'the phone number is empty'],
	[row({ params: [null] }), 'parameter 1 is missing or blank'],
	[row({ params: [''] }), 'parameter 1 is missing or blank'],
	[row({ params: [' \t'] }), 'parameter 1 is missing or blank'],
	[row({ params: [{}] }), 'parameter 1 is not text'],
	[row({ params: 'A' }), 'params is not an array'],
])('names what is wrong with %j', (wrong, reason) => {
	const { chunks, bad } = check([row({ params: ['A'] }), wrong]);
	expect(chunks.map((chunk) => madeOf(chunk).length)).toEqual([1]);
	expect(bad).toEqual([
		{
			number: 1,
			value: expect.any(String) as string,
			reason: expect.stringContaining(reason) as string,
		},
	]);
});

test('blank values go out where they are allowed', () => {
	const { chunks, bad } = check([row({ params: [null, ' '] })], { allowBlank: true });
	expect(bad).toEqual([]);
	expect(chunks.flatMap(madeOf)[0]?.params).toEqual(['', ' ']);
});

test('removes duplicates by the number itself and counts them', () => {
	const rows = [row({}), row({ phone: '+91 9876543210' }), row({ phone: '919876543211' })];
	const removed = check(rows, { removeDuplicates: true });
	expect([removed.duplicates, numbersOf(removed)]).toEqual([1, [[0, 2]]]);
	expect(numbersOf(check(rows))).toEqual([[0, 1], [2]]);
});

const numberOf = ({ number }: { number: number }): number => number;
const sorted = (numbers: number[]): number[] => numbers.sort((x, y) => x - y);

test('rows that are left out keep their places, and chunks of any size hold all others once', () => {
	const size = fc.integer({ min: 1, max: 7 });
	const phones = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 30 });
	fc.assert(
		fc.property(
			phones,
			fc.boolean(),
			size,
			size,
			fc.func(fc.boolean()),
			(all, remove, a, b, sent) => {
				const rows = all.map((digit) =>
					row({ phone: digit === 0 ? 'no number' : String(919_876_543_200 + digit) }),
				);
				const options = { removeDuplicates: remove };
				const before = check(rows, { ...options, size: a });
				const accepted = before.chunks.filter(({ from }) => sent(from));
				const leftOut = new Set(accepted.flatMap((chunk) => [...chunk.rows]));
				const after = check(rows, { ...options, size: b, isLeftOut: (_, n) => leftOut.has(n) });
				const places = new Map<number, number>();
				for (const { from, rows: numbers } of before.chunks) {
					numbers.forEach((number, index) => places.set(number, from + index));
				}
				const again = after.chunks.flatMap((chunk) => {
					const { from, rows: numbers } = chunk;
					expect(madeOf(chunk)).toHaveLength(numbers.length);
					expect(numbers.length).toBeLessThanOrEqual(b);
					return [...numbers].map((number, index) => [number, from + index] as const);
				});
				// Every row is sent in one of the two, at the place that it has had from the first.
				for (const [number, place] of again) expect(place).toBe(places.get(number));
				const numbers = [...leftOut, ...again.map(([number]) => number)];
				expect(sorted(numbers)).toEqual(sorted([...places.keys()]));
				// And every bad row is told with one chunk.
				const told = [...accepted, ...after.chunks].flatMap(({ bad }) => bad);
				if (places.size > 0) expect(sorted(told.map(numberOf))).toEqual(before.bad.map(numberOf));
			},
		),
	);
});
