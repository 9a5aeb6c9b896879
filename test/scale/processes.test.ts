import { chunk, countBy } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	chain,
	longPatienceMs,
	messagingServicePollingTrigger,
	noOp,
	waitFor,
	type CredentialRef,
} from '../../harness';
import { deliver, messageEvent, signed, type Delivery } from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import { example } from '../../scripts/start/examples';
import { Triggers } from '../support/e2e/triggers';
import { startBed, type Bed } from '../support/scale/bed';

let bed: Bed;
let credential: CredentialRef;
let triggers: Triggers;
let polling: string;
const rows: string[] = [];

beforeAll(async () => {
	bed = await startBed();
	const { main, sandbox } = bed;
	credential = await main.createAccount(sandbox);
	triggers = new Triggers(() => main, sandbox, credential);
	// Nothing else reads the balance, so its requests are this trigger's. It polls once a minute while
	// the other tests run.
	const thresholds = { warningThreshold: 2, criticalThreshold: 1 };
	const parameters = { watch: 'balance', resources: ['voiceMins'], ...thresholds };
	polling = await main.createPublished(
		chain('Polling', [messagingServicePollingTrigger(parameters, credential), noOp()]),
	);
});

afterAll(async () => {
	const table = ['| what | arrived | executions | answers |', '|---|---:|---:|---|', ...rows];
	console.log(table.join('\n'));
	writeTable('queue-mode', table.join('\n'));
	await bed?.close();
});

const signedEvent = (event: object, secret: string) => signed(JSON.stringify(event), secret);

/** Where one webhook process serves what the front would send it. */
const at = (address: string, url: string): string => `${address}${new URL(url).pathname}`;

/** Delivers to addresses, twenty at once; tells how often each status was answered. */
async function deliverAll(all: Array<[address: string, delivery: Delivery]>): Promise<string> {
	const statuses: number[] = [];
	for (const some of chunk(all, 20)) {
		const answers = await Promise.all(some.map(async (one) => await deliver(...one)));
		statuses.push(...answers.map(({ status }) => status));
	}
	const counts = Object.entries(countBy(statuses));
	return counts.map(([status, count]) => `${count} × ${status}`).join(', ');
}

/** Delivers each of some events twice to both webhook processes. */
const deliverTwice = async (events: object[], url: string, secret: string): Promise<string> =>
	await deliverAll(
		events.flatMap((event) => {
			const both = bed.webhooks.map((one) => at(one.url, url));
			return [...both, ...both].map((address): [string, Delivery] => [
				address,
				signedEvent(event, secret),
			]);
		}),
	);

const someEvents = (count: number) => Array.from({ length: count }, () => messageEvent());
const idsOf = (events: IDataObject[]) =>
	events.map(({ data }) => (data as IDataObject).providerMessageId).sort();

/** The events that a workflow's executions were started with, one per execution. */
const started = async (workflowId: string): Promise<IDataObject[]> =>
	(await bed.main.executions(workflowId)).flatMap((execution) => execution.json('Then'));

const waitForCount = async (workflowId: string, count: number) =>
	await waitFor(
		`${count} executions`,
		async () => (await bed.main.countExecutions(workflowId, 'success')) >= count,
		longPatienceMs,
	);

test('one registration however often it is published, none after unpublishing', async () => {
	const { id, webhookId, registration: first } = await triggers.publish();
	const { main, webhooks, front } = bed;
	expect(first.url.startsWith(front.url)).toBe(true);
	await main.publish(id);
	expect(await triggers.only(webhookId)).toEqual(first);
	await triggers.changeEvents(id, 'message.delivered', 'message.read');
	const { url, secret, events } = await triggers.only(webhookId);
	expect(events).toEqual(['message.delivered', 'message.read']);

	const toBoth = async () =>
		await deliverAll(
			webhooks.map((one) => [at(one.url, url), signedEvent(messageEvent(), secret)]),
		);
	expect(await toBoth()).toBe('2 × 200');
	await waitForCount(id, 2);

	await main.unpublish(id);
	expect(await triggers.registrations(webhookId)).toEqual([]);
	expect(await toBoth()).toBe('2 × 404');
	expect(await main.countExecutions(id, 'success')).toBe(2);
});

