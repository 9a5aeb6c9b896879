import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Divisions } from '../../../nodes/MessagingService/sending/divisions';
import { Ledger } from '../../../nodes/MessagingService/sending/ledger';
import { FakeStore } from '../../support/unit/fakeStore';

function divisionsIn(store: FakeStore, prefix = 'run') {
	const context = store.context('workflow', randomUUID());
	return new Divisions(context, Ledger.of(context) as Ledger, prefix);
}

test('what tries have noted is read, digit by digit, and nothing else is', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 4 }),
			async (sizes) => {
				const store = new FakeStore();
				const divisions = divisionsIn(store);
				for (const [number, size] of sizes.entries()) {
					const noted = await divisions.note(0, size, `print ${number}`);
					expect(noted.number).toBe(number);
					expect(noted.entries).toContain(divisions.nameOf(number));
				}
				const before = [...store.entries];
				for (const [number, size] of sizes.entries()) {
					const noted = await divisions.read(number);
					expect(noted?.size).toBe(size);
					expect(await noted?.isFrom(`print ${number}`)).toBe(true);
					expect(await noted?.isFrom('print of another')).toBe(false);
				}
				expect(await divisions.read(sizes.length)).toBeUndefined();
				expect(await divisionsIn(store, 'other').read(0)).toBeUndefined();
				// Neither asking nor a number that was taken leaves anything behind.
				expect(store.entries).toEqual(before);
			},
		),
		{ seed: 1, numRuns: 30 },
	);
});

test('no lower number is taken than the one that can be free', async () => {
	const divisions = divisionsIn(new FakeStore());
	expect((await divisions.note(3, 10, 'a')).number).toBe(3);
	expect((await divisions.note(0, 10, 'a')).number).toBe(0);
	expect((await divisions.note(3, 10, 'a')).number).toBe(4);
	expect(await divisions.read(1)).toBeUndefined();
});

test('a question that was cut short makes the answer of the next one unknown', async () => {
	let writes = -Infinity;
	const store = new FakeStore(() => {
		// The process ends between asking and taking the question back.
		if (++writes > 1) throw new Error('Gone');
	});
	const divisions = divisionsIn(store);
	await divisions.note(0, 123, 'a');
	writes = 0;
	await expect(divisions.read(0)).rejects.toThrow('Gone');
	writes = -Infinity;
	const noted = await divisions.read(0);
	expect(noted).toBeDefined();
	expect(noted?.size).toBeUndefined();
	expect(await noted?.isFrom('a')).toBe(false);
});
