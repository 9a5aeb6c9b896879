import type { INode } from 'n8n-workflow';
import { connect, node, noOp, pause, type Execution } from '../../../harness';
import { playRows, type Play, type Row } from '../../support/reliability/rows';
import {
	phones,
	recipientsNode,
	sender,
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

/** Runs a workflow in which two nodes feed the sender, one after the other. */
async function runTwoInputs({ send }: Play, settings: SendSettings): Promise<Execution> {
	const id = await stage.manual(
		[recipientsNode(phones(25, 25), 'One'), recipientsNode(phones(25), 'Another'), send(settings)],
		// n8n begins with the last of nodes that stand in the same place.
		[connect(['Start', 'One', sender]), connect(['Start', 'Another', sender])],
	);
	return await stage.n8n.run(id);
}

const twoRuns = [phones(25), phones(25, 25)];

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
		what: 'two nodes feed the sender, one item of its second run rejected, then two retries, $now',
		runs: twoRuns,
		play: async (play) => {
			rejectOnce(40);
			rejectOnce(45);
			const failed = await runTwoInputs(play, { varying });
			await stage.n8n.retry(failed.id);
			return await stage.n8n.retry(failed.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
	},
	{
		what: 'everything is sent, a later node fails, then Retry',
		runs: [recipients],
		play: async ({ send }) => {
			const broken = node('Broken', 'n8n-nodes-base.stopAndError', { errorMessage: 'Broken' });
			const id = await stage.manual([recipientsNode(recipients), send({ varying }), broken]);
			const failed = await stage.n8n.run(id);
			await stage.replace(id, noOp('Broken'));
			return await stage.n8n.retry(failed.id, { isCurrent: true });
		},
		expected: { arrived: 50 },
	},
	{
		what: 'stopped by the user after 100 of 300, then Retry, $now',
		runs: [phones(300)],
		play: async ({ send }) => {
			const { n8n, service } = stage;
			const options = { batching: { batch: { batchSize: 5, batchInterval: 20 } } };
			const { start } = await stage.production([
				recipientsNode(phones(300)),
				send({ varying, options }),
			]);
			service.delayMs = 40;
			const id = await start();
			await service.acted(100);
			expect((await n8n.stopExecution(id)).status).toBe('canceled');
			// What is in flight ends.
			await pause(1_000);
			service.delayMs = 0;
			// n8n runs it to its end and then calls it canceled once more.
			return await n8n.retry(id);
		},
		expected: { arrived: 300 },
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
			const trigger = node(
				'Called',
				'n8n-nodes-base.executeWorkflowTrigger',
				{ inputSource: 'passthrough' },
				{ typeVersion: 1.1 },
			);
			const sender = send({ own: { idempotencyKey: '={{ $json.order }}' }, varying });
			const called = await n8n.createWorkflow({
				name: 'Reliability, called',
				nodes: [trigger, sender],
				connections: connect([trigger, sender]),
			});
			await n8n.publish(called);
			const call = node(
				'Call',
				'n8n-nodes-base.executeWorkflow',
				{ workflowId: { __rl: true, mode: 'id', value: called }, mode: 'once', options: {} },
				{ typeVersion: 1.2, ...retrying },
			);
			await n8n.run(await stage.manual([recipientsNode(phones(10)), call]));
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

test('a loop without an end is stopped by Max Sends', async () => {
	const send = stage.ours({ own: { maxSends: 3 } });
	const [phone] = phones(1);
	const again = { ...send, parameters: { ...send.parameters, phone } };
	const id = await stage.manual([again], [connect(['Start', sender]), connect([sender, sender])]);
	const execution = await stage.n8n.run(id);
	expect(execution.error?.message).toContain('Max Sends allows 3 in one execution');
	expect(stage.service.arrivals).toHaveLength(3);
});