test('2,000 events over both webhook processes start 2,000 executions, forged ones none', async () => {
	const { main, webhooks, front } = bed;
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const events = someEvents(2_000);
	front.answered.clear();
	const answers = await deliverAll(events.map((event) => [url, signedEvent(event, secret)]));
	const forged = someEvents(200).map((event, index): [string, Delivery] => [
		at(webhooks[index % 2]?.url ?? '', url),
		signedEvent(event, randomUUID()),
	]);
	const forgedAnswers = await deliverAll(forged);

	expect([answers, forgedAnswers]).toEqual(['2000 × 200', '200 × 401']);
	expect([...front.answered.values()]).toEqual([1_000, 1_000]);
	for (const count of [500, 1_000, 1_500, events.length]) await waitForCount(id, count);
	const found = await started(id);
	rows.push(`| signed events over both webhook processes | 2000 | ${found.length} | ${answers} |`);
	rows.push(`| forged events, to both | 200 | 0 | ${forgedAnswers} |`);
	expect(idsOf(found)).toEqual(idsOf(events));
	await main.unpublish(id);
});

test('an event that reaches both processes starts one execution in each, however often it comes', async () => {
	const { id, registration } = await triggers.publish();
	const { url, secret } = registration;
	const events = someEvents(50);
	const answers = await deliverTwice(events, url, secret);
	expect(answers).toBe('200 × 200');
	// One more: whatever came before it has become an execution by then, if at all.
	const last = messageEvent();
	await deliver(url, signedEvent(last, secret));
	await waitForCount(id, 101);
	const found = await started(id);
	rows.push(`| 50 events, each twice to both processes | 200 | ${found.length - 1} | ${answers} |`);
	expect(idsOf(found)).toEqual(idsOf([...events, ...events, last]));
	await bed.main.unpublish(id);
});

test('with the example each-event-once an event that reaches both processes takes effect once', async () => {
	const { main, sandbox } = bed;
	const messagingServiceApi = credential;
	const postgres = await main.createCredential('Postgres', bed.postgresCredential, 'postgres');
	const { nodes, ...rest } = example('each-event-once.json');
	for (const node of nodes) {
		if (node.credentials?.postgres) node.credentials = { postgres };
		else if (node.credentials) node.credentials = { messagingServiceApi };
	}
	const id = await main.createWorkflow({ ...rest, nodes });
	expect((await main.run(id, { trigger: 'Set Up' })).error).toBeUndefined();
	await main.publish(id);
	const [{ url, secret } = { url: '', secret: '' }] = await sandbox.control.webhooks();

	const events = someEvents(50);
	const answers = await deliverTwice(events, url, secret);
	expect(answers).toBe('200 × 200');
	await waitForCount(id, 101);
	const executions = (await main.executions(id)).filter(({ mode }) => mode === 'webhook');
	expect(executions).toHaveLength(100);
	const effects = executions.flatMap((execution) => execution.json('Do It Once'));
	rows.push(
		`| the same with PostgreSQL as the judge (each-event-once) | 200 | 100, ${effects.length} with an effect | ${answers} |`,
	);
	expect(idsOf(effects)).toEqual(idsOf(events));
	await main.unpublish(id);
});

test('the polling trigger polls in one process only', async () => {
	const polls = async () =>
		await bed.sandbox.control.journal({ kind: 'request', path: '/balance', method: 'GET' });
	// The first poll belongs to publishing. n8n's shortest interval is a minute.
	const isThere = async () => (await polls()).length >= 3;
	await waitFor('two polls after publishing', isThere, longPatienceMs);
	const [, ...others] = await polls();
	const minutes = others.map(({ at: time }) => Math.floor(time / 60_000));
	rows.push(
		`| polls in ${new Set(minutes).size} minutes | ${minutes.length} | 0 | one per minute |`,
	);
	expect(new Set(minutes).size).toBe(minutes.length);
	await bed.main.unpublish(polling);
});
