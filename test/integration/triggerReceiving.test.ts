import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { messagingServiceTrigger } from '../../harness/builders';
import { messageEvent, signatureOf } from '../../harness/deliver';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { noteOwnMessage } from '../../nodes/MessagingService/remembered/ownMessages';
import { expectSecret, storeSecret } from '../../nodes/MessagingService/trigger/secrets';
import { workflowOf } from '../support/core/workflow';

const webhookBaseUrl = 'https://n8n.example/webhook';
const secret = 'a secret of the test';
const event = messageEvent('message.sent', { providerMessageId: 'pm1', from: '441632960710' });

let workflowId: string;
beforeEach(() => {
	workflowId = randomUUID();
});

/** What is special about a delivery. */
interface Change {
	workflowId?: string;
	nodeId?: string;
	/** Events that the trigger subscribes to. */
	events?: string[];
	/** What n8n has saved for the trigger. */
	stored?: IDataObject;
	sent?: unknown;
	signature?: string;
	mode?: WorkflowExecuteMode;
	/** `unread` for a body that n8n has left alone, `unreadable` for one that it has taken apart. */
	raw?: 'read' | 'unread' | 'unreadable';
	/** The status with which n8n responds when it starts an execution; 0 for not yet. */
	n8nStatus?: number;
}

type Outcome = Awaited<ReturnType<typeof deliver>>;

/**
 * Delivers an event to the webhook trigger in a context of the real n8n-core, signed as the service
 * signs. Request and response are as n8n's server makes them, as far as the trigger uses them.
 */
async function deliver(options: IDataObject = {}, change: Change = {}) {
	const { sent = event, nodeId = 'node', raw = 'read', n8nStatus = 200 } = change;
	const { events = ['message.sent', 'message.read'], mode = 'webhook' } = change;
	const id = change.workflowId ?? workflowId;
	const body = Buffer.from(JSON.stringify(sent));
	const stored = change.stored ?? { owner: `i ${id} ${nodeId}`, secrets: [{ secret, since: 0 }] };
	const signature =
		'signature' in change ? change.signature : `sha256=${signatureOf(body, secret)}`;
	const httpResponse = Object.assign(new EventEmitter(), {
		statusCode: 200,
		status: (status: number) => Object.assign(httpResponse, void (outcome.status = status)),
		json: (response: IDataObject) => (outcome.body = response),
		end: () => httpResponse,
	});
	const outcome = {
		/** Status and body of the trigger's own response, or the items that start the execution. */
		status: undefined as number | undefined,
		body: undefined as IDataObject | undefined,
		items: undefined as IDataObject[] | undefined,
		warnings: [] as string[],
		hasReadBody: false,
		/** n8n's response to a delivery that starts an execution. */
		respond: (statusCode: number) => Object.assign(httpResponse, { statusCode }).end(),
		/** Closes the connection, as a service that no longer waits. */
		close: () => httpResponse.emit('close'),
	};
	const httpRequest = {
		headers: signature === undefined ? {} : { 'x-webhook-signature': signature },
		rawBody: raw === 'read' ? body : undefined,
		readRawBody: async () => {
			outcome.hasReadBody = true;
			if (raw === 'unreadable') throw new Error('stream is not readable');
			// A stream that was read has nothing left.
			httpRequest.rawBody = raw === 'read' ? Buffer.alloc(0) : body;
			return await Promise.resolve();
		},
	};
	// Without a webhook ID, its URL consists of workflow and name.
	const extra = { id: nodeId, name: 'Trigger', webhookId: undefined };
	const parameters = { events, options } as INodeParameters;
	const node = messagingServiceTrigger(parameters, { id: '1', name: 'Sandbox' }, extra);
	const workflow = workflowOf(node, { active: true, id, staticData: { 'node:Trigger': stored } });
	const n8n = { httpRequest, httpResponse, variables: {}, webhookBaseUrl } as never;
	const context = new WebhookContext(workflow, node, n8n, mode, {} as never, [], null);
	const logger = { warn: (text: string) => outcome.warnings.push(text) };
	Object.defineProperty(context, 'logger', { value: logger });
	context.getInstanceId = () => 'i';
	const result = await new MessagingServiceTrigger().webhook.call(context);
	outcome.items = result.workflowData?.[0]?.map(({ json }) => json);
	// n8n doesn't respond if the trigger has.
	expect(result.noWebhookResponse === true).toBe(outcome.status !== undefined);
	if (outcome.items && n8nStatus > 0) outcome.respond(n8nStatus);
	return outcome;
}

/** What a test asserts of most deliveries: items, or status and body of the response. */
const shown = ({ items, status, body }: Outcome) => items ?? [status, body];

test.each<Change>([{}, { raw: 'unread' }])(
	'passes on the payload as it came: %j',
	async (change) => {
		expect(shown(await deliver({}, change))).toEqual([event]);
	},
);

