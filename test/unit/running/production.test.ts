import type { WorkflowExecuteMode } from 'n8n-workflow';
import { FakeExecution, FakeNode } from '../../support/unit/fakeNode';
import { message, numberedPhones } from '../../support/unit/fakeOperations';
import { parameters } from '../../support/unit/sends';

type Fate = 'sent' | 'simulated' | 'rejected';

const notInProduction = parameters({ simulate: 'notInProduction' });

/** What becomes of an item where only production sends. */
async function fateIn(execution: Partial<FakeExecution>, simulate = 'notInProduction') {
	const node = new FakeNode();
	const [item = {}] = await node.json(message, {
		items: numberedPhones(1),
		parameters: parameters({ simulate }),
		execution: new FakeExecution(execution),
		continueOnFail: true,
	});
	expect(node.requests).toHaveLength(item.simulated === true || item.error ? 0 : 1);
	if (item.error) return 'rejected';
	return item.simulated === true ? 'simulated' : 'sent';
}

/** Where and how n8n can run a workflow in one of its modes. */
const places = {
	draft: (mode) => ({ mode, source: mode, active: false }),
	published: (mode) => ({ mode, source: mode }),
	// n8n shows its workers no workflow as published.
	worker: (mode) => ({ mode, source: mode, active: false, instanceType: 'worker' }),
	// Older versions don't show the kind of process.
	hidden: (mode) => ({ mode, source: mode, active: false, instanceType: undefined }),
	retry: (mode) => ({ mode: 'retry', source: mode, active: false }),
	retryInWorker: (mode) => ({
		mode: 'retry',
		source: mode,
		active: false,
		instanceType: 'worker',
	}),
	assistant: (mode) => ({ mode, source: mode, manualData: { source: 'instance_ai' } }),
	assistantInWorker: (mode) => ({
		...{ mode, source: mode, manualData: { source: 'instance_ai' } },
		...{ active: false, instanceType: 'worker' },
	}),
	retryOfAssistant: (mode) => ({
		...{ mode: 'retry', source: mode, manualData: { source: 'instance_ai' } },
		active: false,
	}),
} satisfies Record<string, (mode: WorkflowExecuteMode) => Partial<FakeExecution>>;

type Place = keyof typeof places;

const everywhere = (fate: Fate): Record<Place, Fate> => ({
	draft: fate,
	published: fate,
	worker: fate,
	hidden: fate,
	retry: fate,
	retryInWorker: fate,
	assistant: fate,
	assistantInWorker: fate,
	retryOfAssistant: fate,
});

/** Modes in which n8n itself runs only published workflows. */
const byTrigger: Record<Place, Fate> = {
	...everywhere('simulated'),
	...{ published: 'sent', worker: 'sent', hidden: 'sent', retry: 'sent', retryInWorker: 'sent' },
};

/** Modes that drafts can have as well. */
const byOthers: Record<Place, Fate> = { ...everywhere('simulated'), published: 'sent' };

/** The type checker requires each of n8n's modes, also those that a new version brings. */
const fates: Record<WorkflowExecuteMode, Record<Place, Fate>> = {
	agent: byOthers,
	chat: byOthers,
	cli: byOthers,
	error: byTrigger,
	evaluation: everywhere('simulated'),
	// In a sub-workflow, n8n does not show who started it.
	integrated: everywhere('rejected'),
	internal: byOthers,
	manual: everywhere('simulated'),
	// n8n has lost how the first attempt was started.
	retry: everywhere('rejected'),
	trigger: byTrigger,
	webhook: byTrigger,
};

const cases = Object.entries(fates).flatMap(([mode, all]) =>
	Object.entries(all).map(
		([place, fate]) => [mode as WorkflowExecuteMode, place as Place, fate] as const,
	),
);

test.each(cases)('Send in Production Only, mode %s, %s: %s', async (mode, place, fate) => {
	expect(await fateIn(places[place](mode))).toBe(fate);
});

test.each([
	['never', 'sent'],
	['always', 'simulated'],
	['now and then', 'rejected'],
])('%s is the same everywhere: %s', async (simulate, fate) => {
	// Without the execution's name, a retry can't look up what it sent.
	for (const [mode, place] of cases.filter(([one]) => one !== 'retry')) {
		expect(await fateIn(places[place](mode), simulate)).toBe(fate);
	}
});

const isSub = { mode: 'integrated', source: 'integrated' } as const;

test('in a sub-workflow, the message says what to do', async () => {
	const node = new FakeNode();
	const run = { items: numberedPhones(1), parameters: notInProduction };
	const execution = new FakeExecution(isSub);
	expect(await node.failure(message, { ...run, execution })).toMatchObject({
		message: expect.stringContaining('In a sub-workflow, Simulate cannot be'),
		description: expect.stringContaining('Send Always or Send Nothing'),
	});
});

describe('a retry goes on as the first attempt began', () => {
	const respond = ({ phone }: { phone?: unknown }) =>
		phone === '1' ? { error: 'Out of order' } : { id: phone };
	const run = { items: numberedPhones(3), parameters: notInProduction };

	test.each<WorkflowExecuteMode>(['cli', 'chat', 'agent', 'internal', 'webhook'])(
		'in production, started as %s',
		async (mode) => {
			const execution = new FakeExecution({ mode, source: mode });
			const node = new FakeNode({ respond });
			await node.failure(message, { ...run, execution });
			const mended = new FakeNode({ entries: node.entries });
			await mended.json(message, { ...run, execution: retried(execution) });
			expect([...node.sent, ...mended.sent].map(({ phone }) => phone).sort()).toEqual(
				expect.arrayContaining(['0', '1', '2']),
			);
		},
	);

	test('as a test, even if only published workflows usually start so', async () => {
		const execution = new FakeExecution({ mode: 'webhook', source: 'webhook', active: false });
		const node = new FakeNode();
		expect(await node.json(message, { ...run, execution })).toMatchObject(
			Array(3).fill({ simulated: true }),
		);
		await node.json(message, { ...run, execution: retried(execution) });
		expect(node.requests).toEqual([]);
	});

	/** n8n shows a retry's workflow as not published. */
	const retried = (execution: FakeExecution) =>
		Object.assign(execution.retried(), { active: false });
});
