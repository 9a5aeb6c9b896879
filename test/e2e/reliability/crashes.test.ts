import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	code,
	connect,
	longPatienceMs,
	loopOver,
	messagingService,
	messagingServiceTool,
	node,
	waitFor,
	type Execution,
} from '../../../harness';
import {
	agentWorkflow,
	startScriptedModel,
	type ScriptedModel,
} from '../../support/ai/scriptedModel';
import {
	CrashingN8n,
	expectRecovered,
	keyed,
	mostUnknown,
	retryCrashed,
	settings,
	type CrashPlay,
	type CrashRow,
} from '../../support/reliability/crashing';
import type { Counts } from '../../support/reliability/ledger';
import { tellRows, type Outcome } from '../../support/reliability/rows';
import { recipientsNode, sender } from '../../support/reliability/stage';
import { webhookCall } from '../../support/webhookCall';

const what = 'kill -9 of n8n after 100 of 300';

/** The same with fewer items, where their number is not the point. */
const few = { what: 'kill -9 of n8n after 40 of 100', items: 100 };

const underWay = ({ recipients }: CrashPlay): number => Math.min(100, recipients.length * 0.4);

let crashing: CrashingN8n;
let model: ScriptedModel;

/** When n8n is killed, what is started, and how. */
interface Course {
	/** What leads to the sender, and the sender: by default, all recipients at once. */
	nodes?: INode[];
	connections?: IConnections[];
	settings?: IDataObject;
	/** After so many requests for recipients, or where a node behind the sender asks for something. */
	at?: number | 'later';
	/** Whether all that has come waits for n8n's end. */
	isFirm?: boolean;
}

/** Starts a workflow that sends to all recipients, up to the moment at which n8n is killed. */
async function sendUntil(
	play: CrashPlay,
	{ at = underWay(play), isFirm = at === 'later', ...course }: Course = {},
): Promise<Sending> {
	const { stage, recipients } = play;
	const { nodes = [recipientsNode(recipients), play.send(settings)], ...rest } = course;
	const all = at === 'later' && !rest.connections ? [...nodes, later(play)] : nodes;
	const sending = await stage.production(all, rest);
	const reached =
		at === 'later'
			? stage.service.hold([laterName(play)], 1, isFirm)
			: stage.service.hold(recipients, at, isFirm);
	const executionId = await sending.start();
	await reached();
	return { executionId, ...sending };
}

interface Sending {
	executionId: string;
	id: string;
	start(): Promise<string>;
}

/** A history of one crash and a Retry. */
const killedOnce = (course: (play: CrashPlay) => Course = () => ({})): Pick<CrashRow, 'play'> => ({
	async *play(play) {
		const { executionId } = await sendUntil(play, course(play));
		yield;
		return await retryCrashed(play, executionId);
	},
});

/** What is unknown is told with what the service's list shows for that number since then. */
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

/** What a node that comes later asks for, by a name that belongs to this history alone. */
const laterName = ({ recipients: [name = ''] }: CrashPlay): string => `after-${name}`;
const later = (play: CrashPlay): INode => play.stage.other(laterName(play));

/** A loop over the recipients through these nodes. */
const looping = (...through: string[]): IConnections[] => [
	connect(['Call', 'Recipients', 'Loop']),
	connect(['Loop', through[0] ?? ''], 1),
	connect([...through, 'Loop']),
];

/** Else a later request may take a connection that n8n has closed with its process. */
const closing = { headers: { connection: 'close' } };

