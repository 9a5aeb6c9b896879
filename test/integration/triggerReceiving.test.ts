import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { messagingServiceTrigger } from '../../harness/builders';
import { messageEvent, signatureOf } from '../../harness/deliver';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { noteOwnMessage } from '../../nodes/MessagingService/api/ownMessages';
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
	/** As JSON, if it is no text. */
	sent?: unknown;
	signature?: string;
	mode?: WorkflowExecuteMode;
	/** `unread` as for a body that n8n has left alone, `unreadable` for one it has taken apart. */
	raw?: 'read' | 'unread' | 'unreadable';
	/** The status with which n8n responds once it was to start an execution; 0 for not yet. */
	taken?: number;
}

/** What became of a delivery. */
type Outcome = Awaited<ReturnType<typeof deliver>>;

/**
 * Delivers an event to the webhook trigger in a context of the real n8n-core, signed as the service
 * signs unless the change says something else. Request and response are as n8n's server makes them,
 * as far as the trigger may look at them.
 */
async function deliver(options: IDataObject = {}, change: Change = {}) {
	const { sent = event, nodeId = 'node', raw = 'read', taken = 200 } = change;
	const { events = ['message.sent', 'message.read'], mode = 'webhook' } = change;
	const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
	const owner = `i ${change.workflowId ?? workflowId} ${nodeId}`;
	const stored = change.stored ?? { owner, secrets: [{ secret, since: 0 }] };
	const signature =
		'signature' in change ? change.signature : `sha256=${signatureOf(body, secret)}`;
	const response = Object.assign(new EventEmitter(), {
		statusCode: 200,
		status: (status: number) => Object.assign(response, void (outcome.status = status)),
		json: (answer: IDataObject) => (outcome.body = answer),
		end: () => response,
	});
	const outcome = {
		/** Status and body of a response, or what starts the execution. */
		status: undefined as number | undefined,
		body: undefined as IDataObject | undefined,
		items: undefined as IDataObject[] | undefined,
		/** Whether the trigger has responded itself. */
		hasResponded: false,
		warnings: [] as string[],
		/** Whether the trigger has asked n8n for the body. */
		hasReadBody: false,
		/** Lets n8n respond to a delivery that is to start an execution. */
		respond: (status: number) => Object.assign(response, { statusCode: status }).end(),
		/** Closes the connection, as a service that does not wait any longer. */
		close: () => response.emit('close'),
	};
	const request = {
		headers: signature === undefined ? {} : { 'x-webhook-signature': signature },
		...(raw === 'read' ? { rawBody: Buffer.from(body) } : {}),
		readRawBody: async () => {
			outcome.hasReadBody = true;
			if (raw === 'unreadable') throw new Error('stream is not readable');
			// A stream that was read has nothing left.
			Object.assign(request, { rawBody: Buffer.from(raw === 'read' ? '' : body) });
			return await Promise.resolve();
		},
	};
	const credential = { id: '1', name: 'Sandbox' };
	// Without a webhook ID its URL is that of workflow and name.
	const extra = { id: nodeId, name: 'Trigger', webhookId: undefined };
	const node = messagingServiceTrigger({ events, options } as never, credential, extra);
	const staticData = { 'node:Trigger': stored };
	const id = change.workflowId ?? workflowId;
	const n8n = { httpRequest: request, httpResponse: response, variables: {}, webhookBaseUrl };
	const context = new WebhookContext(
		workflowOf(node, { active: true, id, staticData }),
		node,
		n8n as unknown as IWorkflowExecuteAdditionalData,
		mode,
		{} as IWebhookData,
		[],
		null,
	);
	const logger = { warn: (text: string) => outcome.warnings.push(text) };
	Object.defineProperty(context, 'logger', { value: logger });
	context.getInstanceId = () => 'i';
	const { workflowData, noWebhookResponse } = await new MessagingServiceTrigger().webhook.call(
		context,
	);
	outcome.hasResponded = noWebhookResponse === true;
	outcome.items = workflowData?.[0]?.map(({ json }) => json);
	if (outcome.items && taken > 0) outcome.respond(taken);
	return outcome;
}

test.each<Change>([{}, { raw: 'unread' }])(
	'passes on the payload as it came: %j',
	async (change) => {
		const expected = { items: [event], status: undefined, hasResponded: false };
		expect(await deliver({}, change)).toMatchObject(expected);
	},
);

