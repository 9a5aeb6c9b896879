import {
	attachN8n,
	chain,
	connect,
	manualTrigger,
	messagingService,
	messagingServicePollingTrigger,
	startN8n,
	type N8n,
	type N8nApi,
} from '../../harness';
import { useSandbox } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';
import { webhookCall } from '../support/webhookCall';

// Every option and filter is tested in test/integration/restrictions.test.ts, without n8n's isolated engine.

const nothing = ['undefined', 'null', "''", "' '", '[]', '({})', 'NaN', 'true', '$vars.none'];

/** Which of these are honest: a list of nobody who has opted out. */
const isHonest = (option: string, value: string) =>
	option === 'excludedRecipients' && value === '[]';

const options = ['allowedRecipients', 'excludedRecipients', 'maxSends', 'simulate'];

let legacy: N8n | undefined;
afterAll(async () => await legacy?.stop());

describe.each(['isolated', 'legacy'])('with the %s expression engine', (engine) => {
	let n8n: N8nApi;
	beforeAll(async () => {
		if (engine === 'legacy') legacy = await startN8n({ env: { N8N_EXPRESSION_ENGINE: 'legacy' } });
		n8n = legacy ?? attachN8n();
	});
	const { sandbox, credential } = useSandbox(() => n8n);
	beforeEach(async () => await sandbox.control.reset());

	const good = { ...template, phone: '447700900210' };
	const posts = async () => await sandbox.control.journal({ kind: 'request', method: 'POST' });

	test('an option that gets nothing sends nothing, by hand and published', async () => {
		const given = options.flatMap((option) =>
			nothing
				.filter((value) => !isHonest(option, value))
				.map((value) => ({ [option]: `={{ ${value} }}` })),
		);
		const nodes = given.map((own, index) =>
			messagingService({ ...good, options: own }, credential, {
				name: `Given ${index}`,
				onError: 'continueRegularOutput',
			}),
		);
		const { node: call, send } = webhookCall();
		const start = manualTrigger();
		const [first = call] = nodes;
		const id = await n8n.createPublished({
			name: `Options ${engine}`,
			nodes: [start, call, ...nodes],
			connections: {
				...connect([start, first]),
				...connect([call, first]),
				...connect(nodes),
			},
		});
		await send(n8n.url);
		const [published] = await n8n.waitForExecutions(id, 1);
		const byHand = await n8n.run(id, { trigger: start.name });
		for (const execution of [byHand, published])
			for (const [index, { name }] of nodes.entries())
				expect([given[index], execution?.json(name)]).toEqual([
					given[index],
					[expect.objectContaining({ error: expect.any(String) as string })],
				]);
		expect(await posts()).toEqual([]);
		await n8n.unpublish(id);
	});

	test('a credential whose codes are nothing allows no number; an empty field allows all', async () => {
		const { baseUrl, keys } = sandbox;
		const run = async (countryCodes?: string) => {
			const data = { baseUrl, apiKey: keys.production, countryCodes };
			const send = messagingService(good, await n8n.createCredential(data), { name: 'Send' });
			return await n8n.tryOut(chain(`Codes ${countryCodes}`, [manualTrigger(), send]));
		};
		for (const value of nothing.filter((one) => one !== "''")) {
			const { error } = await run(`={{ ${value} }}`);
			expect([value, error?.message]).toEqual([
				value,
				expect.stringContaining('Allowed Country Codes'),
			]);
		}
		expect((await run('={{ $vars.a }}, {{ $vars.b }}')).status).toBe('error');
		expect(await posts()).toEqual([]);
		for (const codes of [undefined, '', '44', '={{ [44, 1] }}'])
			expect((await run(codes)).status).toBe('success');
		expect(await sandbox.control.messages()).toHaveLength(4);
	});

	test('a threshold that gets nothing is not published', async () => {
		const parameters = { watch: 'balance', warningThreshold: '={{ $vars.none }}' };
		const trigger = messagingServicePollingTrigger(parameters, credential);
		const id = await n8n.createWorkflow(chain(`Threshold ${engine}`, [trigger]));
		await expect(n8n.publish(id)).rejects.toThrow('Warning Threshold is empty');
	});
});
