import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import {
	code,
	connect,
	loopOver,
	messagingServiceTool,
	node,
	waitFor,
	type Execution,
} from '../../../harness';
import { agentWorkflow, useScriptedModel } from '../../support/ai/scriptedModel';
import {
	CrashingN8n,
	expectRecovered,
	retryCrashed,
	settings,
	type CrashPlay,
	type CrashRow,
} from '../../support/reliability/crashing';
import { sender } from '../../support/reliability/ledger';
import { testRows, type Outcome } from '../../support/reliability/rows';
import { recipientsNode, template } from '../../support/reliability/stage';
import { webhookCall } from '../../support/webhookCall';

let crashing: CrashingN8n;
beforeAll(async () => (crashing = await CrashingN8n.open()));
const model = useScriptedModel(() => crashing.n8n);

/** What is started, and when n8n is killed. */
interface Course {
	/** What leads to the sender, and the sender: by default, all recipients at once. */
	nodes?: INode[];
	connections?: IConnections[];
	settings?: IDataObject;
	/** Up to the request that gets no response any more: by default, a third of the recipients'. */
	at?: number;
	/** Its path below the service root, if not one of a send. */
	path?: string;
}

const third = ({ recipients }: CrashPlay): number => Math.floor(recipients.length / 3);

/** Lets the requests of one history wait for n8n's end; its phone numbers start alike. */
const hold = async ({ stage, recipients }: CrashPlay, at: number) =>
	await stage.hold({ bodyContains: recipients[0]?.slice(0, 9), skip: at - 1 });

/** Starts a workflow that sends to all recipients, up to the moment at which n8n is killed. */
async function sendUntil(
	play: CrashPlay,
	{ at = third(play), path, ...course }: Course = {},
): Promise<{ executionId: string }> {
	const { stage, recipients } = play;
	const { nodes = [recipientsNode(recipients), play.send(settings)], ...rest } = course;
	const sending = await stage.production(nodes, rest);
	const reached = await (path ? stage.hold({ path }) : hold(play, at));
	const executionId = await sending.start();
	await reached();
	return { executionId };
}

/** A history of one crash and a Retry. */
const killedOnce = (
	courseOf: (play: CrashPlay) => Course = () => ({}),
): Pick<CrashRow, 'play'> => ({
	async *play(play) {
		const { executionId } = await sendUntil(play, courseOf(play));
		yield;
		return await retryCrashed(play, executionId);
	},
});

/** What is unknown is reported with what the service's list shows for that number since then. */
function expectCandidates({ execution, arrivals, runs: [recipients = []] }: Outcome): void {
	const idOf = new Map(arrivals.map(({ recipient, id }) => [recipient, id]));
	for (const { json, pairedItem } of execution.output(sender)) {
		const details = json.details as IDataObject | undefined;
		if (details?.outcome !== 'unknown') continue;
		const candidates = (details.candidates ?? []) as IDataObject[];
		const id = idOf.get(recipients[(pairedItem as { item: number }).item] ?? '');
		expect(candidates.map(({ providerMessageId }) => providerMessageId)).toEqual(id ? [id] : []);
	}
}

/** What a node that comes later requests, by a path that belongs to this history alone. */
const laterPath = ({ recipients: [name = ''] }: CrashPlay): string => `/after/${name}`;
const later = (play: CrashPlay): INode => play.stage.other(laterPath(play));

/** All recipients, and a node behind the sender, where n8n is killed. */
const killedLater = (play: CrashPlay): Course => ({
	nodes: [recipientsNode(play.recipients), play.send(settings), later(play)],
	path: laterPath(play),
});

/** A loop over the recipients through these nodes. */
const looping = (...through: string[]): IConnections[] => [
	connect(['Call', 'Recipients', 'Loop']),
	connect(['Loop', through[0] ?? ''], 1),
	connect([...through, 'Loop']),
];

