import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import { agentWorkflow } from '../support/ai/agent';
import { startScriptedModel, type ScriptedModel } from '../support/ai/scriptedModel';
import { endpointOf } from '../support/docs/endpoints';
import {
	describedOperations,
	goodParameters,
	neededBy,
	type DescribedOperation,
} from '../support/operations';
import {
	attachN8n,
	chain,
	code,
	connect,
	items,
	joined,
	manualTrigger,
	messagingService,
	node,
	packageName,
	rootFolder,
	type CredentialRef,
} from '../../harness';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;

beforeAll(async () => {
	sandbox = await startSandbox();
	credential = await n8n.createCredential('Operations', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
});

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

afterAll(async () => await sandbox.close());

const phone = '919876543210';

/** Every operation but Send and Wait, which has a file of its own. */
const operations = describedOperations.filter(({ choice }) => choice.operation !== 'sendAndWait');

/** Fields that the editor shows of an operation's output before the first run. */
function previewed({ choice: { resource, operation } }: DescribedOperation): string[] {
	const file = `nodes/MessagingService/__schema__/v1.0.0/${resource}/${operation}.json`;
	const schema = JSON.parse(readFileSync(path.join(rootFolder, file), 'utf8')) as {
		properties: object;
	};
	return Object.keys(schema.properties);
}

/** Registers a webhook, and gives its id. */
async function register(url: string): Promise<string> {
	const response = await fetch(`${sandbox.baseUrl}/chat/webhooks`, {
		method: 'POST',
		headers: { 'x-api-key': sandbox.keys.production, 'content-type': 'application/json' },
		body: JSON.stringify({ url }),
	});
	const { webhook } = (await response.json()) as { webhook: { id: string } };
	return webhook.id;
}

describe('every operation in a workflow', () => {
	test.each(operations)('$name', async (operation) => {
		const { name, choice } = operation;
		await sandbox.control.addMessages(3);
		const input = code(
			`return [{ json: { phone: '${phone}' }, binary: { data: await this.helpers.prepareBinaryData(Buffer.from('%PDF-1.4'), 'bill.pdf', 'application/pdf') } }];`,
			'Input',
		);
		const { create, parameter } = neededBy(operation) ?? {};
		const made = create && { ...create.choice, ...goodParameters[create.name] };
		const parameters = {
			...choice,
			...goodParameters[name],
			...(parameter ? { [parameter]: `={{ $json.${parameter} ?? $json.id }}` } : {}),
		};
		const id = await n8n.createWorkflow(
			chain(name, [
				manualTrigger(),
				input,
				...(made ? [messagingService(made, credential, { name: 'Create' })] : []),
				...(made && !parameter ? [code("return $('Input').all();", 'Input again')] : []),
				messagingService(parameters, credential),
			]),
		);
		const execution = await n8n.run(id);
		expect(execution.error).toBeUndefined();
		const [first] = execution.output('Messaging Service');
		expect(Object.keys(first?.json ?? {})).toEqual(expect.arrayContaining(previewed(operation)));
		expect(first?.pairedItem).toBeDefined();
		const { method, path: asked } = await endpointOf(operation);
		const pattern = new RegExp(`${asked.replace(/:\w+/g, '[^/]+')}$`);
		const requests = await sandbox.control.journal({ kind: 'request', method });
		expect(requests.filter((one) => pattern.test(one.path))).toHaveLength(1);
	});
});

test('Check Balance sends none of 900 emails that 500 credits do not cover', async () => {
	await sandbox.control.setAccount({ emailBalance: 500 });
	const list = code('return Array.from({ length: 900 }, (_, n) => ({ json: { n } }));', 'List');
	const send = messagingService(
		{
			resource: 'email',
			operation: 'send',
			to: '=person{{ $json.n }}@host.example',
			subject: 'News',
			emailFormat: 'text',
			text: 'Hello',
			options: { checkBalance: true },
		},
		credential,
	);
	const id = await n8n.createWorkflow(chain('Emails', [manualTrigger(), list, send]));
	const { error } = await n8n.run(id);
	expect(error?.message).toBe(
		'What is to be sent needs 900 email credits, but the account has 500',
	);
	expect(error?.description).toContain('Top up the email credits by 400 or more');
	const { emailBalance } = await sandbox.control.account();
	expect(emailBalance).toBe(500);
	expect(await sandbox.control.journal({ kind: 'request', path: '/email/send' })).toEqual([]);
});

/** Two recipients, of whom one cannot be right. */
const people = [
	{ name: 'Anna', phone },
	{ name: 'Ben', phone: '12' },
];

/** Tells of everything it is given to whom it belongs. */
const whose = (name: string) =>
	node(
		name,
		'n8n-nodes-base.set',
		{
			mode: 'raw',
			jsonOutput:
				'={{ JSON.stringify({ of: $("Items").item.json.name, given: JSON.stringify($json) }) }}',
		},
		{ typeVersion: 3.4 },
	);

const sent = [{ of: 'Anna', given: expect.stringContaining('providerMessageId') as string }];
const notSent = [{ of: 'Ben', given: expect.stringContaining('has 2 digits') as string }];

test('behind both outputs n8n finds the item that something belongs to', async () => {
	const [start, input] = [manualTrigger(), items(people)];
	const parameters = {
		...{ resource: 'chatMessage', operation: 'sendTemplate', templateName: 'order_update' },
		phone: '={{ $json.phone }}',
	};
	const send = messagingService(parameters, credential, { onError: 'continueErrorOutput' });
	const [good, bad] = [whose('Good'), whose('Bad')];
	const id = await n8n.createWorkflow({
		name: 'Both outputs',
		nodes: [start, input, send, good, bad],
		connections: joined(connect([start, input, send, good]), connect([send, bad], 1)),
	});
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	expect([execution.json('Good'), execution.json('Bad')]).toEqual([sent, notSent]);
});

describe.each(['', 'Tool', 'HitlTool'])('a list of the node%s', (variant) => {
	const search = async (method: string, filter?: string) => {
		const nodeType = `${packageName}.messagingService${variant}`;
		return (await n8n.listSearch(method, credential, { filter, nodeType })).results;
	};
	const names = async (filter?: string) =>
		(await search('searchNumbers', filter)).map(({ name }) => name);

	test('gives registrations and calls by what a person knows of them', async () => {
		const url = 'https://host.example/hook';
		const value = await register(url);
		const [callId] = await sandbox.control.addCalls(1, { to: '919876543210' });
		expect(await search('searchWebhooks', 'host.example')).toEqual([
			expect.objectContaining({ name: url, value }),
		]);
		expect(await search('searchCalls', '+91 98765')).toEqual([
			expect.objectContaining({ value: callId }),
		]);
	});

	test('shows number, quality and the default, and filters', async () => {
		const [american, indian] = [
			'14155550100 · quality GREEN · default',
			'919812345670 · quality GREEN',
		];
		expect(await names()).toEqual(['Default Number', american, indian]);
		expect(await names('9198')).toEqual([indian]);
		expect(await names('+1 (415) 555-0100')).toEqual([american]);
		expect(await names('1 415')).toEqual([american]);
		expect(await names('default')).toEqual(['Default Number', american]);
		expect(await names('+777 7777')).toEqual([]);
	});

	test("shows the service's message when it cannot be read", async () => {
		await sandbox.control.addFault({
			kind: 'status',
			path: '/chat/configs',
			status: 500,
			body: { error: 'Out of order' },
		});
		await expect(names()).rejects.toThrow('Out of order');
	});
});

describe('as tools of an AI agent', () => {
	let model: ScriptedModel;
	let modelCredential: CredentialRef;

	beforeAll(async () => {
		model = await startScriptedModel();
		modelCredential = await n8n.createCredential(
			'Scripted model',
			{ apiKey: 'none', url: model.url },
			'openAiApi',
		);
	});
	afterAll(async () => await model.close());

	/** What an agent says that has called this operation with the model's arguments. */
	async function answer(
		name: string,
		parameters: INodeParameters,
		data: IDataObject = {},
	): Promise<string> {
		const [resource = '', operation = ''] = name.split('.');
		const { baseUrl, keys } = sandbox;
		const messagingServiceApi =
			Object.keys(data).length === 0
				? credential
				: await n8n.createCredential('Tool', { baseUrl, apiKey: keys.production, ...data });
		const tool = node(
			'Tool',
			`${packageName}.messagingServiceTool`,
			{ resource, operation, ...parameters },
			{ credentials: { messagingServiceApi } },
		);
		const workflow = { name: `Agent ${name}`, ...agentWorkflow(modelCredential, [tool]) };
		const execution = await n8n.run(await n8n.createWorkflow(workflow));
		expect(execution.error).toBeUndefined();
		return String(execution.json('Agent')[0]?.output);
	}

	const fromAi = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

	test.each<[string, INodeParameters, Record<string, unknown>, string, string]>([
		['account.getBalance', {}, {}, '/balance', 'chatBalance'],
		['account.checkSetup', {}, {}, '/chat/webhooks', 'advice'],
		[
			'chatMessage.sendTemplate',
			{ phone: fromAi('phone'), templateName: 'order_update' },
			{ phone: '+91 98765 43210' },
			'/chat/send-template',
			'providerMessageId',
		],
		[
			'voiceCall.create',
			{ to: fromAi('to'), content: 'text', text: fromAi('text') },
			{ to: phone, text: 'Hello' },
			'/voice/call',
			'callId',
		],
		[
			// Where the recipients come from is not set: a tool has another default.
			'bulkCampaign.create',
			{ templateName: 'order_update', recipientsJson: fromAi('recipients') },
			{ recipients: JSON.stringify([{ phone, params: ['Anna', '12:30'] }]) },
			'/chat/bulk-send',
			'campaignId',
		],
	])('%s', async (name, parameters, toolArguments, asked, answered) => {
		model.toolArguments = toolArguments;
		expect(await answer(name, parameters)).toContain(answered);
		expect(await sandbox.control.journal({ kind: 'request', path: asked })).toHaveLength(1);
	});

	test('a tool, and what is behind the agent, find the item that it works for', async () => {
		model.toolArguments = {};
		const tool = node(
			'Tool',
			`${packageName}.messagingServiceTool`,
			{
				...{ resource: 'chatMessage', operation: 'sendTemplate', templateName: 'order_update' },
				// $('Items').item is always the first one in n8n's tools.
				phone: '={{ $json.phone }}',
			},
			{ credentials: { messagingServiceApi: credential } },
		);
		const before = [manualTrigger(), items(people)];
		const id = await n8n.createWorkflow({
			name: 'Agent of two',
			...agentWorkflow(modelCredential, [tool], before, [whose('Then')]),
		});
		const execution = await n8n.run(id);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Then')).toEqual([...sent, ...notSent]);
	});

	test('the model reads the transcript of a call only where Simplify is off', async () => {
		const [callId = ''] = await sandbox.control.addCalls(1);
		const transcript = 'How may I help you?';
		await sandbox.control.updateCall(callId, { transcript });
		model.toolArguments = {};
		const short = await answer('voiceCall.get', { callId });
		expect(short).toContain(callId);
		expect(short).not.toContain(transcript);
		expect(await answer('voiceCall.get', { callId, simplify: false })).toContain(transcript);
	});

	test('Get Outcome tells of the one number that the model names', async () => {
		const sentAfter = new Date().toISOString();
		await sandbox.control.addMessages(1, { to: phone, status: 'Read' });
		model.toolArguments = { phone, sentAfter };
		const parameters = {
			phoneField: "={{ $fromAI('phone') && 'phone' }}",
			sentAfter: fromAi('sentAfter'),
		};
		expect(await answer('bulkCampaign.getOutcome', parameters)).toMatch(/status\W+Read/);
	});

	const template = { phone: fromAi('phone'), templateName: 'order_update' };
	const recipients = JSON.stringify([{ phone }]);

	test.each<[string, string, INodeParameters, IDataObject, number]>([
		[
			'begins with none of the country codes that the credential allows (1): put the country code in front. Correct the parameter',
			'chatMessage.sendTemplate',
			template,
			{ countryCodes: '1' },
			0,
		],
		[
			'this would be more. Raise the option Max Sends if',
			'chatMessage.sendTemplate',
			{ ...template, options: { maxSends: 1 } },
			{},
			1,
		],
		[
			'What is to be sent needs 3 chat credits, but the account has 2. Top up the chat credits by 1 or more',
			'bulkCampaign.create',
			{
				templateName: 'order_update',
				recipientsJson: fromAi('recipients'),
				options: { checkBalance: 'marketing' },
			},
			{},
			0,
		],
		[
			"does not have the 'chat:send-template' permission. Add the scope chat:send-template to the API key",
			'chatMessage.sendTemplate',
			template,
			{ scopes: [] },
			0,
		],
		[
			'"simulated":true',
			'chatMessage.sendTemplate',
			{ ...template, options: { simulate: 'always' } },
			{},
			0,
		],
	])('the model hears: %s', async (said, name, parameters, { scopes, ...data }, sent) => {
		await sandbox.control.setAccount({ chatBalance: 2 });
		if (scopes) data.apiKey = (await sandbox.control.createKey({ scopes: [] })).key;
		const twice = { phone, recipients };
		Object.assign(model, { calls: [twice, twice] });
		try {
			expect(await answer(name, parameters, data)).toContain(said);
		} finally {
			model.calls = undefined;
		}
		const messages = await sandbox.control.messages();
		expect(messages).toHaveLength(sent);
	});
});
