import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import { agentWorkflow } from '../support/ai/agent';
import { startScriptedModel, type ScriptedModel } from '../support/ai/scriptedModel';
import { describedOperations } from '../support/operations';
import {
	attachN8n,
	chain,
	code,
	items,
	manualTrigger,
	messagingService,
	node,
	packageName,
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

const text = expect.any(String) as string;
const phone = '919876543210';
const call = { to: phone, content: 'text', text: 'Hello' };
const file = `return [{ json: {}, binary: { data: await this.helpers.prepareBinaryData(Buffer.from('%PDF-1.4'), 'bill.pdf', 'application/pdf') } }];`;

/** Operation, its parameters, the request it makes and what its first output item holds. */
const cases: Array<[string, INodeParameters, string, IDataObject]> = [
	['account.getBalance', {}, 'GET /balance', { chatBalance: 100_000 }],
	['phoneNumber.getMany', {}, 'GET /chat/configs', { isDefault: true }],
	['chatMessage.send', { phone, message: 'Hi' }, 'POST /chat/send', { success: true }],
	[
		'chatMessage.sendTemplate',
		{ phone, templateName: 'order_update' },
		'POST /chat/send-template',
		{ providerMessageId: text },
	],
	[
		'chatMessage.sendMedia',
		{ phone, mediaType: 'document', mediaSource: 'binary' },
		'POST /chat/send-media',
		{ success: true },
	],
	['chatMessage.getMany', { limit: 2 }, 'GET /chat/campaigns', { status: text, id: text }],
	['chatMessage.getStats', {}, 'GET /chat/campaigns', { total: 3 }],
	['media.upload', {}, 'POST /chat/upload', { mediaId: text, filename: 'bill.pdf' }],
	[
		'bulkCampaign.create',
		{
			templateName: 'order_update',
			recipientsSource: 'json',
			recipientsJson: `[{"phone":"${phone}"}]`,
		},
		'POST /chat/bulk-send',
		{ campaignId: text, total: 1 },
	],
	['webhook.create', { url: 'https://host.example/hook' }, 'POST /chat/webhooks', { secret: text }],
	['webhook.getMany', {}, 'GET /chat/webhooks', { url: 'https://host.example/first' }],
	[
		'webhook.delete',
		{ webhookId: '={{ $json.webhookId }}' },
		'DELETE /chat/webhooks',
		{ deleted: true },
	],
	['voiceCall.create', call, 'POST /voice/call', { callId: text, status: 'initiated' }],
	[
		'voiceCall.get',
		{ callId: '={{ $json.callId }}' },
		'GET /voice/call-logs',
		{ callStatus: text },
	],
	['voiceCall.getMany', { limit: 2 }, 'GET /voice/call-logs', { callStatus: text }],
	[
		'email.send',
		{ to: 'a@host.example', subject: 'S', emailFormat: 'text', text: 'T' },
		'POST /email/send',
		{ messageId: text },
	],
];

describe('every operation in a workflow', () => {
	test('is here', () => {
		// Send and Wait has a file of its own.
		const names = [...cases.map(([name]) => name), 'chatMessage.sendAndWait'];
		expect(names.sort()).toEqual(describedOperations.map(({ name }) => name).sort());
	});

	test.each(cases)('%s', async (name, parameters, request, expected) => {
		await sandbox.control.addMessages(3);
		const [callId] = await sandbox.control.addCalls(3);
		const headers = { 'x-api-key': sandbox.keys.production, 'content-type': 'application/json' };
		const body = JSON.stringify({ url: 'https://host.example/first' });
		const created = await fetch(`${sandbox.baseUrl}/chat/webhooks`, {
			method: 'POST',
			headers,
			body,
		});
		const { webhook } = (await created.json()) as { webhook: { id: string } };
		await sandbox.control.clearJournal();

		const [resource = '', operation = ''] = name.split('.');
		const needsFile = resource === 'media' || operation === 'sendMedia';
		const input = needsFile
			? code(file, 'Input')
			: items([{ webhookId: webhook.id, callId }], 'Input');
		const id = await n8n.createWorkflow(
			chain(name, [
				manualTrigger(),
				input,
				messagingService({ resource, operation, ...parameters }, credential),
			]),
		);
		const execution = await n8n.run(id);
		expect(execution.error).toBeUndefined();
		const [first] = execution.output('Messaging Service');
		expect(first?.json).toMatchObject(expected);
		expect(first?.pairedItem).toBeDefined();
		const [method = '', path = ''] = request.split(' ');
		expect(await sandbox.control.journal({ kind: 'request', method, path })).toHaveLength(1);
	});
});

describe('the list of sending numbers', () => {
	const names = async (filter?: string) =>
		(await n8n.listSearch('searchNumbers', credential, { filter })).results.map(({ name }) => name);

	test('shows number, quality and the default, and filters', async () => {
		expect(await names()).toEqual(['14155550100 · GREEN · default', '919812345670 · GREEN']);
		expect(await names('9198')).toEqual(['919812345670 · GREEN']);
		expect(await names('+91 98')).toEqual([]);
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

	const fromAi = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

	test.each<[string, INodeParameters, Record<string, unknown>, string, string]>([
		['account.getBalance', {}, {}, '/balance', 'chatBalance'],
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
	])('%s', async (name, parameters, toolArguments, path, answered) => {
		const [resource = '', operation = ''] = name.split('.');
		model.toolArguments = toolArguments;
		const tool = node(
			'Tool',
			`${packageName}.messagingServiceTool`,
			{ resource, operation, ...parameters },
			{ credentials: { messagingServiceApi: credential } },
		);
		const id = await n8n.createWorkflow({
			name: `Agent ${name}`,
			...agentWorkflow(modelCredential, [tool]),
		});
		const execution = await n8n.run(id);
		expect(execution.error).toBeUndefined();
		expect(JSON.stringify(execution.json('Agent'))).toContain(answered);
		expect(await sandbox.control.journal({ kind: 'request', path })).toHaveLength(1);
	});
});
