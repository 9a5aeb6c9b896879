import type { INodeParameters } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import { agentWorkflow, startScriptedModel, type ScriptedModel } from '../support/ai/scriptedModel';
import { askService } from '../support/e2e/askService';
import { useSandbox } from '../support/e2e/sandbox';
import {
	attachN8n,
	chain,
	connect,
	items,
	joined,
	manualTrigger,
	messagingService,
	messagingServiceTool,
	node,
	packageName,
	set,
} from '../../harness';

const n8n = attachN8n();
const { sandbox, credential } = useSandbox(() => n8n);

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

const phone = '447700900210';

/** Two recipients, of whom one cannot be right. */
const people = [
	{ name: 'Anna', phone },
	{ name: 'Ben', phone: '12' },
];

/** Tells of everything it is given to whom it belongs. */
const whose = (name: string) =>
	set(
		name,
		'={{ JSON.stringify({ of: $("Items").item.json.name, given: JSON.stringify($json) }) }}',
	);

/** Sends to each of them. */
const toPeople: INodeParameters = {
	...{ resource: 'chatMessage', operation: 'sendTemplate', templateName: 'order_update' },
	// In n8n's tools $('Items').item is always the first one.
	phone: '={{ $json.phone }}',
};

const sent = [{ of: 'Anna', given: expect.stringContaining('providerMessageId') as string }];
const notSent = [{ of: 'Ben', given: expect.stringContaining('has 2 digits') as string }];

test('behind both outputs n8n finds the item that something belongs to', async () => {
	const [start, input] = [manualTrigger(), items(people)];
	const send = messagingService(toPeople, credential, { onError: 'continueErrorOutput' });
	const [good, bad] = [whose('Good'), whose('Bad')];
	const execution = await n8n.tryOut({
		name: 'Both outputs',
		nodes: [start, input, send, good, bad],
		connections: joined(connect([start, input, send, good]), connect([send, bad], 1)),
	});
	expect(execution.error).toBeUndefined();
	expect([execution.json('Good'), execution.json('Bad')]).toEqual([sent, notSent]);
});

test.each(['', 'Tool', 'HitlTool'])(
	'the lists of the node%s can be searched, and say why they cannot be read',
	async (variant) => {
		const nodeType = `${packageName}.messagingService${variant}`;
		const search = async (method: string, filter: string) =>
			(await n8n.listSearch(method, credential, nodeType, filter)).results;
		const url = 'https://host.example/hook';
		const registered = await askService(sandbox, '/chat/webhooks', { url });
		const { webhook } = (await registered.json()) as { webhook: { id: string } };
		const [callId] = await sandbox.control.addCalls(1, { to: phone });
		expect(await search('searchWebhooks', 'host.example')).toMatchObject([
			{ name: url, value: webhook.id },
		]);
		expect(await search('searchCalls', '+44 7700')).toMatchObject([{ value: callId }]);
		expect((await search('searchNumbers', '4477')).map(({ name }) => name)).toEqual([
			'447700900670 · quality GREEN',
		]);
		const body = { error: 'Out of order' };
		await sandbox.control.addFault({ kind: 'status', path: '/chat/configs', status: 500, body });
		await expect(search('searchNumbers', '')).rejects.toThrow('Out of order');
	},
);

describe("n8n's HTTP Request node with the credential", () => {
	const type = 'messagingServiceApi';

	/** Asks an address with the node; gives what comes out of it or why it failed. */
	async function ask(url: string, options: INodeParameters = {}): Promise<string> {
		const request = node(
			'Request',
			'n8n-nodes-base.httpRequest',
			{ url, authentication: 'predefinedCredentialType', nodeCredentialType: type, options },
			{ typeVersion: 4.2, credentials: { [type]: credential } },
		);
		const execution = await n8n.tryOut(chain('Request', [manualTrigger(), request]));
		return JSON.stringify(execution.error?.message ?? execution.json('Request'));
	}

	test('reaches addresses below the base URL, and the key no other', async () => {
		const other = await startSandbox();
		try {
			const refused = 'works only for addresses below its base URL';
			expect(await ask(`${sandbox.baseUrl}/balance`)).toContain('chatBalance');
			expect(await ask(`${other.baseUrl}/balance`)).toContain(refused);
			expect(await ask(`${sandbox.baseUrl}/../v2/balance`)).toContain(refused);
			const { host } = new URL(other.baseUrl);
			const through = sandbox.baseUrl.replace('://', `://${host}@`);
			expect(await ask(`${through}/balance`)).toContain(refused);
			const proxied = await ask(`${sandbox.baseUrl}/balance`, { proxy: `http://${host}` });
			expect(proxied).toContain('cannot be used with the Proxy option of a node');
			await sandbox.control.addFault({
				kind: 'status',
				path: '/balance',
				status: 302,
				headers: { location: `${other.baseUrl}/balance` },
			});
			expect(await ask(`${sandbox.baseUrl}/balance`)).toContain('302');
			expect(await other.control.journal()).toEqual([]);
		} finally {
			await other.close();
		}
	});
});

