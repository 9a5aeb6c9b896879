import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	attachN8n,
	chain,
	messagingServiceTrigger,
	noOp,
	type CredentialRef,
	type N8nApi,
} from '../../harness';
import { deliver, messageEvent, signatureHeader, signatureOf } from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import { waitFor } from '../../harness/waiting';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;

beforeAll(async () => {
	sandbox = await startSandbox({ lifecycle: { enabled: false } });
	credential = await n8n.createCredential('Trigger', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
});

afterAll(async () => await sandbox.close());

const events = ['message.sent', 'message.delivered', 'message.failed'];

/** A workflow with the trigger; its webhook path is unique. */
async function createWorkflow(
	parameters: INodeParameters = {},
	using: { api?: N8nApi; credential?: CredentialRef } = {},
): Promise<{ id: string; webhookId: string }> {
	const webhookId = randomUUID();
	const trigger = messagingServiceTrigger(
		{ events, ...parameters },
		using.credential ?? credential,
		{ webhookId },
	);
	const id = await (using.api ?? n8n).createWorkflow(
		chain(`Trigger ${webhookId}`, [trigger, noOp('Then')]),
	);
	return { id, webhookId };
}

/** Registrations whose URL belongs to a workflow's trigger. */
const registrations = async (webhookId: string) =>
	(await sandbox.control.webhooks()).filter(({ url }) => url.includes(webhookId));

async function onlyRegistration(webhookId: string) {
	const [registration, ...others] = await registrations(webhookId);
	if (!registration || others.length > 0) throw new Error(`${others.length} further registrations`);
	return registration;
}

describe('verdicts', () => {
	interface Answered {
		status: number;
		executions: number;
	}
	type Delivery = Parameters<typeof deliver>[1] & { id?: string };
	/** Name, the delivery made with the webhook's secret, expected status and number of executions. */
	const cases: Array<[string, (secret: string) => Delivery, number, number]> = [];
	const answers = new Map<string, Answered>();

	const signed = (body: string | Buffer, signature: string | string[]): Delivery => ({
		body,
		headers: { [signatureHeader]: signature },
	});
	const add = (
		name: string,
		status: number,
		executions: number,
		make: (body: string, secret: string, id: string) => Delivery,
		event: Partial<ReturnType<typeof messageEvent>> = {},
	) =>
		cases.push([
			name,
			(secret) => {
				const payload = { ...messageEvent(), ...event };
				const body = JSON.stringify(payload);
				return {
					id: payload.data.providerMessageId,
					...make(body, secret, payload.data.providerMessageId),
				};
			},
			status,
			executions,
		]);
	const raw = (name: string, status: number, body: string | Buffer) =>
		add(name, status, 0, (_body, secret) => signed(body, signatureOf(body, secret)));

	add('good signature in hex', 200, 1, (body, secret) => signed(body, signatureOf(body, secret)));
	add('good signature in base64', 200, 1, (body, secret) =>
		signed(body, signatureOf(body, secret, 'base64')),
	);
	add('good signature in hex with prefix', 200, 1, (body, secret) =>
		signed(body, `sha256=${signatureOf(body, secret)}`),
	);
	add('good signature in base64 with prefix', 200, 1, (body, secret) =>
		signed(body, `sha256=${signatureOf(body, secret, 'base64')}`),
	);
	add('gzip, signed over the unpacked body', 200, 1, (body, secret) => ({
		body: gzipSync(body),
		headers: { [signatureHeader]: signatureOf(body, secret), 'content-encoding': 'gzip' },
	}));
	add('wrong signature', 401, 0, (body) => signed(body, 'a'.repeat(64)));
	add('no signature', 401, 0, (body) => ({ body }));
	add('empty signature', 401, 0, (body) => signed(body, ''));
	add('truncated signature', 401, 0, (body, secret) =>
		signed(body, signatureOf(body, secret).slice(0, 63)),
	);
	add('repeated signature', 401, 0, (body, secret) =>
		signed(body, [signatureOf(body, secret), signatureOf(body, secret)]),
	);
	add('over-long signature', 401, 0, (body, secret) =>
		signed(body, signatureOf(body, secret).repeat(60)),
	);
	add('signature of another body', 401, 0, (body, secret) =>
		signed(body, signatureOf('{}', secret)),
	);
	add("signature with another webhook's secret", 401, 0, (body) =>
		signed(body, signatureOf(body, randomUUID())),
	);
	add('body changed by one byte', 401, 0, (body, secret) =>
		signed(body.replace('order_update', 'order_updatf'), signatureOf(body, secret)),
	);
	add('body written again with spaces', 401, 0, (body, secret) =>
		signed(JSON.stringify(JSON.parse(body), null, 1), signatureOf(body, secret)),
	);
	raw('signed, not JSON', 422, 'not JSON');
	raw('signed, not an object', 400, '[]');
	raw('signed, empty body', 400, '');
	add('signed, unknown event', 400, 0, (body, secret) => signed(body, signatureOf(body, secret)), {
		event: 'message.clicked',
	});
	add(
		'signed, event not subscribed',
		200,
		0,
		(body, secret) => signed(body, signatureOf(body, secret)),
		{ event: 'message.read' },
	);
	add('signed, filtered out', 200, 0, (body, secret) => signed(body, signatureOf(body, secret)), {
		data: messageEvent('message.sent', { templateName: 'another' }).data,
	});
	add(
		'signed, older than Max Age',
		400,
		0,
		(body, secret) => signed(body, signatureOf(body, secret)),
		{
			timestamp: new Date(Date.now() - 3_600_000).toISOString(),
		},
	);
	raw(
		"signed, above n8n's 16 MB limit",
		500,
		JSON.stringify({ filler: 'x'.repeat(17 * 1024 * 1024) }),
	);
	add('GET instead of POST', 404, 0, () => ({ method: 'GET' }));

	beforeAll(async () => {
		const { id, webhookId } = await createWorkflow({
			options: { templateNames: ['order_update'], maxAgeSeconds: 300 },
		});
		await n8n.publish(id);
		const { url, secret } = await onlyRegistration(webhookId);
		const statuses = new Map<string, { status: number; id?: string }>();
		for (const [name, make] of cases) {
			const { id: messageId, ...request } = make(secret);
			statuses.set(name, { status: (await deliver(url, request)).status, id: messageId });
		}
		const total = cases.reduce((sum, [, , , executions]) => sum + executions, 0);
		// One more good event: whatever came before it has become an execution by then, if at all.
		const last = JSON.stringify(messageEvent());
		await deliver(url, signed(last, signatureOf(last, secret)));
		const found = await n8n.waitForExecutions(id, total + 1);
		expect(found).toHaveLength(total + 1);
		const started = found.map((execution) => JSON.stringify(execution.json('Then')));
		for (const [name, { status, id: messageId }] of statuses) {
			const executions = started.filter(
				(json) => messageId !== undefined && json.includes(messageId),
			).length;
			answers.set(name, { status, executions });
		}
		await n8n.unpublish(id);
	});

	afterAll(() => {
		const table = [
			'| delivery | answer | executions |',
			'|---|---:|---:|',
			...[...answers].map(
				([name, { status, executions }]) => `| ${name} | ${status} | ${executions} |`,
			),
		].join('\n');
		console.log(table);
		writeTable('verdicts', table);
	});

	test.each(cases)('%s', (name, _make, status, executions) => {
		expect(answers.get(name)).toEqual({ status, executions });
	});
});

test('the payload is passed on as it came', async () => {
	const { id, webhookId } = await createWorkflow();
	await n8n.publish(id);
	const { url, secret } = await onlyRegistration(webhookId);
	const payload = messageEvent();
	const body = JSON.stringify(payload);
	const answer = await deliver(url, {
		body,
		headers: { [signatureHeader]: signatureOf(body, secret) },
	});
	expect(answer.status).toBe(200);
	const [execution] = await n8n.waitForExecutions(id, 1);
	expect(execution?.json('Then')).toEqual([payload]);
	await n8n.unpublish(id);
});

describe('duplicates', () => {
	test('one event twenty times at once starts one execution, two events of a message start two', async () => {
		const { id, webhookId } = await createWorkflow();
		await n8n.publish(id);
		const { id: registration } = await onlyRegistration(webhookId);
		const data = { providerMessageId: randomUUID() };
		const emit = { webhookId: registration, data };
		const first = await sandbox.control.emit({ ...emit, event: 'message.delivered', times: 20 });
		expect(first.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
		// Out of order: `sent` arrives after `delivered`.
		await sandbox.control.emit({ ...emit, event: 'message.sent' });
		const executions = await n8n.waitForExecutions(id, 2);
		expect(executions.map((execution) => execution.json('Then')[0]?.event)).toEqual([
			'message.delivered',
			'message.sent',
		]);
		await n8n.unpublish(id);
	});

	test('with the option off every delivery starts one', async () => {
		const { id, webhookId } = await createWorkflow({ options: { ignoreDuplicates: false } });
		await n8n.publish(id);
		const { id: registration } = await onlyRegistration(webhookId);
		await sandbox.control.emit({ webhookId: registration, times: 3 });
		expect(await n8n.waitForExecutions(id, 3)).toHaveLength(3);
		await n8n.unpublish(id);
	});
});

describe('testing in the editor', () => {
	/** n8n removes the test registration a moment after the event or the click on "Stop". */
	const testingOver = async (webhookId: string) =>
		await waitFor('the test registration to be removed', async () =>
			(await registrations(webhookId)).length === 1 ? true : undefined,
		);

	test('has a registration of its own and leaves the published one alone', async () => {
		const { id, webhookId } = await createWorkflow();
		await n8n.publish(id);
		const published = await onlyRegistration(webhookId);
		await n8n.listen(id);
		const both = await registrations(webhookId);
		expect(both).toHaveLength(2);
		const testing = both.find(({ url }) => url !== published.url);
		expect(testing?.url).toContain('/webhook-test/');
		const [answer] = await sandbox.control.emit({ webhookId: testing?.id });
		expect(answer?.status).toBe(200);
		const [manual] = await n8n.waitForExecutions(id, 1);
		expect(manual?.mode).toBe('manual');
		await testingOver(webhookId);
		expect(await onlyRegistration(webhookId)).toEqual(published);

		await n8n.listen(id);
		await n8n.stopListening(id);
		await testingOver(webhookId);
		expect(await onlyRegistration(webhookId)).toEqual(published);
		await sandbox.control.emit({ webhookId: published.id });
		expect(await n8n.waitForExecutions(id, 2)).toHaveLength(2);
		await n8n.unpublish(id);
	});
});

describe('activation that fails', () => {
	const failing = async (
		make: () => Promise<CredentialRef>,
		prepare: (webhookId: string) => Promise<void> = async () => {},
	) => {
		const { id, webhookId } = await createWorkflow({}, { credential: await make() });
		await prepare(webhookId);
		const error = await n8n.publish(id).then(
			() => undefined,
			(reason: Error) => reason.message,
		);
		return { id, webhookId, error };
	};
	const at = async (baseUrl: string, apiKey: string) =>
		await n8n.createCredential(`Failing ${randomUUID()}`, { baseUrl, apiKey });

	test('says what to do, and the next publish leaves one registration', async () => {
		const { baseUrl, keys } = sandbox;
		const { key: withoutScope } = await sandbox.control.createKey({ scopes: ['balance:read'] });
		const refuse = (status: number, error: string) => async (webhookId: string) => {
			await sandbox.control.addFault({
				kind: 'status',
				method: 'POST',
				path: '/chat/webhooks',
				status,
				body: { error },
				bodyContains: webhookId,
				count: 'infinite',
			});
		};
		const good = async () => await Promise.resolve(credential);
		// n8n tries each five times with growing pauses, so they wait side by side.
		const [badKey, noScope, failure, plainHttp, offline, lost] = await Promise.all([
			failing(async () => await at(baseUrl, 'nonsense')),
			failing(async () => await at(baseUrl, withoutScope)),
			failing(good, refuse(500, 'Out of order')),
			failing(good, refuse(400, 'url must be a valid HTTPS URL')),
			failing(async () => await at('http://127.0.0.1:9/api/v1', keys.production)),
			failing(good, async (webhookId) => {
				// Registered, but the answer with the secret never arrives.
				await sandbox.control.addFault({
					kind: 'cut',
					method: 'POST',
					path: '/chat/webhooks',
					when: 'after',
					bodyContains: webhookId,
					count: 'infinite',
				});
			}),
		]);
		expect(badKey.error).toContain('Unauthorized: Invalid or missing API key. Check the API key');
		expect(noScope.error).toContain("does not have the 'chat:send' permission.");
		expect(noScope.error).toContain('Add the scope chat:send');
		expect(failure.error).toContain('Out of order.');
		expect(plainHttp.error).toContain('WEBHOOK_URL');
		expect(offline.error).toContain('refused the connection');
		expect(offline.error).toContain('Check the base URL');
		expect(lost.error).toContain('was cut before the answer was complete');

		await sandbox.control.clearFaults();
		for (const { id, webhookId } of [failure, plainHttp, lost]) {
			expect(await registrations(webhookId)).toEqual([]);
			await n8n.publish(id);
			await onlyRegistration(webhookId);
			await n8n.unpublish(id);
			expect(await registrations(webhookId)).toEqual([]);
		}
	});

	test('a deletion that fails is made up for by the next publish', async () => {
		const { id, webhookId } = await createWorkflow();
		await n8n.publish(id);
		await sandbox.control.addFault({
			kind: 'status',
			method: 'DELETE',
			path: '/chat/webhooks',
			status: 500,
			body: { error: 'No' },
			count: 'infinite',
		});
		await n8n.unpublish(id);
		expect(await registrations(webhookId)).toHaveLength(1);
		await sandbox.control.clearFaults();
		await n8n.publish(id);
		const { id: registration } = await onlyRegistration(webhookId);
		await sandbox.control.emit({ webhookId: registration });
		expect(await n8n.waitForExecutions(id, 1)).toHaveLength(1);
		await n8n.unpublish(id);
		expect(await registrations(webhookId)).toEqual([]);
	});
});
