import fc from 'fast-check';
import { keyOf, pack, unpack, type History } from '../../../nodes/MessagingService/polling/history';

const counts = fc.option(fc.nat());

const history = fc
	.array(
		fc.record({
			id: fc.string(),
			time: fc.nat(),
			seen: fc.uniqueArray(fc.constantFrom('Sent', 'Delivered', 'Read', 'Failed', 'Quite New'), {
				minLength: 1,
			}),
		}),
	)
	.chain((entries) =>
		fc.record<History>({
			entries: fc.constant(
				entries.map(({ id, time, seen }) => ({
					key: keyOf(id),
					time,
					status: seen[0] ?? '',
					seen,
				})),
			),
			since: counts,
			total: counts,
			stats: fc.option(fc.dictionary(fc.constantFrom('Sent', 'Read'), fc.nat())),
			settled: fc.boolean(),
		}),
	);

const sorted = (value: History | undefined) => ({
	...value,
	entries: value?.entries.map((entry) => ({ ...entry, seen: [...entry.seen].sort() })),
});

test('comes back from the static data as it was', () => {
	fc.assert(
		fc.property(history, (value) => {
			const stored: unknown = JSON.parse(JSON.stringify(pack(value)));
			expect(sorted(unpack(stored))).toEqual(sorted(value));
		}),
	);
});

test.each([undefined, null, {}, { entries: 'x' }, { values: { balance: 1 } }])(
	'%j is no history',
	(stored) => {
		expect(unpack(stored)).toBeUndefined();
	},
);

test('10,000 entries take less than 300 KB', () => {
	const entries = Array.from({ length: 10_000 }, (_, n) => ({
		key: keyOf(n),
		time: Date.UTC(2030, 0) + n,
		status: 'Read',
		seen: ['Sent', 'Delivered', 'Read'],
	}));
	const packed = pack({ entries, since: 1, total: 1, stats: { Read: 1 }, settled: true });
	expect(JSON.stringify(packed).length).toBeLessThan(300_000);
});
