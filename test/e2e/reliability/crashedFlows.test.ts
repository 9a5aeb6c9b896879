import type { INode } from 'n8n-workflow';
import { connect, messagingService, node, packageName, type CredentialRef } from '../../../harness';
import { agentWorkflow } from '../../support/ai/agent';
import { startScriptedModel, type ScriptedModel } from '../../support/ai/scriptedModel';
import {
	CrashingN8n,
	expectRecovered,
	mostUnknown,
	patienceMs,
	retryCrashed,
	settings,
	type CrashPlay,
	type CrashRow,
} from '../../support/reliability/crashing';
import { tellRows } from '../../support/reliability/rows';
import { recipientsNode, sender } from '../../support/reliability/stage';
import { webhookCall } from '../../support/webhookCall';

let crashing: CrashingN8n;
let model: ScriptedModel;
let modelCredential: CredentialRef;

const thirds = (recipients: string[]): string[][] =>
	[0, 100, 200].map((start) => recipients.slice(start, start + 100));

/** Lets a node that comes later wait, by a name that belongs to this history alone. */
const later = ({ recipients: [name = ''] }: CrashPlay): string => `after-${name}`;

const campaign = ({ stage }: CrashPlay, chunkSize: number): INode =>
	messagingService(
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			options: { chunkSize, timeout: 120_000 },
		},
		stage.account.own,
		{ name: sender, ...settings.extra },
	);

const rows: CrashRow[] = [
	...[false, true].map(
		(saveExecutionProgress): CrashRow => ({
			what: `kill -9 in a later node of the same execution${saveExecutionProgress ? ', Save Execution Progress on' : ''}, then two retries`,
			async *play(play) {
				const { stage, send, recipients } = play;
				const nodes = [recipientsNode(recipients), send(settings), stage.other(later(play))];
				const { start } = await stage.production(nodes, { settings: { saveExecutionProgress } });
				const reached = stage.service.hold([later(play)], 1, true);
				const executionId = await start();
				await reached();
				yield;
				await retryCrashed(play, executionId);
				return await retryCrashed(play, executionId, true);
			},
			expected: { arrived: 300 },
		}),
	),
	{
		what: 'kill -9 in the second round of a loop of three, then Retry',
		runs: thirds,
		async *play(play) {
			const parameters = { batchSize: 100, options: {} };
			const type = 'n8n-nodes-base.splitInBatches';
			const loop = node('Loop', type, parameters, { typeVersion: 3 });
			const send = play.send(settings);
			const nodes = [recipientsNode(play.recipients), loop, send];
			const { start } = await play.stage.production(nodes, {
				connections: [
					connect(['Call', 'Recipients', 'Loop']),
					connect([loop, send], 1),
					connect([send, loop]),
				],
			});
			const reached = play.stage.service.hold(play.recipients, 150);
			const executionId = await start();
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	{
		what: 'two nodes feed the sender, kill -9 in its second run, then Retry',
		runs: (recipients) => [recipients.slice(0, 100), recipients.slice(100)],
		async *play(play) {
			const { recipients, stage } = play;
			const nodes = [
				recipientsNode(recipients.slice(100), 'One'),
				recipientsNode(recipients.slice(0, 100), 'Another'),
				play.send(settings),
			];
			const { start } = await stage.production(nodes, {
				// n8n begins with the last of nodes that stand in the same place.
				connections: [connect(['Call', 'One', sender]), connect(['Call', 'Another', sender])],
			});
			const reached = stage.service.hold(recipients, 150);
			const executionId = await start();
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		expected: expectRecovered,
	},
	{
		what: 'kill -9 while the second of three chunks of 100 is in flight, then Retry',
		hasPeer: false,
		async *play(play) {
			const { recipients, stage } = play;
			const { start } = await stage.production([recipientsNode(recipients), campaign(play, 100)]);
			const reached = stage.service.hold(recipients, 200, true);
			const executionId = await start();
			await reached();
			yield;
			return await retryCrashed(play, executionId);
		},
		// One chunk was in flight.
		expected: (counts) => expectRecovered(counts, 100 / mostUnknown),
	},
];

const killedAgent: CrashRow = {
	what: 'an AI agent has called the tool twice, kill -9 in a later node, then Retry',
	items: 2,
	hasPeer: false,
	runs: (recipients) => recipients.map((recipient) => [recipient]),
	async *play(play) {
		const { n8n, stage, recipients } = play;
		model.calls = recipients.map((phone) => ({ phone }));
		const tool = node(
			sender,
			`${packageName}.messagingServiceTool`,
			{
				resource: 'chatMessage',
				operation: 'sendTemplate',
				phone: "={{ $fromAI('phone', '', 'string') }}",
				templateName: 'order_update',
			},
			{ credentials: { messagingServiceApi: stage.account.own } },
		);
		const call = webhookCall();
		const { nodes, connections } = agentWorkflow(modelCredential, [tool], [call.node]);
		const id = await n8n.createWorkflow({
			name: 'Agent that is killed',
			nodes: [...nodes, stage.other(later(play))],
			connections: { ...connections, ...connect(['Agent', 'Other']) },
		});
		await n8n.publish(id);
		const reached = stage.service.hold([later(play)], 1, true);
		await call.send(n8n.url);
		const executionId = await n8n.newestExecution(id);
		await reached();
		yield;
		return await retryCrashed(play, executionId);
	},
	expected: { arrived: 2 },
	check: ({ execution }) => expect(execution.status).toBe('success'),
};

beforeAll(async () => {
	crashing = await CrashingN8n.open();
	model = await startScriptedModel();
	modelCredential = await crashing.n8n.createCredential(
		'Scripted model',
		{ apiKey: 'none', url: model.url },
		'openAiApi',
	);
	await crashing.play([...rows, killedAgent]);
}, patienceMs);

afterAll(async () => {
	await model?.close();
	await crashing?.close();
});

tellRows('crashed-flows', [...rows, killedAgent], async (row, player) =>
	crashing.played(row, player),
);