test('a credential of expressions is that of its items, or refused where they differ', async () => {
	const apiKey = sandbox.keys.production;
	const own = await n8n.createCredential('Address', { baseUrl: '={{ $json.url }}', apiKey });
	const run = async (urls: string[], reference = own) => {
		const nodes = [
			manualTrigger(),
			items(urls.map((url) => ({ url }))),
			messagingService({ resource: 'account', operation: 'getBalance' }, reference),
		];
		return await n8n.tryOut(chain('Accounts', nodes));
	};
	const { baseUrl } = sandbox;
	expect((await run([baseUrl, baseUrl])).json('Messaging Service')).toHaveLength(2);
	const { error } = await run([baseUrl, baseUrl, `${baseUrl}/other`]);
	expect(error?.message).toContain(
		'The expressions of the credential return different values for item 1 and item 3',
	);
	const keyless = await n8n.createCredential('Key', { baseUrl, apiKey: '={{ $json.key }}' });
	expect((await run([''], keyless)).error?.message).toContain('API Key is empty');
});

describe('as tools of an AI agent', () => {
	let model: ScriptedModel;

	beforeAll(async () => (model = await startScriptedModel(n8n)));
	afterAll(async () => await model.close());

	/** What an agent says that has called this tool with the model's arguments. */
	async function answer(parameters: INodeParameters): Promise<string> {
		const tool = messagingServiceTool(parameters, credential);
		const execution = await n8n.tryOut({ name: 'Agent', ...agentWorkflow(model, [tool]) });
		expect(execution.error).toBeUndefined();
		return String(execution.json('Agent')[0]?.output);
	}

	const fromAi = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

	test('a campaign goes to the recipients that the model names, though nothing says where they come from', async () => {
		model.toolArguments = { recipients: JSON.stringify([{ phone, params: ['Anna', '12:30'] }]) };
		const campaign = { resource: 'bulkCampaign', operation: 'create' };
		const own = { templateName: 'order_update', recipientsJson: fromAi('recipients') };
		expect(await answer({ ...campaign, ...own })).toContain('campaignId');
		const requests = await sandbox.control.journal({ kind: 'request', path: '/chat/bulk-send' });
		const recipients = [{ phone, params: ['Anna', '12:30'] }];
		expect(requests.map(({ body }) => body)).toEqual([expect.objectContaining({ recipients })]);
	});

	test('a tool, and what is behind the agent, find the item that it works for', async () => {
		model.toolArguments = {};
		const sending = messagingServiceTool(toPeople, credential);
		const before = [manualTrigger(), items(people)];
		const agent = agentWorkflow(model, [sending], before, [whose('Then')]);
		const execution = await n8n.tryOut({ name: 'Agent of two', ...agent });
		expect(execution.error).toBeUndefined();
		expect(execution.json('Then')).toEqual([...sent, ...notSent]);
	});

	test('Get Outcome tells of the one number that the model names', async () => {
		const sentAfter = new Date().toISOString();
		await sandbox.control.addMessages(1, { to: phone, status: 'Read' });
		model.toolArguments = { phone, sentAfter };
		const outcome = { resource: 'bulkCampaign', operation: 'getOutcome' };
		const phoneField = "={{ $fromAI('phone') && 'phone' }}";
		expect(await answer({ ...outcome, phoneField, sentAfter: fromAi('sentAfter') })).toMatch(
			/status\W+Read/,
		);
	});
});