describe('an event without a valid signature', () => {
	test.each<[string, Change]>([
		['without a signature', { signature: undefined }],
		['signed with another secret', { signature: signatureOf(JSON.stringify(event), 'another') }],
		['whose body cannot be read', { raw: 'unreadable' }],
	])('is rejected: %s', async (_name, change) => {
		const outcome = await deliver({}, change);
		const body = { error: 'The signature is missing or does not match' };
		expect([shown(outcome), outcome.warnings]).toEqual([[401, body], []]);
	});

	test.each<[string, IDataObject]>([
		['no secret is stored', {}],
		['the secret is that of another trigger, as after an import', { owner: 'i another node' }],
	])('is rejected if %s, with one warning a minute', async (_name, owner) => {
		const stored = { ...owner, secrets: [{ secret, since: 4e12 }] };
		const { status, warnings } = await deliver({}, { stored });
		expect(status).toBe(401);
		expect((await deliver({}, { stored })).warnings).toEqual([]);
		expect(warnings).toEqual([
			'"Trigger" rejects all events because it has no secret: unpublish its workflow and publish it again',
		]);
	});

	test.each([undefined, 'none'])('is not even read if its signature is %s', async (signature) => {
		const { status, hasReadBody } = await deliver({}, { raw: 'unread', signature });
		expect([status, hasReadBody]).toEqual([401, false]);
	});
});

test('an event waits for a secret that is on its way', async () => {
	let arrive = () => {};
	const request = new Promise<void>((resolve) => (arrive = resolve));
	const address = `${workflowId} node ${webhookBaseUrl}/${workflowId}/trigger/webhook`;
	const registration = expectSecret(address, request);
	const delivery = deliver({}, { stored: {} });
	storeSecret(address, {}, secret);
	arrive();
	await registration;
	expect((await delivery).items).toEqual([event]);
});

const noAge = 'Max Age (Seconds) is not a number';
const noNumbers = 'From Numbers has an empty entry, or an expression that returns nothing';
const nothing = 'is empty: its expression returns nothing';
const noData = { sent: { ...event, data: {} } };

// Which events a trigger ignores is tested in test/unit/trigger/delivery.
test.each<[IDataObject, Change, number, IDataObject]>([
	[{}, { events: [] }, 500, { error: 'Trigger On is empty: select at least one' }],
	[{ maxAgeSeconds: 'abc' }, {}, 500, { error: noAge }],
	[{ maxAgeSeconds: '={{ null }}' }, {}, 500, { error: `Max Age (Seconds) ${nothing}` }],
	[{ fromNumbers: '={{ undefined }}' }, {}, 500, { error: `From Numbers ${nothing}` }],
	[{ fromNumbers: ['+44 1', ' '] }, {}, 500, { error: noNumbers }],
	[{}, { sent: {} }, 400, { error: 'The body is not a JSON object with an event' }],
	[{ fromNumbers: ['+44 1', 'support'] }, noData, 200, { ignored: 'Filtered out' }],
])('with %j, %j starts nothing: status %i and %j', async (options, change, ...response) => {
	expect(shown(await deliver(options, change))).toEqual(response);
});

test('formatted numbers are compared as digits, and no entry lets everything pass', async () => {
	const options = { fromNumbers: ['+44 16 3296-0710'], templateNames: 'other, ORDER_Update' };
	expect(shown(await deliver(options))).toEqual([event]);
	const all = { fromNumbers: [], templateNames: [] };
	expect(shown(await deliver(all, noData))).toEqual([noData.sent]);
});

test.each<[IDataObject, Change, boolean]>([
	[{}, {}, true],
	[{}, { mode: 'manual' }, true],
	[{}, { nodeId: 'another' }, true],
	[{}, { workflowId: 'one more' }, false],
	[{ ignoreOwnMessages: false }, {}, false],
])('an own message, with %j and %j, starts nothing: %s', async (options, change, isIgnored) => {
	const triggerNode = { name: 'Trigger', type: 'a.messagingServiceTrigger' };
	const execution = {
		getWorkflow: () => ({ id: workflowId }),
		getExecutionContext: () => ({ triggerNode }),
	};
	noteOwnMessage(execution as unknown as IExecuteFunctions, event.data);
	const ignored = [200, { ignored: 'Sent by this workflow because of an event' }];
	expect(shown(await deliver(options, change))).toEqual(isIgnored ? ignored : [event]);
});

describe('an event that is delivered again', () => {
	test.each<[string, IDataObject, Change, Change?]>([
		['with the option off', { ignoreDuplicates: false }, {}],
		['of another workflow', {}, { workflowId: 'another' }],
		['of another trigger', {}, { nodeId: 'another' }],
		['of another kind', {}, { sent: { ...event, event: 'message.read' } }],
		['of another message', {}, { sent: { ...event, data: { providerMessageId: 'pm2' } } }],
		['in a test', {}, { mode: 'manual' }],
		['without a message ID', {}, noData, noData],
	])('starts one %s', async (_name, options, change, first = {}) => {
		expect((await deliver({}, first)).items).toBeDefined();
		expect((await deliver(options, change)).items).toBeDefined();
	});

	test.each([200, 399, 400, 503])(
		'after n8n has responded with %s to the first',
		async (n8nStatus) => {
			await deliver({}, { n8nStatus });
			const ignored = [200, { ignored: 'Received before' }];
			expect(shown(await deliver())).toEqual(n8nStatus < 400 ? ignored : [event]);
		},
	);

	test.each<[string, number, (first: Outcome) => void]>([
		['that its service waits for', 200, () => {}],
		['that its service has given up', 200, (first) => first.close()],
		['that its service has given up', 503, (first) => first.close()],
	])('waits for the response to the first, %s: %s', async (_name, status, meanwhile) => {
		const first = await deliver({}, { n8nStatus: 0 });
		let isSecondDone = false;
		const second = deliver().finally(() => (isSecondDone = true));
		meanwhile(first);
		await new Promise(setImmediate);
		expect(isSecondDone).toBe(false);
		first.respond(status);
		expect((await second).items !== undefined).toBe(status >= 400);
	});
});
