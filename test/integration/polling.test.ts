import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { failureOf } from '../support/core/execute';
import { PolledWorkflow } from '../support/core/poll';
import { TriggerWorkflow } from '../support/core/triggerWorkflow';
import { useSandbox } from '../support/core/useSandbox';
import { grow, growths, listOrder, runs, runsPatience } from '../support/lists/growth';

const sandbox = useSandbox();

jest.setTimeout(runsPatience);

/** What happens before a poll and while it reads. */
const step = fc.record({
	added: fc.nat(150),
	moved: fc.nat(3),
	meanwhile: growths,
	/** Milliseconds between the records that are added. */
	everyMs: fc.constantFrom(0, 1_000),
	isRestarted: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
	/** At which request the poll before fails, if it makes so many. */
	failsAt: fc.option(fc.nat(2), { nil: undefined, freq: 3 }),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A list that is watched. */
interface Watched {
	parameters: INodeParameters;
	/** Adds records with their first status; gives their ids. */
	add(count: number, everyMs?: number): Promise<string[]>;
	path: string;
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
		path: '/chat/campaigns',
		add: async (count, everyMs) => await sandbox.control.addMessages(count, { everyMs }),
		move: async (id) => await sandbox.control.updateMessage(id, 'Read'),
		ids: async () => (await sandbox.control.messages()).map(({ id }) => id),
		isNew: ({ status }) => status === 'Sent',
		isLast: ({ status }) => status === 'Read',
	},
	calls: {
		parameters: { watch: 'voiceCalls', callEvents: ['started', 'ended'] },
		path: '/voice/call-logs',
		add: async (count, everyMs) =>
			await sandbox.control.addCalls(count, { callStatus: 'initiated', everyMs }),
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
	const { parameters, path, add, move, ids, isNew, isLast } = kinds[kind];
	const template = kind === 'calls' ? { callStatus: 'initiated' } : {};

	async function emitted(steps: Step[], moved: Set<string>, seen: Set<string>) {
		const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
		expect(await workflow.publish()).toEqual([]);
		const items: IDataObject[] = [];
		const take = (polled: IDataObject[]) => {
			for (const item of polled) if (isNew(item)) seen.add(String(item.id));
			items.push(...polled);
		};
		for (const { added, everyMs, moved: count, meanwhile, isRestarted, failsAt } of steps) {
			// Only those that a poll has seen: of the others only the last status is in the list.
			for (const id of [...seen].slice(-count)) {
				await move(id);
				moved.add(id);
			}
			await add(added, everyMs);
			if (failsAt !== undefined) {
				const fault = { kind: 'status', path, status: 500, body: { error: 'Down' } } as const;
				await sandbox.control.addFault({ ...fault, skip: failsAt });
				const failed = await workflow.poll().catch((error: Error) => error);
				if (failed instanceof Error) expect(failed.message).toContain('Down');
				else take(failed);
				await sandbox.control.clearFaults();
			}
			await grow(sandbox.control, kind, meanwhile, template);
			take(isRestarted ? await workflow.restart() : await workflow.poll());
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
				fc.constantFrom('webhooks', 'array', 'data'),
				fc.integer({ min: 1, max: 6 }),
				fc.array(
					fc.record({
						kind: fc.constantFrom('remove', 'deactivate', 'add'),
						which: fc.nat(20),
						isPolled: fc.boolean(),
					}),
					{ maxLength: 12 },
				),
				async (webhookList, count, steps) => {
					await sandbox.control.reset();
					await sandbox.control.setAssumptions({ shortListOrder, webhookList });
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

async function published(parameters: INodeParameters): Promise<PolledWorkflow> {
	const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
	expect(await workflow.publish()).toEqual([]);
	return workflow;
}

/** Polls when nothing has happened, with one request. */
async function pollInVain(workflow: PolledWorkflow): Promise<void> {
	await sandbox.control.clearJournal();
	expect(await workflow.poll()).toEqual([]);
	expect(await sandbox.requests()).toHaveLength(1);
}

test.each(['nested', 'flat'] as const)('a balance that is answered %s', async (shape) => {
	await sandbox.control.setAssumptions({ balance: shape });
	const parameters = {
		watch: 'balance',
		resources: ['chatBalance', 'voiceMins'],
		warningThreshold: 100,
		criticalThreshold: 20,
	};
	const workflow = await published(parameters);
	await sandbox.control.setAccount({ chatBalance: 19 });
	expect(await workflow.poll()).toMatchObject([
		{ event: 'balance.low', resource: 'chatBalance', value: 19 },
		{ event: 'balance.critical', resource: 'chatBalance', value: 19 },
	]);
	await pollInVain(workflow);
	// Another threshold is no event by itself.
	const change = { parameters: { ...parameters, criticalThreshold: 10 } };
	expect(await workflow.republish(change)).toEqual([]);
	if (shape === 'nested') return;
	const none = { ...parameters, resources: ['balance'] };
	const { message } = await failureOf(workflow.republish({ parameters: none }));
	expect(message).toContain('without the money of the account');
});

describe('calls', () => {
	const callEvents = ['started', 'statusChanged', 'ended'];
	const calls = { watch: 'voiceCalls', callEvents };

	test('emit every step once, also one far back that is going on', async () => {
		const [id = ''] = await sandbox.control.addCalls(1, { callStatus: 'initiated' });
		await sandbox.control.addCalls(450);
		const workflow = await published(calls);
		await sandbox.control.updateCall(id, { callStatus: 'answered' });
		expect(await workflow.poll()).toMatchObject([
			{ event: 'statusChanged', id, callStatus: 'answered', previousStatus: 'initiated' },
		]);
		await sandbox.control.updateCall(id, { callStatus: 'success' });
		expect(await workflow.poll()).toMatchObject([
			{ event: 'statusChanged', id, callStatus: 'success', previousStatus: 'answered' },
			{ event: 'ended', id, callStatus: 'success' },
		]);
		await pollInVain(workflow);
	});

	test('that began and ended between two polls emit all of it', async () => {
		const workflow = await published(calls);
		const [id] = await sandbox.control.addCalls(1, { callStatus: 'no-answer' });
		expect(await workflow.poll()).toMatchObject(callEvents.map((event) => ({ event, id })));
	});

	test('are filtered by the service, and other filters start afresh', async () => {
		const started = { ...calls, callEvents: ['started'] };
		const workflow = await published({ ...started, filters: { search: '+91 987' } });
		await sandbox.control.addCalls(1, { to: '919876543210' });
		await sandbox.control.addCalls(1, { to: '14155550123', route: 'carrier_us1' });
		expect(await workflow.poll()).toMatchObject([{ phone: '+919876543210' }]);
		const parameters = { ...started, filters: { route: 'carrier_us1' } };
		expect(await workflow.republish({ parameters })).toEqual([]);
	});
});

test('a message never goes back, and a campaign of 10,000 is watched to its oldest', async () => {
	const workflow = await published({ watch: 'messages', statuses: ['Delivered', 'Failed'] });
	const ids = await sandbox.control.addMessages(10_000, { everyMs: 0 });
	expect(await workflow.poll()).toEqual([]);
	for (const id of [ids[0] ?? '', ids[9_999] ?? '']) {
		await sandbox.control.updateMessage(id, 'Delivered');
		expect(await workflow.poll()).toMatchObject([{ id, status: 'Delivered' }]);
		for (const status of ['Sent', 'Delivered'] as const) {
			await sandbox.control.updateMessage(id, status);
			expect(await workflow.poll()).toEqual([]);
		}
	}
	await pollInVain(workflow);
});

test('a trigger that is published with other events is no event, one that loses its webhook is', async () => {
	const trigger = new TriggerWorkflow({ credential: sandbox.credential() });
	await trigger.publish();
	const workflow = await published({ watch: 'webhooks' });
	await trigger.republish({ events: ['message.read'] });
	await pollInVain(workflow);
	const { webhookId: id } = trigger.stored;
	await sandbox.control.removeWebhook(String(id));
	expect(await workflow.poll()).toEqual([{ event: 'webhook.removed', id, url: trigger.url }]);
});
