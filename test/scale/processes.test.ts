import { chunk, countBy } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	chain,
	code,
	manualTrigger,
	messagingService,
	messagingServiceDashboardTrigger,
	messagingServicePollingTrigger,
	noOp,
	waitFor,
} from '../../harness';
import { deliver, messageEvent, signed, type Delivery } from '../../harness/deliver';
import { Triggers } from '../support/e2e/triggers';
import { template } from '../support/reliability/stage';
import { startBed, type Bed } from '../support/scale/bed';
import { webhookCall } from '../support/webhookCall';

let bed: Bed;
let triggers: Triggers;
let polling: string;

beforeAll(async () => {
	bed = await startBed();
	const { main, sandbox } = bed;
	const credential = await main.createAccount(sandbox);
	triggers = new Triggers(() => main, sandbox, credential);
	// Nothing else reads the balance, so its requests are this trigger's. It polls once a minute while
	// the other tests run.
	const thresholds = { warningThreshold: 2, criticalThreshold: 1 };
	const parameters = { watch: 'balance', resources: ['voiceMins'], ...thresholds };
	polling = await main.createPublished(
		chain('Polling', [messagingServicePollingTrigger(parameters, credential), noOp()]),
	);
});

afterAll(async () => await bed?.close());

type Event = ReturnType<typeof messageEvent>;

const signedEvent = (event: Event, secret: string) => signed(JSON.stringify(event), secret);

/** Where each webhook process serves what the front would send it. */
const atBoth = (url: string): string[] =>
	bed.webhooks.map((one) => `${one.url}${new URL(url).pathname}`);

/** Delivers to addresses, twenty at once; returns how often each status was answered. */
async function deliverAll(all: Array<[address: string, delivery: Delivery]>) {
	const statuses: number[] = [];
	for (const some of chunk(all, 20)) {
		const answers = await Promise.all(some.map(async (one) => await deliver(...one)));
		statuses.push(...answers.map(({ status }) => status));
	}
	return countBy(statuses);
}

/** Delivers each of some events twice to both webhook processes. */
const deliverTwice = async (events: Event[], url: string, secret: string) =>
	await deliverAll(
		events.flatMap((event) =>
			[...atBoth(url), ...atBoth(url)].map((address): [string, Delivery] => [
				address,
				signedEvent(event, secret),
			]),
		),
	);

const someEvents = (count: number) => Array.from({ length: count }, () => messageEvent());
const idsOf = (events: IDataObject[]) =>
	events.map(({ data }) => (data as IDataObject).providerMessageId).sort();

/** The events that a workflow's executions were started with, one per execution. */
const started = async (workflowId: string): Promise<IDataObject[]> =>
	(await bed.main.executions(workflowId)).flatMap((execution) => execution.json('Then'));

async function waitForCount(workflowId: string, count: number): Promise<void> {
	const isDone = async () => (await bed.main.countExecutions(workflowId, 'success')) >= count;
	await waitFor(`${count} executions`, isDone);
}

// What else happens to a registration is tested in test/e2e/triggerRegistration.
test('the secret of changed events is known to both webhook processes, as is the end', async () => {
	const { id, webhookId } = await triggers.publish();
	const { main } = bed;
	await triggers.changeEvents(id, 'message.delivered', 'message.read');
	const { url, secret } = await triggers.only(webhookId);

	const toBoth = async () =>
		await deliverAll(atBoth(url).map((address) => [address, signedEvent(messageEvent(), secret)]));
	expect(await toBoth()).toEqual({ 200: 2 });
	await waitForCount(id, 2);

	await main.unpublish(id);
	expect(await toBoth()).toEqual({ 404: 2 });
});

test('2,000 events over both webhook processes start 2,000 executions, forged ones none', async () => {
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const events = someEvents(2_000);
	const spread = async (all: Event[], by: string) =>
		await deliverAll(
			all.map((event, index) => [atBoth(url)[index % 2] ?? '', signedEvent(event, by)]),
		);
	expect(await spread(events, secret)).toEqual({ 200: 2_000 });
	expect(await spread(someEvents(200), randomUUID())).toEqual({ 401: 200 });
	for (const count of [500, 1_000, 1_500, events.length]) await waitForCount(id, count);
	expect(idsOf(await started(id))).toEqual(idsOf(events));
	await bed.main.unpublish(id);
});