const rows: CrashRow[] = [
	{
		what: 'kill -9 of n8n after 100 of 300, then Retry',
		...killedOnce(),
		expected: expectRecovered,
		check: expectCandidates,
		hasPeer: true,
	},
	{
		what: 'kill -9 of n8n after 30 of 90 with Save Execution Progress on, n8n shut down after 30 more in the retry, then Retry of the retry',
		items: 90,
		async *play(play) {
			const own = { settings: { saveExecutionProgress: true } };
			const { executionId: first } = await sendUntil(play, own);
			yield;
			const reached = await hold(play, third(play));
			const second = await play.n8n.startRetry(first);
			await reached();
			yield;
			return await retryCrashed(play, second);
		},
		expected: (counts) => expectRecovered(counts, 20),
	},
	{
		what: 'kill -9 in a later node of the same execution, then two retries',
		async *play(play) {
			const { executionId } = await sendUntil(play, killedLater(play));
			yield;
			await retryCrashed(play, executionId);
			return await retryCrashed(play, executionId, true);
		},
		expected: { arrived: 300 },
		hasPeer: true,
	},
	{
		what: 'a later node fails, kill -9 in the Retry of that, then Retry of the Retry',
		items: 90,
		async *play(play) {
			const { n8n, stage } = play;
			await stage.sandbox.control.addFault({ kind: 'cut', path: laterPath(play) });
			const { start } = await stage.production(killedLater(play).nodes ?? []);
			const first = await start();
			await n8n.waitForExecution(first);
			const reached = await stage.hold({ path: laterPath(play) });
			const second = await n8n.startRetry(first);
			await reached();
			yield;
			return await retryCrashed(play, second);
		},
		expected: { arrived: 90 },
	},
	{
		what: 'kill -9 in the second round of a loop of three, then Retry',
		runs: (recipients) => [0, 100, 200].map((start) => recipients.slice(start, start + 100)),
		...killedOnce(({ recipients, send }) => ({
			nodes: [recipientsNode(recipients), loopOver(100), send(settings)],
			connections: looping(sender),
			at: 150,
		})),
		expected: expectRecovered,
		hasPeer: true,
	},
	{
		what: 'a loop of two rounds with a Wait and a new text in each, kill -9 in a node after the second round, then Retry',
		items: 4,
		runs: (recipients) => [recipients.slice(0, 2), recipients.slice(2)],
		async *play(play) {
			const { n8n, stage, recipients } = play;
			const url = code('return [{ json: { url: $execution.resumeUrl } }];', 'Url');
			const wait = node('Wait', 'n8n-nodes-base.wait', { resume: 'webhook' }, { typeVersion: 1.1 });
			// n8n goes on with the call that ended the waiting.
			const stamp = code(
				"return $('Loop').all(1).map(({ json }) => ({ json: { ...json, at: Date.now() } }));",
				'Stamp',
			);
			const send = play.send({ ...settings, varying: '$json.at' });
			const nodes = [url, recipientsNode(recipients), loopOver(2), wait, stamp, send, later(play)];
			const { start } = await stage.production(nodes, {
				connections: [
					connect(['Call', 'Url', 'Recipients', 'Loop']),
					...looping('Wait', 'Stamp', sender, 'Other').slice(1),
				],
			});
			const executionId = await start();
			const untilWaiting = async () => await n8n.waitForExecution(executionId, 'waiting');
			// Otherwise a later request may use a connection that n8n has closed with its process.
			const headers = { connection: 'close' };
			const goOn = async (waiting: Execution) =>
				await fetch(String(waiting.json('Url')[0]?.url), { headers });
			await goOn(await untilWaiting());
			const isSent = async () =>
				(await stage.arrivals()).some(({ recipient }) => recipient === recipients[1]);
			await waitFor('the first round', isSent);
			const waiting = await untilWaiting();
			const reached = await stage.hold({ path: laterPath(play) });
			await goOn(waiting);
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		// n8n goes on from what it kept at the wait, with other texts: nothing shows what the second round sent.
		expected: { arrived: 4, unknown: 2 },
	},
	{
		what: 'a sub-workflow: kill -9 of n8n after 30 of 90, then Retry of its own execution',
		items: 90,
		async *play(play) {
			const { n8n, stage, recipients } = play;
			const { id, call } = await stage.subWorkflow([play.send(settings)]);
			await sendUntil(play, { nodes: [recipientsNode(recipients), call] });
			const executionId = await n8n.newestExecution(id);
			yield;
			return await retryCrashed(play, executionId);
		},
		// n8n has lost which call of the sub-workflow it was.
		expected: ({ twice, missing }) => expect({ twice, missing }).toEqual({ twice: 0, missing: 0 }),
	},
	{
		what: 'an AI agent has called the tool twice, kill -9 in a later node, then Retry',
		items: 2,
		runs: (recipients) => recipients.map((recipient) => [recipient]),
		async *play(play) {
			const { n8n, stage, recipients } = play;
			model.calls = recipients.map((phone) => ({ phone }));
			const tool = messagingServiceTool(
				{ ...template, phone: "={{ $fromAI('phone', '', 'string') }}" },
				stage.account.own,
				{ name: sender },
			);
			const call = webhookCall();
			const workflow = agentWorkflow(model, [tool], [call.node], [later(play)]);
			const id = await n8n.createPublished({ name: 'Agent that is killed', ...workflow });
			const reached = await stage.hold({ path: laterPath(play) });
			await call.send(n8n.url);
			const executionId = await n8n.newestExecution(id);
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: { arrived: 2 },
		check: ({ execution }) => expect(execution.status).toBe('success'),
	},
];

// All histories are played before the first test.
beforeAll(async () => await crashing.play(rows));
afterAll(async () => await crashing.close());

testRows('crashes', rows, async (row, player) => await crashing.played(row, player));
