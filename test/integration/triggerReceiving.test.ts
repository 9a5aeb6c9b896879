import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { expectSecret, keepSecret } from '../../nodes/MessagingService/trigger/secrets';
import { receive, sign, urlOf, type Delivery, type Outcome } from '../support/core/delivery';

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

test.each<[string, IDataObject, unknown, number, IDataObject]>([
	['no event', {}, '{}', 400, { error: 'The body is not a JSON object with an event' }],
	[
		'an event of another kind',
		{},
		{ ...event, event: 'message.failed' },
		200,
		{ ignored: 'Not subscribed to message.failed' },
	],
	[
		'no sender, where a number is no number',
		{ fromNumbers: ['+91 1', 'support'] },
		{ ...event, data: {} },
		200,
		{ ignored: 'Filtered out' },
	],
	[
		'an age that cannot be read',
		{ maxAgeSeconds: 'abc' },
		event,
		500,
		{ error: 'Max Age (Seconds) is not a number' },
	],
	...[['={{ undefined }}'], ['+91 1', ' '], ''].map(
		(fromNumbers): [string, IDataObject, unknown, number, IDataObject] => [
			`the numbers ${JSON.stringify(fromNumbers)}`,
			{ fromNumbers },
			event,
			500,
			{ error: 'From Numbers has an entry that is empty, or an expression that gives nothing' },
		],
	),
])('gives no execution for %s', async (_name, options, sent, expected, response) => {
	const { items, status, body, hasResponded } = await deliver(options, { sent });
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

	test('starts no second execution', async () => {
		expect(isPassed(await deliver())).toBe(true);
		const { status, body, items } = await deliver();
		expect([items, status, body]).toEqual([undefined, 200, { ignored: 'Received before' }]);
	});

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

	test.each([399, 400, 503])('after n8n has responded with %s to the first', async (status) => {
		await deliver({}, { taken: status });
		expect(isPassed(await deliver())).toBe(status >= 400);
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