test('an event that reaches both processes starts one execution in each, however often it comes', async () => {
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const events = someEvents(50);
	expect(await deliverTwice(events, url, secret)).toEqual({ 200: 200 });
	// One more: whatever came before it has become an execution by then, if at all.
	const last = messageEvent();
	await deliver(url, signedEvent(last, secret));
	await waitForCount(id, 101);
	expect(idsOf(await started(id))).toEqual(idsOf([...events, ...events, last]));
	await bed.main.unpublish(id);
});

test('both webhook processes accept dashboard deliveries with the token, and no guess', async () => {
	const { main } = bed;
	const verificationToken = `a token of the dashboard ${randomUUID()}`;
	const credential = await main.createCredential(
		{ verificationToken },
		'messagingServiceDashboard',
	);
	const webhookId = randomUUID();
	const trigger = messagingServiceDashboardTrigger({}, credential, { webhookId });
	const id = await main.createPublished(chain('Dashboard', [trigger, noOp('Then')]));
	const spread = async (tokens: string[]) =>
		await deliverAll(
			tokens.map((token, index) => [
				atBoth(`${main.url}/webhook/${webhookId}/webhook`)[index % 2] ?? '',
				{ body: JSON.stringify({ index }), headers: { 'x-token': token } },
			]),
		);
	expect(await spread(Array(200).fill(verificationToken))).toEqual({ 200: 200 });
	expect(await spread(someEvents(200).map(() => randomUUID()))).toEqual({ 401: 200 });
	await waitForCount(id, 200);
	const all = await started(id);
	expect(new Set(all.map(({ body }) => (body as IDataObject).index)).size).toBe(200);
	expect(JSON.stringify(all)).not.toContain(verificationToken);
	await main.unpublish(id);
});

// n8n shows its workers no workflow as published.
test('in a worker, a published workflow sends, its Retry sends, and a manual run does not', async () => {
	const { main, sandbox, webhooks } = bed;
	const { node: call, send: start } = webhookCall();
	const options = { simulate: 'notInProduction' };
	const parameters = { ...template, phone: '447700900210', options };
	const send = messagingService(parameters, triggers.credential, { name: 'Send' });
	const before = code('throw new Error("Not yet");', 'Before');
	const id = await main.createPublished(chain('Production', [call, before, send]));
	const replace = async (jsCode: string) => {
		const { nodes } = await main.getWorkflow(id);
		const mended = nodes.map((one) =>
			one.name === before.name ? { ...one, parameters: { jsCode } } : one,
		);
		await main.updateWorkflow(id, { nodes: mended });
	};
	const arrived = async () => (await sandbox.control.messages()).length;
	const already = await arrived();
	await start(webhooks[0]?.url ?? '');
	const failed = await main.waitForExecution(await main.newestExecution(id));
	expect(failed.status).toBe('error');
	await replace('return $input.all();');
	const retry = await main.waitForExecution(await main.startRetry(failed.id, true));
	expect([retry.json('Send').length, await arrived()]).toEqual([1, already + 1]);
	await main.publish(id);
	await start(webhooks[0]?.url ?? '');
	const production = await main.waitForExecution(await main.newestExecution(id));
	expect([production.error, await arrived()]).toEqual([undefined, already + 2]);

	const manual = chain('By hand', [manualTrigger(), send]);
	const [simulated] = (await main.tryOut(manual)).json('Send');
	expect([simulated?.simulated, await arrived()]).toEqual([true, already + 2]);
	await main.unpublish(id);
});

test('the polling trigger polls in one process only', async () => {
	const polls = async () =>
		await bed.sandbox.control.journal({ kind: 'request', path: '/balance', method: 'GET' });
	// The first poll belongs to publishing. n8n's shortest interval is a minute.
	await waitFor('two polls after publishing', async () => (await polls()).length >= 3);
	const [, ...others] = await polls();
	const minutes = others.map(({ at: time }) => Math.floor(time / 60_000));
	expect(new Set(minutes).size).toBe(minutes.length);
	await bed.main.unpublish(polling);
});