const rows: CrashRow[] = [
	{
		what: `${what}, then Retry`,
		...killedOnce(),
		expected: expectRecovered,
		check: expectCandidates,
		hasPeer: true,
	},
	{
		...few,
		what: `${few.what}, the retry killed after 40 more, then Retry of the retry`,
		async *play(play) {
			const { executionId: first } = await sendUntil(play);
			yield;
			const reached = play.stage.service.hold(play.recipients, underWay(play));
			const second = await play.n8n.startRetry(first);
			await reached();
			yield;
			return await retryCrashed(play, second);
		},
		expected: (counts) => expectRecovered(counts, 2 * mostUnknown),
	},
	{
		...few,
		what: `${few.what}, Save Execution Progress on, then Retry`,
		...killedOnce(() => ({ settings: { saveExecutionProgress: true } })),
		expected: expectRecovered,
	},
	{
		...few,
		what: `${few.what}, then a new execution (with keys)`,
		async *play(play) {
			const nodes = [recipientsNode(play.recipients), play.send(keyed)];
			const { start } = await sendUntil(play, { nodes });
			yield;
			return await play.n8n.waitForExecution(await start(), longPatienceMs);
		},
		expected: expectRecovered,
	},
	{
		what: 'kill -9 in a later node of the same execution, then two retries',
		async *play(play) {
			const { executionId } = await sendUntil(play, { at: 'later' });
			yield;
			await retryCrashed(play, executionId);
			return await retryCrashed(play, executionId, true);
		},
		expected: { arrived: 300 },
		hasPeer: true,
	},
	{
		...few,
		what: 'a later node fails, kill -9 in the Retry of that, then Retry of the Retry',
		async *play(play) {
			const { n8n, stage, recipients } = play;
			stage.service.script(laterName(play), { does: 'reject' });
			const nodes = [recipientsNode(recipients), play.send(settings), later(play)];
			const { start } = await stage.production(nodes);
			const first = await start();
			await n8n.waitForExecution(first, longPatienceMs);
			const reached = stage.service.hold([laterName(play)], 1, true);
			const second = await n8n.startRetry(first);
			await reached();
			yield;
			return await retryCrashed(play, second);
		},
		expected: { arrived: 100 },
	},
	{
		what: 'kill -9 in the second round of a loop of three, then Retry',
		runs: (recipients) => [0, 100, 200].map((start) => recipients.slice(start, start + 100)),
		...killedOnce(({ recipients, send }) => ({
			nodes: [recipientsNode(recipients), loopOver(100), send(settings)],
			connections: looping('Send'),
			at: 150,
		})),
		expected: expectRecovered,
		hasPeer: true,
	},
	{
		what: 'a loop of two rounds with a Wait and a new text in each, kill -9 in a node behind the second, then Retry',
		items: 4,
		runs: (recipients) => [recipients.slice(0, 2), recipients.slice(2)],
		async *play(play) {
			const { n8n, stage, recipients } = play;
			const list = code(
				`return ${JSON.stringify(recipients)}.map((phone) => ({ json: { phone, url: $execution.resumeUrl } }));`,
				'Recipients',
			);
			const wait = node('Wait', 'n8n-nodes-base.wait', { resume: 'webhook' }, { typeVersion: 1.1 });
			// n8n goes on with the call that ended the waiting.
			const stamp = code(
				"return $('Loop').all(1).map(({ json }) => ({ json: { ...json, at: Date.now() } }));",
				'Stamp',
			);
			const send = play.send({ ...settings, varying: '$json.at' });
			const { start } = await stage.production(
				[list, loopOver(2), wait, stamp, send, later(play)],
				{ connections: looping('Wait', 'Stamp', 'Send', 'Other') },
			);
			const executionId = await start();
			const untilWaiting = async () =>
				await n8n.waitForExecution(executionId, longPatienceMs, ['waiting']);
			const goOn = async (waiting: Execution) =>
				await fetch(String(waiting.json('Recipients')[0]?.url), closing);
			await goOn(await untilWaiting());
			const isSent = () =>
				stage.service.arrivals.some(({ recipient }) => recipient === recipients[1]);
			await waitFor('the first round', isSent, longPatienceMs);
			const waiting = await untilWaiting();
			const reached = stage.service.hold([laterName(play)], 1, true);
			await goOn(waiting);
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		// n8n goes on from what it kept at the wait, with other texts: nothing tells what the second round sent.
		expected: { arrived: 4, unknown: 2 },
	},
	{
		...few,
		what: `a sub-workflow: ${few.what}, then Retry of its own execution`,
		async *play(play) {
			const { n8n, stage, recipients } = play;
			const { id, call } = await stage.subWorkflow([play.send(settings)]);
			const { start } = await stage.production([recipientsNode(recipients), call]);
			const reached = stage.service.hold(recipients, underWay(play));
			await start();
			const executionId = await n8n.newestExecution(id);
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		// n8n has lost which call of the sub-workflow it was.
		expected: ({ twice, missing }) => expect({ twice, missing }).toEqual({ twice: 0, missing: 0 }),
	},
	{
		what: 'a campaign: kill -9 while the second of three chunks of 100 is in flight, then Retry',
		...killedOnce(({ recipients, stage }) => ({
			nodes: [
				recipientsNode(recipients),
				stage.campaign({ chunkSize: 100, timeout: 600_000 }, settings.extra),
			],
			at: 200,
			isFirm: true,
		})),
		// One chunk was in flight.
		expected: (counts) => expectRecovered(counts, 100),
	},
	{
		what: 'an AI agent has called the tool twice, kill -9 in a later node, then Retry',
		items: 2,
		runs: (recipients) => recipients.map((recipient) => [recipient]),
		async *play(play) {
			const { n8n, stage, recipients } = play;
			model.calls = recipients.map((phone) => ({ phone }));
			const tool = messagingServiceTool(
				{ ...sends['template messages'], phone: "={{ $fromAI('phone', '', 'string') }}" },
				stage.account.own,
				{ name: sender },
			);
			const call = webhookCall();
			const workflow = agentWorkflow(model, [tool], [call.node], [later(play)]);
			const id = await n8n.createPublished({ name: 'Agent that is killed', ...workflow });
			const reached = stage.service.hold([laterName(play)], 1, true);
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

const inGoodOrder: CrashRow = {
	what: 'n8n is stopped in good order after 100 of 300, then Retry',
	...killedOnce(),
	expected: expectRecovered,
	hasPeer: true,
};

/** Of a list that changes: items, and how many have arrived when n8n is killed. */
const [listed, arrived] = [60, 20];

/** A list that is made anew whenever its node runs, by an expression that gives its rows. */
const listNode = (recipients: string[], row = '{ phone, order }'): INode =>
	code(
		`return ${JSON.stringify(recipients)}.map((phone) => {
			const order = 'order of ' + phone;
			return { json: ${row} };
		});`,
		'Recipients',
	);

const stamped = '{ phone, order, fetchedAt: new Date().toISOString() }';

/** What has become of the list when n8n runs the nodes before the one that sends again. */
interface Change {
	what: string;
	/** The fields of each row. */
	row?: string;
	/** Whom the list of the retry holds. */
	then?(recipients: string[]): string[];
}

/** Ten numbers that no list has had before. */
const added = (recipients: string[]): string[] =>
	recipients.slice(0, 10).map((phone) => `1${phone}`);

const time: Change = { what: 'a time in every item', row: stamped };
const front: Change = {
	what: 'ten rows more in front',
	then: (recipients) => [...added(recipients), ...recipients],
};
const reversed: Change = {
	what: 'the other way round',
	then: (recipients) => recipients.toReversed(),
};

/** What sends to each item, in the field's own parameters. */
const sends: Record<string, INodeParameters> = {
	'template messages': {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.phone }}',
		templateName: 'order_update',
	},
	'chat messages': {
		resource: 'chatMessage',
		operation: 'send',
		phone: '={{ $json.phone }}',
		message: 'Hello',
	},
	'media messages': {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.phone }}',
		mediaType: 'image',
		mediaUrl: 'https://host.example/image.png',
	},
	'voice calls': {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.phone }}',
		text: 'Hello',
	},
	emails: {
		resource: 'email',
		operation: 'send',
		to: '={{ $json.phone }}@example.com',
		subject: 'Hello',
		html: '<p>Hello</p>',
	},
};

