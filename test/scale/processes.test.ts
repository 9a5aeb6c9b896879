import { chunk, countBy } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { waitFor } from '../../harness';
import { deliver, messageEvent, signed, type Delivery } from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import { example } from '../../scripts/start/examples';
import { useTriggers } from '../support/e2e/triggers';
import { startBed, type Bed } from '../support/scale/bed';

let bed: Bed;
const rows: string[] = [];

/** For 2,000 executions. */
const patienceMs = 600_000;

beforeAll(async () => (bed = await startBed()));

const triggers = useTriggers(() => bed.main);

afterAll(async () => {
	const table = ['| what | arrived | executions | answers |', '|---|---:|---:|---|', ...rows];
	writeTable('queue-mode', table.join('\n'));
	await bed?.close();
});

/** Publishes a workflow with the trigger; gives what its webhook is registered with. */
async function published() {
	const { id, webhookId } = await triggers.create();
	await bed.main.publish(id);
	const { url, secret } = await triggers.only(webhookId);
	return { id, url, secret };
}

const signedEvent = (event: object, secret: string) => signed(JSON.stringify(event), secret);

/** Where each of the webhook processes serves what is registered. */
const atBoth = (url: string): string[] =>
	bed.webhooks.map((one) => `${one.url}${new URL(url).pathname}`);

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

/** Delivers each event to one of the webhook processes, to both in turn. */
const deliverInTurn = async (events: object[], url: string, secret: string): Promise<string> =>
	await deliverAll(
		events.map((event, index): [string, Delivery] => [
			atBoth(url)[index % 2] ?? '',
			signedEvent(event, secret),
		]),
	);

/** Delivers each event twice to both webhook processes. */
const deliverTwice = async (events: object[], url: string, secret: string): Promise<string> =>
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

const waitForCount = async (workflowId: string, count: number) =>
	await waitFor(
		`${count} executions`,
		async () =>
			(await bed.main.countExecutions(workflowId, 'success')) >= count ? true : undefined,
		patienceMs,
	);

test('2,000 events over both webhook processes start 2,000 executions, forged ones none', async () => {
	const { id, url, secret } = await published();
	const events = someEvents(2_000);
	const answers = await deliverInTurn(events, url, secret);
	const forgedAnswers = await deliverInTurn(someEvents(200), url, randomUUID());
	expect([answers, forgedAnswers]).toEqual(['2000 × 200', '200 × 401']);
	await waitForCount(id, events.length);
	const found = await started(id);
	rows.push(`| signed events over both webhook processes | 2000 | ${found.length} | ${answers} |`);
	rows.push(`| forged events, to both | 200 | 0 | ${forgedAnswers} |`);
	expect(idsOf(found)).toEqual(idsOf(events));
	await bed.main.unpublish(id);
});

test('an event that reaches both processes starts one execution in each, however often it comes', async () => {
	const { id, url, secret } = await published();
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
	const { main } = bed;
	const messagingServiceApi = triggers.credential;
	const postgres = await main.createCredential('Postgres', bed.postgresCredential, 'postgres');
	const { nodes, ...rest } = example('each-event-once.json');
	for (const node of nodes) {
		if (node.credentials?.postgres) node.credentials = { postgres };
		else if (node.credentials) node.credentials = { messagingServiceApi };
	}
	const id = await main.createWorkflow({ ...rest, nodes });
	expect((await main.run(id, { trigger: 'Set Up' })).error).toBeUndefined();
	await main.publish(id);
	const { url, secret } = await triggers.only('');

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
