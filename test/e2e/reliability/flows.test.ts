import { connect, loopOver } from '../../../harness';
import { playRows, type Row } from '../../support/reliability/rows';
import { phones, recipientsNode, useStage } from '../../support/reliability/stage';

const stage = useStage();

const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
const varying = '$now.toMillis()';

const reject = { does: 'reject' } as const;

const rows: Row[] = [
	{
		what: 'a loop of five rounds, one item of the third rejected, then Retry, $now',
		runs: [0, 10, 20, 30, 40].map((first) => phones(10, first)),
		play: async ({ send }) => {
			stage.service.script(phones(1, 25)[0] ?? '', reject);
			const id = await stage.manual(
				[recipientsNode(phones(50)), loopOver(10), send({ varying })],
				[
					connect(['Start', 'Recipients', 'Loop']),
					connect(['Loop', 'Send'], 1),
					connect(['Send', 'Loop']),
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
			const { n8n, service } = stage;
			const options = { batching: { batch: { batchSize: 20, batchInterval: 0 } } };
			const { start } = await stage.production([recipientsNode(phones(100)), send({ options })]);
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
			const { n8n, service } = stage;
			service.script(phones(1, 7)[0] ?? '', reject, reject);
			const sender = send({ own: { idempotencyKey: '={{ $json.order }}' }, varying });
			const { id: called, call } = await stage.subWorkflow([sender]);
			await n8n.run(await stage.manual([recipientsNode(phones(10)), { ...call, ...retrying }]));
			const executions = await n8n.waitForExecutions(called, 3);
			await n8n.unpublish(called);
			const last = executions.at(-1);
			if (!last) throw new Error('The sub-workflow did not run');
			return last;
		},
		expected: { arrived: 10 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
	},
];

playRows('flows', rows, () => stage);