describe('what is not signed', () => {
	test.each<[string, Change]>([
		['without a signature', { signature: undefined }],
		['signed with another secret', { signature: signatureOf(JSON.stringify(event), 'another') }],
		['whose body cannot be read', { raw: 'unreadable' }],
	])('is rejected when it is %s', async (_name, change) => {
		const body = { error: 'The signature is missing or does not match' };
		const rejected = { items: undefined, status: 401, body, warnings: [] };
		expect(await deliver({}, change)).toMatchObject(rejected);
	});

	test.each<[string, IDataObject]>([
		['no secret is known', {}],
		['what is stored is of another trigger, as after an import', { owner: 'i another node' }],
	])('is refused where %s, with one warning a minute', async (_name, owner) => {
		const stored = { ...owner, secrets: [{ secret, since: 4e12 }] };
		const { status, warnings } = await deliver({}, { stored });
		expect(status).toBe(401);
		expect((await deliver({}, { stored })).warnings).toEqual([]);
		expect(warnings).toEqual([
			'"Trigger" rejects all events because it has no secret: unpublish its workflow and publish it again',
		]);
	});

	test('waits for a secret that is on its way', async () => {
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

	test.each([undefined, 'none'])('is not even read if its signature is %s', async (signature) => {
		const { status, hasReadBody } = await deliver({}, { raw: 'unread', signature });
		expect([status, hasReadBody]).toEqual([401, false]);
	});
});

const noAge = 'Max Age (Seconds) is not a number';
const noNumbers = 'From Numbers has an empty entry, or an expression that returns nothing';

test.each<[string, IDataObject, string, Change?]>([
	['a choice of no event', {}, 'Trigger On is empty: select at least one', { events: [] }],
	['an age that cannot be read', { maxAgeSeconds: 'abc' }, noAge],
	['an age that is missing', { maxAgeSeconds: '={{ null }}' }, noAge],
	['a filter whose expression gives nothing', { fromNumbers: '={{ undefined }}' }, noNumbers],
	['a filter with nothing', { fromNumbers: ['+44 1', ' '] }, noNumbers],
])('gives no execution for %s, and says so', async (_name, options, error, change = {}) => {
	const expected = { items: undefined, status: 500, body: { error } };
	expect(await deliver(options, change)).toMatchObject(expected);
});

test.each<[unknown, number, IDataObject]>([
	[{}, 400, { error: 'The body is not a JSON object with an event' }],
	[{ ...event, data: {} }, 200, { ignored: 'Filtered out' }],
])('responds itself to %j', async (sent, status, body) => {
	const outcome = await deliver({ fromNumbers: ['+44 1', 'support'] }, { sent });
	expect(outcome).toMatchObject({ items: undefined, hasResponded: true, status, body });
});

test('formatted numbers are compared as digits, and no entry lets everything pass', async () => {
	const options = { fromNumbers: ['+44 16 3296-0710'], templateNames: 'other, order_update' };
	expect((await deliver(options)).items).toEqual([event]);
	const sent = { ...event, data: {} };
	expect((await deliver({ fromNumbers: [], templateNames: [] }, { sent })).items).toEqual([sent]);
});

test.each<[IDataObject, Change, boolean]>([
	[{}, {}, true],
	[{}, { mode: 'manual' }, true],
	[{}, { nodeId: 'another' }, true],
	[{}, { workflowId: 'one more' }, false],
	[{ ignoreOwnMessages: false }, {}, false],
])('of an own message, with %j and %j, starts nothing: %s', async (options, change, isIgnored) => {
	const triggerNode = { name: 'Trigger', type: 'a.messagingServiceTrigger' };
	const execution = {
		getWorkflow: () => ({ id: workflowId }),
		getExecutionContext: () => ({ triggerNode }),
	};
	noteOwnMessage(execution as unknown as IExecuteFunctions, event.data);
	const { items, status, body } = await deliver(options, change);
	const ignored = [undefined, 200, { ignored: 'Sent by this workflow because of an event' }];
	expect([items, status, body]).toEqual(isIgnored ? ignored : [[event], undefined, undefined]);
});

describe('an event that is delivered again', () => {
	const isPassed = ({ items }: Outcome) => items !== undefined;

	const noId = { sent: { ...event, data: {} } };

	test.each<[string, IDataObject, Change, Change?]>([
		['if it is to', { ignoreDuplicates: false }, {}],
		['of another workflow', {}, { workflowId: 'another' }],
		['of another trigger', {}, { nodeId: 'another' }],
		['of another kind', {}, { sent: { ...event, event: 'message.read' } }],
		['of another message', {}, { sent: { ...event, data: { providerMessageId: 'pm2' } } }],
		['in a test', {}, { mode: 'manual' }],
		['without a message ID', {}, noId, noId],
	])('starts one %s', async (_name, options, change, first = {}) => {
		expect(isPassed(await deliver({}, first))).toBe(true);
		expect(isPassed(await deliver(options, change))).toBe(true);
	});

	test.each([200, 399, 400, 503])('after n8n has responded with %s to the first', async (taken) => {
		expect(isPassed(await deliver({}, { taken }))).toBe(true);
		const { items, status, body } = await deliver();
		const ignored = [undefined, 200, { ignored: 'Received before' }];
		expect([items, status, body]).toEqual(taken < 400 ? ignored : [[event], undefined, undefined]);
	});

	test.each<[string, number, (first: Outcome) => void]>([
		['that its service waits for', 200, () => {}],
		['that its service has given up', 200, (first) => first.close()],
		['that its service has given up', 503, (first) => first.close()],
	])('waits for the response to the first, %s: %s', async (_name, status, meanwhile) => {
		const first = await deliver({}, { taken: 0 });
		let isSecondDone = false;
		const second = deliver().finally(() => (isSecondDone = true));
		meanwhile(first);
		await new Promise(setImmediate);
		expect(isSecondDone).toBe(false);
		first.respond(status);
		expect(isPassed(await second)).toBe(status >= 400);
	});
});
