import { createHmac, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { expectSecret, keepSecret } from '../../nodes/MessagingService/trigger/secrets';
import { workflowOf } from '../support/core/workflow';

/** How something is delivered to a trigger. */
interface Delivery {
	workflowId: string;
	nodeId?: string;
	parameters: IDataObject;
	/** What n8n has saved for the trigger. */
	stored: IDataObject;
	body: string;
	/** None if undefined. */
	signature: string | undefined;
	mode?: WorkflowExecuteMode;
	/** `unread` as for a body that n8n has left alone, `unreadable` for one it has taken apart. */
	raw?: 'read' | 'unread' | 'unreadable';
	/** The status with which n8n responds once it was to start an execution; 0 for not yet. */
	taken?: number;
}

/** What became of a delivery: the status and body of a response, or what starts the execution. */
interface Outcome {
	status?: number;
	body?: IDataObject;
	items?: IDataObject[];
	/** Lets n8n respond to a delivery that is to start an execution. */
	respond: (status: number) => void;
	/** Closes the connection, as a service that does not wait any longer. */
	close: () => void;
	/** Whether the trigger says that it has responded itself. */
	hasResponded: boolean;
	warnings: string[];
	/** Whether the trigger has asked n8n for the body. */
	hasReadBody: boolean;
}

const sign = (body: string, secret: string): string =>
	`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const webhookBaseUrl = 'https://n8n.example/webhook';

/** The URL of the trigger of a workflow. */
const urlOf = (workflowId: string): string => `${webhookBaseUrl}/${workflowId}/trigger/webhook`;

/**
 * Delivers to the webhook trigger in a context of the real n8n-core. Request and response are as
 * n8n's server makes them, as far as the trigger may look at them.
 */
async function receive(delivery: Delivery): Promise<Outcome> {
	const { workflowId, nodeId = 'node', parameters, stored, signature, mode = 'webhook' } = delivery;
	const { body, raw = 'read', taken = 200 } = delivery;
	const outcome: Outcome = {
		respond: () => {},
		close: () => response.emit('close'),
		hasResponded: false,
		warnings: [],
		hasReadBody: false,
	};
	const request: IDataObject & { rawBody?: Buffer } = {
		headers: signature === undefined ? {} : { 'x-webhook-signature': signature },
		...(raw === 'read' ? { rawBody: Buffer.from(body) } : {}),
		readRawBody: async () => {
			outcome.hasReadBody = true;
			if (raw === 'unreadable') throw new Error('stream is not readable');
			// A stream that was read has nothing left.
			request.rawBody = Buffer.from(raw === 'read' ? '' : body);
			return await Promise.resolve();
		},
	} as never;
	const response = Object.assign(new EventEmitter(), {
		statusCode: 200,
		status(status: number) {
			outcome.status = status;
			return response;
		},
		json(sent: IDataObject) {
			outcome.body = sent;
		},
		end: () => response,
	});
	const node: INode = {
		id: nodeId,
		name: 'Trigger',
		type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
	};
	const workflow = workflowOf(node, {
		active: true,
		id: workflowId,
		staticData: { 'node:Trigger': stored },
	});
	const additionalData = {
		httpRequest: request,
		httpResponse: response,
		variables: {},
		webhookBaseUrl,
	};
	const context = new WebhookContext(
		workflow,
		node,
		additionalData as unknown as IWorkflowExecuteAdditionalData,
		mode,
		{} as IWebhookData,
		[],
		null,
	);
	const logger = { warn: (text: string) => outcome.warnings.push(text) };
	Object.defineProperty(context, 'logger', { value: logger });
	const { workflowData, noWebhookResponse } = await new MessagingServiceTrigger().webhook.call(
		context,
	);
	outcome.hasResponded = noWebhookResponse === true;
	outcome.items = workflowData?.[0]?.map(({ json }) => json);
	outcome.respond = (status) => {
		response.statusCode = status;
		response.end();
	};
	if (outcome.items && taken > 0) outcome.respond(taken);
	return outcome;
}

const secret = 'a secret of the test';
const event = {
	event: 'message.sent',
	timestamp: '2026-01-31T11:59:00.000Z',
	data: { providerMessageId: 'pm1', from: '918047104710', templateName: 'welcome' },
};

let workflowId: string;
beforeEach(() => {
	workflowId = randomUUID();
});

/** Delivers an event, signed as the service signs unless the change says something else. */
async function deliver(
	options: IDataObject = {},
	change: Partial<Delivery> & { sent?: unknown } = {},
): Promise<Outcome> {
	const { sent = event, ...rest } = change;
	const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
	return await receive({
		workflowId,
		parameters: { events: ['message.sent', 'message.read'], options },
		stored: { secrets: [{ secret, since: 0 }] },
		body,
		signature: sign(body, secret),
		...rest,
	});
}

test('gives no execution where no event is chosen, and says so', async () => {
	const { items, status, body } = await deliver({}, { parameters: { events: [], options: {} } });
	expect([items, status, body]).toEqual([undefined, 500, { error: 'Events has no choice' }]);
});

test('starts an execution with the payload as it came', async () => {
	const { items, status, hasResponded } = await deliver();
	expect(items).toEqual([event]);
	expect(status).toBeUndefined();
	expect(hasResponded).toBe(false);
});

describe('what is not signed', () => {
	test.each<[string, Partial<Delivery>]>([
		['without a signature', { signature: undefined }],
		['signed with another secret', { signature: sign(JSON.stringify(event), 'another') }],
		['whose body cannot be read', { raw: 'unreadable' }],
	])('is refused when it is %s', async (_name, change) => {
		const { items, status, body, warnings } = await deliver({}, change);
		expect(items).toBeUndefined();
		expect(status).toBe(401);
		expect(body).toEqual({ error: 'The signature is missing or does not match' });
		expect(warnings).toEqual([]);
	});

	test('is refused with a warning where no secret is known', async () => {
		const { status, warnings } = await deliver({}, { stored: {} });
		expect(status).toBe(401);
		expect(warnings).toEqual([
			'"Trigger" refuses all events because it has no secret: unpublish its workflow and publish it again',
		]);
	});

	test('waits for a secret that is on its way', async () => {
		let arrive = () => {};
		const request = new Promise<void>((resolve) => (arrive = resolve));
		const address = `${workflowId} node ${urlOf(workflowId)}`;
		const registration = expectSecret(address, request);
		const delivery = deliver({}, { stored: {} });
		keepSecret(address, {}, secret);
		arrive();
		await registration;
		expect((await delivery).items).toEqual([event]);
	});

	test('a body that n8n has left alone is read', async () => {
		expect((await deliver({}, { raw: 'unread' })).items).toEqual([event]);
	});

	test('is not even read if it has no signature', async () => {
		const { status, hasReadBody } = await deliver({}, { raw: 'unread', signature: undefined });
		expect([status, hasReadBody]).toEqual([401, false]);
	});
});

const noAge = 'Max Age (Seconds) is not a number';
const noNumbers = 'From Numbers has an entry that is empty, or an expression that gives nothing';

test.each<[string, IDataObject, string, number, IDataObject]>([
	['no event', {}, '{}', 400, { error: 'The body is not a JSON object with an event' }],
	[
		'no sender, where a number is no number',
		{ fromNumbers: ['+91 1', 'support'] },
		JSON.stringify({ ...event, data: {} }),
		200,
		{ ignored: 'Filtered out' },
	],
	['an age that cannot be read', { maxAgeSeconds: 'abc' }, '', 500, { error: noAge }],
	['no filter', { fromNumbers: ['={{ undefined }}'] }, '', 500, { error: noNumbers }],
	[
		'a filter whose expression gives nothing',
		{ fromNumbers: '={{ undefined }}' },
		'',
		500,
		{ error: noNumbers },
	],
	['an age that is missing', { maxAgeSeconds: '={{ null }}' }, '', 500, { error: noAge }],
	['a filter with nothing', { fromNumbers: ['+91 1', ' '] }, '', 500, { error: noNumbers }],
	['an empty filter', { fromNumbers: '' }, '', 500, { error: noNumbers }],
])('gives no execution for %s', async (_name, options, sent, expected, response) => {
	const { items, status, body, hasResponded } = await deliver(options, { sent: sent || event });
	expect(items).toBeUndefined();
	expect(hasResponded).toBe(true);
	expect(status).toBe(expected);
	expect(body).toEqual(response);
});

test('formatted numbers are compared as digits, and no entry lets everything pass', async () => {
	const options = { fromNumbers: ['+91 80 4710-4710'], templateNames: 'other, welcome' };
	expect((await deliver(options)).items).toEqual([event]);
	const sent = { ...event, data: {} };
	expect((await deliver({ fromNumbers: [], templateNames: [] }, { sent })).items).toEqual([sent]);
});

describe('an event that is delivered again', () => {
	const isPassed = ({ items }: Outcome) => items !== undefined;

	test.each<[string, IDataObject, Partial<Delivery> & { sent?: unknown }]>([
		['if it is to', { ignoreDuplicates: false }, {}],
		['of another workflow', {}, { workflowId: 'another' }],
		['of another trigger', {}, { nodeId: 'another' }],
		['of another kind', {}, { sent: { ...event, event: 'message.read' } }],
		['of another message', {}, { sent: { ...event, data: { providerMessageId: 'pm2' } } }],
		['in a test', {}, { mode: 'manual' }],
	])('starts one %s', async (_name, options, change) => {
		expect(isPassed(await deliver())).toBe(true);
		expect(isPassed(await deliver(options, change))).toBe(true);
	});

	test('starts one each time without a message id', async () => {
		const sent = { ...event, data: {} };
		expect(isPassed(await deliver({}, { sent }))).toBe(true);
		expect(isPassed(await deliver({}, { sent }))).toBe(true);
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
