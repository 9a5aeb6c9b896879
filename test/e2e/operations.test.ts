import type { INodeParameters } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import { agentWorkflow, useScriptedModel } from '../support/ai/scriptedModel';
import { useSandbox } from '../support/e2e/sandbox';
import { template } from '../support/reliability/stage';
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

beforeEach(async () => await sandbox.control.reset());

const phone = '447700900210';

/** Two recipients, one of them invalid. */
const people = [
	{ name: 'Anna', phone },
	{ name: 'Ben', phone: '12' },
];

/** Returns its input with the name of the person that n8n finds for it. */
const whose = (name: string) =>
	set(
		name,
		'={{ JSON.stringify({ of: $("Items").item.json.name, given: JSON.stringify($json) }) }}',
	);

const sent = [{ of: 'Anna', given: expect.stringContaining('providerMessageId') as string }];
const notSent = [{ of: 'Ben', given: expect.stringContaining('but has 2') as string }];

test('behind both outputs n8n finds the item that something belongs to', async () => {
	const [start, input] = [manualTrigger(), items(people)];
	const send = messagingService(template, credential, { onError: 'continueErrorOutput' });
	const [good, bad] = [whose('Good'), whose('Bad')];
	const execution = await n8n.tryOut({
		name: 'Both outputs',
		nodes: [start, input, send, good, bad],
		connections: joined(connect([start, input, send, good]), connect([send, bad], 1)),
	});
	expect(execution.error).toBeUndefined();
	expect([execution.json('Good'), execution.json('Bad')]).toEqual([sent, notSent]);
});

// Create, Wait and Get Outcome one after the other: remind-unread in examples.test.ts.

// What each list finds is tested in test/unit/listSearch.
test.each(['', 'Tool', 'HitlTool'])('a list of the node%s is searched', async (variant) => {
	const nodeType = `${packageName}.messagingService${variant}`;
	const search = async () =>
		(await n8n.listSearch('searchCalls', credential, nodeType, '+44 7700')).results;
	const [callId] = await sandbox.control.addCalls(1, { to: phone });
	expect(await search()).toMatchObject([{ value: callId }]);
	const body = { error: 'Out of order' };
	await sandbox.control.addFault({ kind: 'status', path: '/voice/call-logs', status: 500, body });
	await expect(search()).rejects.toThrow('Out of order');
});

// Which addresses are below the base URL is tested in test/unit/api.
test("n8n's HTTP Request node sends the key to the credential's service and to no other", async () => {
	const nodeCredentialType = 'messagingServiceApi';
	const other = await startSandbox();
	const ask = async (baseUrl: string, options: INodeParameters = {}) => {
		const url = `${baseUrl}/balance`;
		const request = node(
			'Request',
			'n8n-nodes-base.httpRequest',
			{ url, authentication: 'predefinedCredentialType', nodeCredentialType, options },
			{ typeVersion: 4.2, credentials: { [nodeCredentialType]: credential } },
		);
		const execution = await n8n.tryOut(chain('Request', [manualTrigger(), request]));
		return JSON.stringify(execution.error?.message ?? execution.json('Request'));
	};
	try {
		expect(await ask(sandbox.baseUrl)).toContain('chatBalance');
		expect(await ask(other.baseUrl)).toContain('works only for URLs that begin with its base URL');
		const proxied = await ask(sandbox.baseUrl, { proxy: new URL(other.baseUrl).origin });
		expect(proxied).toContain('cannot be used with the Proxy option of a node');
		const headers = { location: `${other.baseUrl}/balance` };
		await sandbox.control.addFault({ kind: 'status', path: '/balance', status: 302, headers });
		expect(await ask(sandbox.baseUrl)).toContain('302');
		expect(await other.control.journal()).toEqual([]);
	} finally {
		await other.close();
	}
});

// Which values may differ is tested in test/unit/api/client.
test('the expressions of a credential are evaluated for each item', async () => {
	const apiKey = sandbox.keys.production;
	const own = await n8n.createCredential({ baseUrl: '={{ $json.url }}', apiKey });
	const getBalance = { resource: 'account', operation: 'getBalance' };
	const urls = [sandbox.baseUrl, `${sandbox.baseUrl}/other`].map((url) => ({ url }));
	const nodes = [manualTrigger(), items(urls), messagingService(getBalance, own)];
	expect((await n8n.tryOut(chain('Accounts', nodes))).error?.message).toContain(
		'The expressions of the credential return different values for item 0 and item 1',
	);
});

describe('as tools of an AI agent', () => {
	const model = useScriptedModel(() => n8n);

	/** What an agent says that has called this tool. */
	async function answer(parameters: INodeParameters): Promise<string> {
		const tool = messagingServiceTool(parameters, credential);
		const execution = await n8n.tryOut({ name: 'Agent', ...agentWorkflow(model, [tool]) });
		expect(execution.error).toBeUndefined();
		return String(execution.json('Agent')[0]?.output);
	}

	const fromAi = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

	test('a campaign goes to the recipients that the model names, though nothing says where they come from', async () => {
		const recipients = [{ phone, params: ['Anna', '12:30'] }];
		model.calls = [{ recipients: JSON.stringify(recipients) }];
		const campaign = { resource: 'bulkCampaign', operation: 'create' };
		const own = { templateName: 'order_update', recipientsJson: fromAi('recipients') };
		expect(await answer({ ...campaign, ...own })).toContain('campaignId');
		const requests = await sandbox.control.journal({ kind: 'request', path: '/chat/bulk-send' });
		expect(requests.map(({ body }) => body)).toEqual([expect.objectContaining({ recipients })]);
	});

	test('a tool, and what is behind the agent, find the item that it works for', async () => {
		model.calls = [{}];
		const before = [manualTrigger(), items(people)];
		const tools = [messagingServiceTool(template, credential)];
		const agent = agentWorkflow(model, tools, before, [whose('Then')]);
		const execution = await n8n.tryOut({ name: 'Agent of two', ...agent });
		expect(execution.error).toBeUndefined();
		expect(execution.json('Then')).toEqual([...sent, ...notSent]);
	});
});
