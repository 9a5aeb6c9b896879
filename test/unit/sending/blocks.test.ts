import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Blocks } from '../../../nodes/MessagingService/sending/blocks';
import { Ledger } from '../../../nodes/MessagingService/sending/ledger';
import { FakeStore } from '../../support/unit/fakeStore';

/** Blocks of a run of `count` sends, in the store of a node. */
function blocksOf(
	store: FakeStore,
	{ count = 2_001, prefix = 'run', nodeId = 'node', changed = new Set<number>() } = {},
): Blocks {
	const context = store.context('workflow', nodeId);
	const ledger = Ledger.of(context);
	const idOf = (index: number) => `${prefix} ${index}${changed.has(index) ? ' changed' : ''}`;
	const blocks = ledger && Blocks.of({ context, ledger, count, prefix, idOf });
	if (!blocks) throw new Error('No blocks');
	return blocks;
}

const range = (start: number, end: number) =>
	Array.from({ length: end - start }, (_, index) => start + index);

test('runs of up to 2,000 sends have no blocks', () => {
	const context = new FakeStore().context('workflow', randomUUID());
	const ledger = Ledger.of(context) as Ledger;
	const parts = { context, ledger, prefix: 'run', idOf: String };
	expect(Blocks.of({ ...parts, count: 2_000 })).toBeUndefined();
	expect(Blocks.of({ ...parts, count: 2_001 })).toBeDefined();
});

test('a block is noted once, when its last send is accepted', async () => {
	const store = new FakeStore();
	const blocks = blocksOf(store, { nodeId: randomUUID() });
	for (const index of range(0, 499)) blocks.add(index);
	expect(await blocks.close()).toEqual({ indices: [], entries: [] });
	expect(store.calls).toEqual([]);
	blocks.add(2_000);
	blocks.add(499);
	const { indices, entries } = await blocks.close();
	expect(indices).toEqual([2_000, ...range(0, 500)]);
	expect(store.entries).toEqual(entries);
	expect(entries).toHaveLength(4);
	expect(await blocks.close()).toEqual({ indices: [], entries: [] });
});

test('another try finds the blocks that are full, and doubts those whose input has changed', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 2_001, max: 3_100 }),
			fc.uniqueArray(fc.nat(6), { maxLength: 7 }),
			fc.uniqueArray(fc.nat(3_100), { maxLength: 3 }),
			async (count, full, touched) => {
				const store = new FakeStore();
				const nodeId = randomUUID();
				const before = blocksOf(store, { count, nodeId });
				const last = Math.ceil(count / 500) - 1;
				const sent = full.filter((number) => number <= last);
				for (const number of sent) {
					for (const index of range(number * 500, Math.min(count, (number + 1) * 500)))
						before.add(index);
				}
				// One that is not full: its last send is missing.
				const open = range(0, last).find((number) => !sent.includes(number));
				if (open !== undefined) for (const n of range(0, 499)) before.add(open * 500 + n);
				await before.close();
				const noted = [...store.entries];

				const changed = new Set(touched);
				const after = blocksOf(store, { count, nodeId, changed });
				const found = await after.find();
				expect(found.map(({ number }) => number)).toEqual([...sent].sort((a, b) => a - b));
				for (const { number, indices, fate } of found) {
					expect(indices).toEqual(range(number * 500, Math.min(count, (number + 1) * 500)));
					expect(fate).toBe(indices.some((index) => changed.has(index)) ? 'unknown' : 'accepted');
				}
				expect(await blocksOf(store, { count, nodeId, prefix: 'other' }).find()).toEqual([]);
				// Looking leaves nothing behind.
				expect([...store.entries].sort()).toEqual(noted.sort());
			},
		),
		{ numRuns: 20, seed: 1 },
	);
});

test('a look that was cut off puts what is full in doubt, and nothing else', async () => {
	let writes = 0;
	const store = new FakeStore(() => {
		// The process ends before it takes back what it noted by looking.
		if (++writes > 2) throw new Error('Gone');
	});
	const nodeId = randomUUID();
	const before = blocksOf(store, { nodeId });
	for (const index of range(500, 1_000)) before.add(index);
	await before.close();
	await expect(blocksOf(store, { nodeId }).find()).rejects.toThrow('Gone');
	writes = -Infinity;
	const found = await blocksOf(store, { nodeId }).find();
	expect(found.map(({ fate }) => fate)).toEqual(found.map(() => 'unknown'));
	expect(found.map(({ number }) => number)).toContain(1);
});
