import { code, connect, loopOver, type Execution } from '../../../harness';
import { sender, toldBy } from '../../support/reliability/ledger';
import { playRows, type Outcome, type Play, type Row } from '../../support/reliability/rows';
import {
	phones,
	recipientsNode,
	useStage,
	type Act,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(50);
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** What differs at every evaluation. */
const varying = '$now.toMillis()';

/** Runs a workflow that sends to all recipients, some of which the service treats otherwise, by their index. */
async function run(
	{ send }: Play,
	acts: Record<number, Act[]>,
	settings: SendSettings = {},
): Promise<{ id: string; first: Execution }> {
	for (const [index, all] of Object.entries(acts)) {
		await stage.script(recipients[Number(index)] ?? '', ...all);
	}
	const id = await stage.manual([recipientsNode(recipients), send(settings)]);
	return { id, first: await stage.n8n.run(id) };
}

/** All was sent in the end, and the last execution returns the service's first response to each item. */
function expectAll({ execution, arrivals }: Outcome): void {
	expect(execution.status).toBe('success');
	const idOf = new Map(arrivals.map(({ recipient, id }) => [recipient, id]));
	const told = execution.json(sender).map(({ providerMessageId }) => providerMessageId);
	expect(told).toEqual(recipients.map((recipient) => idOf.get(recipient)));
}

const runs = [recipients];

const rows: Row[] = [
	{
		what: 'Retry On Fail, a parameter with $now',
		runs,
		play: async (play) => (await run(play, { 20: ['reject'] }, { extra: retrying, varying })).first,
		expected: { arrived: 50 },
		check: expectAll,
	},
	{
		what: 'three retries of the same failed execution, with the original and the current workflow in turn, then a Retry of the second retry',
		runs,
		play: async (play) => {
			const { n8n } = stage;
			const { first } = await run(play, { 20: ['reject', 'reject'], 40: ['reject'] });
			await n8n.retry(first.id, true);
			const second = await n8n.retry(first.id);
			await n8n.retry(second.id);
			return await n8n.retry(first.id, true);
		},
		expected: { arrived: 50 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
		// Its first retry has sent everything a second time and leaves nothing to retry.
		hasPeer: false,
	},
	{
		what: 'Retry pressed twice at the same moment',
		runs,
		play: async (play) => {
			const { n8n } = stage;
			const { first } = await run(play, { 20: ['reject'] });
			await stage.slow(50);
			const [last] = await Promise.all([n8n.retry(first.id), n8n.retry(first.id)]);
			return last;
		},
		// What the other retry has in flight at that moment is unknown to this one.
		expected: ({ twice, missing, arrived }) => {
			expect({ twice, missing, arrived }).toEqual({ twice: 0, missing: 0, arrived: 50 });
		},
	},
	{
		what: 'a loop of five rounds, one item of the third rejected, then Retry, $now',
		runs: [0, 10, 20, 30, 40].map((first) => phones(10, first)),
		play: async ({ send }) => {
			await stage.script(recipients[25] ?? '', 'reject');
			const id = await stage.manual(
				[recipientsNode(recipients), loopOver(10), send({ varying })],
				[
					connect(['Start', 'Recipients', 'Loop']),
					connect(['Loop', sender], 1),
					connect([sender, 'Loop']),
				],
			);
			return await stage.n8n.retry((await stage.n8n.run(id)).id);
		},
		expected: { arrived: 50 },
	},
	{
		what: 'stopped by the user with 20 sends in flight, and Retry at once',
		runs: [phones(100)],
		hasPeer: false,
		play: async ({ send }) => {
			const { n8n } = stage;
			const options = { batching: { batch: { batchSize: 20, batchInterval: 0 } } };
			const { start } = await stage.production([recipientsNode(phones(100)), send({ options })]);
			await stage.slow(1_500);
			const id = await start();
			await stage.waitForArrivals(40);
			expect((await n8n.stopExecution(id)).status).toBe('canceled');
			await stage.sandbox.control.clearFaults();
			return await n8n.retry(id);
		},
		expected: { arrived: 100 },
	},
	{
		what: 'a sub-workflow whose caller has Retry On Fail, one of 10 items rejected twice (with a key)',
		runs: [phones(10)],
		play: async ({ send }) => {
			const { n8n } = stage;
			await stage.script(recipients[7] ?? '', 'reject', 'reject');
			const keyed = send({ own: { idempotencyKey: '={{ $json.order }}' }, varying });
			const { id: called, call } = await stage.subWorkflow([keyed]);
			await n8n.run(await stage.manual([recipientsNode(phones(10)), { ...call, ...retrying }]));
			const executions = await n8n.waitForExecutions(called, 3);
			return executions[2] as Execution;
		},
		expected: { arrived: 10 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
	},
];

playRows('retries', rows, () => stage);

const told = (execution: Execution, name = sender) => execution.json(name).map(toldBy);

// How keys are recognized in one node is tested in test/unit/sending.
test('keys are those of one node of one workflow, whatever it is called', async () => {
	const { n8n, ours, manual } = stage;
	const send = ours({ own: { idempotencyKey: '={{ $json.order }}' } });
	// Again runs once for all items, so that the second node gets the same five.
	const nodes = [
		recipientsNode(phones(5)),
		send,
		recipientsNode(phones(5), 'Again'),
		{ ...send, id: 'second', name: 'Second' },
	];
	const [id, other] = [await manual(nodes), await manual(nodes)];
	for (const workflow of [id, other]) {
		const execution = await n8n.run(workflow);
		expect([...told(execution), ...told(execution, 'Second')]).toEqual(Array(10).fill('sent'));
	}
	const saved = await n8n.getWorkflow(id);
	const renamed = saved.nodes.map((one) => ({ ...one, name: one.name.replace('Second', 'Other') }));
	await n8n.updateWorkflow(id, { nodes: renamed, connections: connect(renamed) });
	expect(told(await n8n.run(id), 'Other')).toEqual(Array(5).fill('alreadySent'));
	expect(await stage.arrivals()).toHaveLength(20);
});

test('a node behind two branches sends one item for the second one in a retry, though it is the same', async () => {
	const { n8n, ours, manual } = stage;
	// n8n runs the upper branch first.
	const log = {
		...code('throw new Error("No log");', 'Log'),
		position: [0, 300] as [number, number],
	};
	const id = await manual(
		[recipientsNode(phones(1)), ours(), log],
		[connect(['Start', 'Recipients', sender]), connect(['Recipients', 'Log', sender])],
	);
	const failed = await n8n.run(id);
	expect(await stage.arrivals()).toHaveLength(1);
	await stage.replace(id, { ...log, parameters: { jsCode: 'return $input.all();' } });
	expect(told(await n8n.retry(failed.id, true))).toEqual(Array(2).fill('sent'));
	expect(await stage.arrivals()).toHaveLength(2);
});

// Only n8n knows whether a run was begun by hand.
test('a run by hand and its retry are simulated where production is not', async () => {
	const { n8n, ours } = stage;
	const send = ours({ own: { simulate: 'notInProduction' } });
	const id = await stage.manual([recipientsNode(['0170', ...phones(2)]), send]);
	const failed = await n8n.run(id);
	expect(failed.status).toBe('error');
	await stage.replace(id, recipientsNode(phones(3)));
	expect(told(await n8n.run(id))).toEqual(Array(3).fill('simulated'));
	await stage.replace(id, { ...send, parameters: { ...send.parameters, phone: phones(1)[0] } });
	expect(told(await n8n.retry(failed.id, true))).toEqual(Array(3).fill('simulated'));
	expect(await stage.sandbox.control.journal({ method: 'POST' })).toEqual([]);

	const { start } = await stage.production([recipientsNode(phones(3)), send]);
	expect(told(await n8n.waitForExecution(await start()))).toEqual(Array(3).fill('sent'));
});