const namesOf = (name: string, recipients: string[]): string[] =>
	name === 'emails' ? recipients.map((phone) => `${phone}@example.com`) : recipients;

const inTime: INodeParameters = {
	parametersUi: { parameter: [{ value: '={{ $json.fetchedAt }}' }] },
};

/** @param own further parameters of the node */
function rowOf(
	name: string,
	{ what, row, then = (all) => all }: Change,
	own: INodeParameters = {},
	expected: (counts: Counts) => void = expectRecovered,
): CrashRow {
	return {
		what: `${listed} ${name}, kill -9 of n8n after ${arrived}, then Retry: ${what}`,
		items: listed,
		runs: (recipients) => [namesOf(name, then(recipients))],
		async *play({ recipients, ...play }) {
			const { stage } = play;
			const parameters = { ...sends[name], ...own, options: settings.options };
			const extra = { name: sender, ...settings.extra };
			const node = messagingService(parameters, stage.account.own, extra);
			const nodes = [listNode(recipients, row), node];
			const reached = { ...play, recipients: namesOf(name, recipients) };
			const { id, executionId } = await sendUntil(reached, { nodes, at: arrived });
			yield;
			await stage.replace(id, listNode(then(recipients), row));
			return await retryCrashed({ recipients, ...play }, executionId, true);
		},
		expected,
		check: expectOnce,
	};
}

/** Nobody is reached twice, whether the last list holds them or not, and the retry has gone on. */
function expectOnce({ arrivals }: Outcome): void {
	expect(new Set(arrivals.map(({ recipient }) => recipient)).size).toBe(arrivals.length);
	expect(arrivals.length).toBeGreaterThan(listed - 2 * arrived);
}

const byWhomAlone: Change = { ...time, what: 'a time in every item and in the request' };

/**
 * n8n is killed while it sends, and the list is another one when its Retry is pressed. All changes, with
 * keys and edits, are drawn in test/unit/sending.
 */
const changedLists: CrashRow[] = [
	rowOf('template messages', time),
	// Nothing tells of a message but its recipient: whoever may have been reached is told as unknown.
	rowOf('template messages', byWhomAlone, inTime, ({ twice, missing }) =>
		expect({ twice, missing }).toEqual({ twice: 0, missing: 0 }),
	),
	rowOf('chat messages', front),
	rowOf('media messages', reversed),
	rowOf('voice calls', time),
	rowOf('emails', front),
];

beforeAll(async () => {
	crashing = await CrashingN8n.open();
	model = await startScriptedModel(crashing.n8n);
	await crashing.play([...rows, ...changedLists]);
	await crashing.play([inGoodOrder], 'SIGTERM');
	// All histories are played before the first test.
}, 1_200_000);

afterAll(async () => {
	await model?.close();
	await crashing?.close();
});

tellRows('crashes', [...rows, inGoodOrder], async (row, player) => crashing.played(row, player));
tellRows('changed-lists', changedLists, async (row, player) => crashing.played(row, player));
