import { messagingServiceTool, type Execution, type NodeExtra } from '../../../harness';
import {
	agentWorkflow,
	startScriptedModel,
	type ScriptedModel,
} from '../../support/ai/scriptedModel';
import { phones, useStage } from '../../support/reliability/stage';

const stage = useStage();
let model: ScriptedModel;

beforeAll(async () => (model = await startScriptedModel(stage.n8n)));
afterAll(async () => await model?.close());

const [one = '', two = ''] = phones(2);

/** Runs an agent whose model calls the tool once for each of the given numbers. */
async function runAgent(calls: string[], extra: NodeExtra = {}): Promise<Execution> {
	const { account, n8n } = stage;
	const tool = messagingServiceTool(
		{
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: "={{ $fromAI('phone', '', 'string') }}",
			templateName: 'order_update',
			options: { timeout: 2_000 },
		},
		account.own,
		extra,
	);
	model.calls = calls.map((phone) => ({ phone }));
	return await n8n.tryOut({ name: 'Agent that sends', ...agentWorkflow(model, [tool]) });
}

const arrived = () => stage.service.arrivals.map(({ recipient }) => recipient);

const answersOf = (execution: Execution) =>
	execution.runs('Tool').map((run) => {
		const { ai_tool: output } = run.data as { ai_tool?: Array<Array<{ json: unknown }> | null> };
		return JSON.stringify(output?.[0]?.map(({ json }) => json));
	});

test('two calls with the same content are two messages', async () => {
	await runAgent([one, one]);
	expect(arrived()).toEqual([one, one]);
});

test('Retry On Fail of the tool does not send again what was sent in an earlier call', async () => {
	stage.service.script(two, { does: 'reject' });
	const extra = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
	const execution = await runAgent([one, two], extra);
	expect(execution.status).toBe('success');
	expect(arrived()).toEqual([one, two]);
});

test('a second call with the content of an unknown one is not sent, and the model is told why', async () => {
	stage.service.script(one, { does: 'cut', acts: true });
	const execution = await runAgent([one, one]);
	expect(arrived()).toEqual([one]);
	const answers = answersOf(execution);
	expect(answers).toHaveLength(2);
	// It is told of the other call, too.
	expect(answers[1]).toContain(answers[0]?.replace('"}]', ''));
	// All that the model hears.
	expect(answers[0]).toContain('It may have been sent, so check before you send it again');
});
