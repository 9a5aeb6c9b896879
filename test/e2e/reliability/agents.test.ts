import { messagingServiceTool, type Execution, type NodeExtra } from '../../../harness';
import { agentWorkflow, useScriptedModel } from '../../support/ai/scriptedModel';
import { phones, template, useStage } from '../../support/reliability/stage';

const stage = useStage();
const model = useScriptedModel(() => stage.n8n);

const [one = '', two = ''] = phones(2);

/** Runs an agent whose model calls the tool once for each of the given numbers. */
async function runAgent(calls: string[], extra: NodeExtra = {}): Promise<Execution> {
	const phone = "={{ $fromAI('phone', '', 'string') }}";
	const parameters = { ...template, phone, options: { timeout: 2_000 } };
	const tool = messagingServiceTool(parameters, stage.account.own, extra);
	model.calls = calls.map((number) => ({ phone: number }));
	return await stage.n8n.tryOut({ name: 'Agent that sends', ...agentWorkflow(model, [tool]) });
}

const arrived = async () => (await stage.arrivals()).map(({ recipient }) => recipient);

test('equal calls are two messages, and Retry On Fail of the tool repeats no earlier call', async () => {
	await stage.script(two, 'reject');
	const extra = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
	expect((await runAgent([one, one, two], extra)).status).toBe('success');
	expect(await arrived()).toEqual([one, one, two]);
});

test('a second call with the content of an unknown one is not sent, and the model gets the reason', async () => {
	await stage.script(one, 'cutAfter');
	await runAgent([one, one]);
	expect(await arrived()).toEqual([one]);
	const answers = model.conversations.at(-1)?.filter(({ role }) => role === 'tool') ?? [];
	expect(answers).toHaveLength(2);
	for (const { content } of answers) {
		expect(content).toContain('The request may have been sent: check before resending');
	}
});
