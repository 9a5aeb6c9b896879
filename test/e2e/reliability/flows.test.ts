import type { INode } from 'n8n-workflow';
import { connect, node, type Execution } from '../../../harness';
import { playRows, type Play, type Row } from '../../support/reliability/rows';
import {
	phones,
	recipientsNode,
	useStage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(50);
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
const varying = '$now.toMillis()';

/** A loop that hands over some items in each round. */
const loopOver = (batchSize: number): INode =>
	node('Loop', 'n8n-nodes-base.splitInBatches', { batchSize, options: {} }, { typeVersion: 3 });

/** Runs a workflow that sends in rounds. */
async function runLoop(
	{ send }: Play,
	{ settings = {}, all = recipients, batchSize = 10 }: LoopOptions = {},
): Promise<Execution> {
	const [loop, sender] = [loopOver(batchSize), send(settings)];
	const id = await stage.manual(
		[recipientsNode(all), loop, sender],
		[connect(['Start', 'Recipients', 'Loop']), connect([loop, sender], 1), connect([sender, loop])],
	);
	return await stage.n8n.run(id);
}

interface LoopOptions {
	settings?: SendSettings;
	all?: string[];
	batchSize?: number;
}

const rounds = [0, 10, 20, 30, 40].map((first) => phones(10, first));

/** The service rejects the request for one recipient once. */
const rejectOnce = (index: number) => stage.service.script(phones(1, index)[0] ?? '', reject);
const reject = { does: 'reject' } as const;

const rows: Row[] = [
	{
		what: 'a loop of five rounds, one item of the third rejected, then Retry, $now',
		runs: rounds,
		play: async (play) => {
			rejectOnce(25);
			const failed = await runLoop(play, { settings: { varying } });
			return await stage.n8n.retry(failed.id);
		},
		expected: { arrived: 50 },
	},
	{
		what: 'stopped by the user with 20 sends in flight, and Retry at once, $now',
		runs: [phones(100)],
		hasPeer: false,
		play: async ({ send }) => {
			const { n8n, service } = stage;
			const options = { batching: { batch: { batchSize: 20, batchInterval: 0 } } };
			const { start } = await stage.production([
				recipientsNode(phones(100)),
				send({ varying, options }),
			]);
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

playRows(
	'flows',
	rows.map((row) => ({ hasPeer: true, ...row })),
	() => stage,
);
