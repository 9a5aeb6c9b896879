import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { PolledWorkflow } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';
import { grow, growths, listOrder, runs, runsPatience } from '../support/lists/growth';

const sandbox = useSandbox();

jest.setTimeout(runsPatience);

/** What happens before a poll and while it reads. */
const step = fc.record({
	added: fc.nat(150),
	moved: fc.nat(3),
	meanwhile: growths,
	isRestarted: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A list that is watched. */
interface Watched {
	parameters: INodeParameters;
	/** Adds records with their first status; gives their ids. */
	add(count: number): Promise<string[]>;
	/** Gives a record its last status. */
	move(id: string): Promise<unknown>;
	ids(): Promise<string[]>;
	/** Whether an item tells of a new record, or of its last status. */
	isNew(item: IDataObject): boolean;
	isLast(item: IDataObject): boolean;
}

const kinds: Record<'messages' | 'calls', Watched> = {
	messages: {
		parameters: { watch: 'messages', statuses: ['Sent', 'Read'] },
		add: async (count) => await sandbox.control.addMessages(count),
		move: async (id) => await sandbox.control.updateMessage(id, 'Read'),
		ids: async () => (await sandbox.control.messages()).map(({ id }) => id),
		isNew: ({ status }) => status === 'Sent',
		isLast: ({ status }) => status === 'Read',
	},
	calls: {
		parameters: { watch: 'voiceCalls', callEvents: ['started', 'ended'] },
		add: async (count) => await sandbox.control.addCalls(count, { callStatus: 'initiated' }),
		move: async (id) => await sandbox.control.updateCall(id, { callStatus: 'success' }),
		ids: async () => (await sandbox.control.calls()).map(({ id }) => id),
		isNew: ({ event }) => event === 'started',
		isLast: ({ event }) => event === 'ended',
	},
};

/** How often each record is among the items that fit. */
function counted(items: IDataObject[], fits: (item: IDataObject) => boolean): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { id } of items.filter(fits))
		counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
	return counts;
}

describe.each(['messages', 'calls'] as const)('any history of %s that are polled', (kind) => {
	const { parameters, add, move, ids, isNew, isLast } = kinds[kind];
	const template = kind === 'calls' ? { callStatus: 'initiated' } : {};

	async function emitted(steps: Step[], moved: Set<string>, seen: Set<string>) {
		const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
		expect(await workflow.publish()).toEqual([]);
		const items: IDataObject[] = [];
		for (const { added, moved: count, meanwhile, isRestarted } of steps) {
			// Only those that a poll has seen: of the others only the last status is in the list.
			for (const id of [...seen].slice(-count)) {
				await move(id);
				moved.add(id);
			}
			await add(added);
			await grow(sandbox.control, kind, meanwhile, template);
			const polled = isRestarted ? await workflow.restart() : await workflow.poll();
			for (const item of polled) if (isNew(item)) seen.add(String(item.id));
			items.push(...polled);
			await sandbox.control.clearFaults();
		}
		// What came into being behind the reader's back is found when things are quiet.
		for (let quiet = 0; quiet < 2; quiet++) items.push(...(await workflow.poll()));
		expect(await workflow.poll()).toEqual([]);
		return items;
	}

	test('nothing is missed, and nothing is emitted twice', async () => {
		await fc.assert(
			fc.asyncProperty(
				listOrder,
				fc.nat(250),
				fc.array(step, { minLength: 1, maxLength: 3 }),
				async (order, older, steps) => {
					await sandbox.control.reset();
					await sandbox.control.setLifecycle({ enabled: false });
					await sandbox.control.setAssumptions({ listOrder: order });
					const before = new Set(await add(older));
					const moved = new Set<string>();
					const items = await emitted(steps, moved, new Set());
					const born = (await ids()).filter((id) => !before.has(id));
					expect(counted(items, isNew)).toEqual(new Map(born.map((id) => [id, 1])));
					expect(counted(items, isLast)).toEqual(new Map([...moved].map((id) => [id, 1])));
				},
			),
			runs,
		);
	});
});

test.each(['oldestFirst', 'newestFirst', 'byId'] as const)(
	'any history of webhooks that are polled, shown %s',
	async (shortListOrder) => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 6 }),
				fc.array(
					fc.record({
						kind: fc.constantFrom('remove', 'deactivate', 'add'),
						which: fc.nat(20),
						isPolled: fc.boolean(),
					}),
					{ maxLength: 12 },
				),
				async (count, steps) => {
					await sandbox.control.reset();
					await sandbox.control.setAssumptions({ shortListOrder });
					let registered = 0;
					const register = async () => {
						const url = `https://host.example/${registered++}`;
						await sandbox.json({ resource: 'webhook', operation: 'create', url });
					};
					for (let index = 0; index < count; index++) await register();
					const workflow = new PolledWorkflow({
						credential: sandbox.credential(),
						parameters: { watch: 'webhooks' },
					});
					expect(await workflow.publish()).toEqual([]);
					const told: IDataObject[] = [];
					const expected = new Set<string>();
					// One that is made and lost between two polls was never there.
					let known = new Set((await sandbox.control.webhooks()).map(({ id }) => id));
					const poll = async () => {
						told.push(...(await workflow.poll()));
						known = new Set((await sandbox.control.webhooks()).map(({ id }) => id));
					};
					for (const { kind, which, isPolled } of steps) {
						const there = await sandbox.control.webhooks();
						const { id, isActive } = there[which % Math.max(there.length, 1)] ?? {};
						if (kind === 'add') await register();
						else if (id !== undefined && known.has(id)) {
							if (kind === 'remove') {
								await sandbox.control.removeWebhook(id);
								expected.add(`webhook.removed ${id}`);
								if (!told.some((item) => item.id === id))
									expected.delete(`webhook.deactivated ${id}`);
							} else if (isActive) {
								await sandbox.control.updateWebhook(id, { isActive: false });
								expected.add(`webhook.deactivated ${id}`);
							}
						}
						if (isPolled) await poll();
					}
					await poll();
					expect(told.map(({ event, id }) => `${String(event)} ${String(id)}`).sort()).toEqual(
						[...expected].sort(),
					);
				},
			),
			runs,
		);
	},
);
