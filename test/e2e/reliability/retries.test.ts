import { playRows, type Row } from '../../support/reliability/rows';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

// What is kept for a retry is tested in test/unit/sending and test/integration/histories.test.ts; here n8n
// itself keeps it, stops executions and calls sub-workflows.
const stage = useStage();

const reject = { does: 'reject' } as const;
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** What differs at every evaluation. */
const varying = '$now.toMillis()';

/** The service rejects the first requests for a recipient. */
const rejectAt = (index: number, times = 1) =>
	stage.service.script(phones(1, index)[0] ?? '', ...Array<typeof reject>(times).fill(reject));

const rows: Row[] = [
	{
		what: 'Retry On Fail, a parameter with $now',
		runs: [phones(50)],
		play: async ({ send }) => {
			rejectAt(20);
			const nodes = [recipientsNode(phones(50)), send({ extra: retrying, varying })];
			return await stage.n8n.run(await stage.manual(nodes));
		},
		expected: { arrived: 50 },
		// The last execution gives the service's first answer to each item.
		check: ({ execution, arrivals }) => {
			expect(execution.status).toBe('success');
			const idOf = new Map(arrivals.map(({ recipient, id }) => [recipient, id]));
			expect(execution.json(sender).map(({ providerMessageId }) => providerMessageId)).toEqual(
				phones(50).map((recipient) => idOf.get(recipient)),
			);
		},
		hasPeer: true,
	},
	{
		what: 'three retries of the same failed execution, with the original and the current workflow in turn, $now',
		runs: [phones(50)],
		play: async ({ send }) => {
			const { n8n, manual } = stage;
			rejectAt(20, 2);
			rejectAt(40);
			const first = await n8n.run(await manual([recipientsNode(phones(50)), send({ varying })]));
			await n8n.retry(first.id, { isCurrent: true });
			await n8n.retry(first.id);
			return await n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
		hasPeer: true,
	},
	{
		what: 'stopped by the user with 20 sends in flight, and Retry at once, $now',
		runs: [phones(100)],
		play: async ({ send }) => {
			const { n8n, service } = stage;
			const options = { batching: { batch: { batchSize: 20, batchInterval: 0 } } };
			const nodes = [recipientsNode(phones(100)), send({ varying, options })];
			const { start } = await stage.production(nodes);
			service.delayMs = 3_000;
			const id = await start();
			await service.acted(40);
			expect((await n8n.stopExecution(id)).status).toBe('canceled');
			service.delayMs = 0;
			return await n8n.retry(id);
		},
		expected: { arrived: 100 },
	},
	{
		what: 'a sub-workflow whose caller has Retry On Fail, one of 10 items rejected twice (with a key)',
		runs: [phones(10)],
		play: async ({ send }) => {
			const { n8n } = stage;
			rejectAt(7, 2);
			const keyed = send({ own: { idempotencyKey: '={{ $json.order }}' }, varying });
			const { id: called, call } = await stage.subWorkflow([keyed]);
			await n8n.run(await stage.manual([recipientsNode(phones(10)), { ...call, ...retrying }]));
			const executions = await n8n.waitForExecutions(called, 3);
			await n8n.unpublish(called);
			const last = executions.at(-1);
			if (!last) throw new Error('The sub-workflow did not run');
			return last;
		},
		expected: { arrived: 10 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
		hasPeer: true,
	},
];

playRows('retries', rows, () => stage);

test('a node stops before the time limit of its workflow, and retries send the rest', async () => {
	const { n8n, service } = stage;
	const send = stage.ours({ options: { batching: { batch: { batchSize: 2 } } } });
	const settings = { executionTimeout: 10 };
	const { start } = await stage.production([recipientsNode(phones(100)), send], { settings });
	service.delayMs = 100;
	let execution = await n8n.waitForExecution(await start());
	expect(execution.error?.message).toBe(
		'The time limit of the workflow leaves no time to send this',
	);
	expect(execution.error?.description).toMatch(/Press Retry in the list of executions/);
	expect(service.arrivals.length).toBeGreaterThan(0);
	expect(service.arrivals.length).toBeLessThan(100);
	for (let tries = 0; execution.status === 'error' && tries < 30; tries++) {
		execution = await n8n.retry(execution.id);
	}
	expect(execution.status).toBe('success');
	expect(new Set(service.arrivals.map(({ recipient }) => recipient)).size).toBe(100);
	expect(service.arrivals).toHaveLength(100);
});
