import { chunk } from 'lodash';
import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
	chain,
	messagingService,
	messagingServicePollingTrigger,
	messagingServiceTrigger,
	noOp,
	waitFor,
	type CredentialRef,
} from '../../harness';
import { deliver, messageEvent, signatureHeader, signatureOf } from '../../harness/deliver';
import { writeTable } from '../../harness/docs';
import { example } from '../../scripts/start/examples';
import { startBed, type Bed } from '../support/scale/bed';
import { arrived, publishSending, recipients, sender, sendTemplate } from '../support/scale/sends';

let bed: Bed;
let credential: CredentialRef;
let polling: string;
const rows: string[] = [];

/** For 10,000 executions, or two polls. */
const patienceMs = 600_000;

beforeAll(async () => {
	bed = await startBed();
	const { main, sandbox } = bed;
	credential = await main.createCredential('Scale', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
	// Nothing else reads the balance, so its requests are this trigger's. It polls once a minute while
	// the other tests run.
	const parameters = { watch: 'balance', resources: ['voiceMins'], warningThreshold: 1 };
	polling = await main.createWorkflow(
		chain('Polling', [messagingServicePollingTrigger(parameters, credential), noOp()]),
	);
	await main.publish(polling);
});

afterAll(async () => {
	const table = ['| what | arrived | executions | answers |', '|---|---:|---:|---|', ...rows];
	console.log(table.join('\n'));
	writeTable('queue-mode', table.join('\n'));
	await bed?.close();
});

/** A workflow with the trigger, and what its webhook is registered with. */
async function createTrigger() {
	const webhookId = randomUUID();
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential, {
		webhookId,
	});
	const id = await bed.main.createWorkflow(chain(`Trigger ${webhookId}`, [trigger, noOp('Then')]));
	const registrations = async () =>
		(await bed.sandbox.control.webhooks()).filter(({ url }) => url.includes(webhookId));
	const only = async () => {
		const [registration, ...others] = await registrations();
		if (!registration || others.length > 0) throw new Error(`${others.length} further ones`);
		return registration;
	};
	return { id, trigger, registrations, only };
}

/** A delivery of an event, signed. */
const signed = (body: string, secret: string) => ({
	body,
	headers: { [signatureHeader]: signatureOf(body, secret) },
});

/** Where one webhook process serves what the front would send it. */
const at = (address: string, url: string): string => `${address}${new URL(url).pathname}`;

/** How often each status was answered. */
class Answers {
	private readonly counts = new Map<number, number>();

	add({ status }: { status: number }): void {
		this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
	}

	toString(): string {
		return [...this.counts].map(([status, count]) => `${count} × ${status}`).join(', ');
	}
}

/** Ids of the messages that a workflow's executions were started with, one per execution. */
async function started(workflowId: string): Promise<string[]> {
	const found = await bed.main.executions(workflowId);
	return found.flatMap((execution) =>
		execution
			.json('Then')
			.map(({ data }) => (data as { providerMessageId: string }).providerMessageId),
	);
}

const waitForCount = async (workflowId: string, count: number) =>
	await waitFor(
		`${count} executions`,
		async () =>
			(await bed.main.countExecutions(workflowId, 'success')) >= count ? true : undefined,
		patienceMs,
	);

test('one registration however often it is published, none after unpublishing', async () => {
	const { id, trigger, registrations, only } = await createTrigger();
	const { main, webhooks, front } = bed;
	await main.publish(id);
	const first = await only();
	expect(first.url.startsWith(front.url)).toBe(true);
	await main.republish(id);
	expect(await only()).toEqual(first);
	await main.updateWorkflow(id, {
		nodes: [
			{ ...trigger, parameters: { events: ['message.delivered', 'message.read'] } },
			noOp('Then'),
		],
	});
	await main.republish(id);
	const { url, secret, events } = await only();
	expect(events).toEqual(['message.delivered', 'message.read']);

	const processes = webhooks.map((process) => at(process.url, url));
	for (const address of processes) {
		const answer = await deliver(address, signed(JSON.stringify(messageEvent()), secret));
		expect(answer.status).toBe(200);
	}
	await waitForCount(id, 2);

	await main.unpublish(id);
	expect(await registrations()).toEqual([]);
	for (const address of processes) {
		const answer = await deliver(address, signed(JSON.stringify(messageEvent()), secret));
		expect(answer.status).toBe(404);
	}
	expect(await main.countExecutions(id, 'success')).toBe(2);
});

test('10,000 events over both webhook processes start 10,000 executions, forged ones none', async () => {
	const { id, only } = await createTrigger();
	const { main, webhooks, front } = bed;
	await main.publish(id);
	const { url, secret } = await only();
	const events = Array.from({ length: 10_000 }, () => messageEvent());
	const forged = { count: 500, answers: new Answers() };
	const answers = new Answers();
	front.answered.clear();

	for (const some of chunk(events, 20)) {
		const deliveries = some.map(async (event) => {
			answers.add(await deliver(url, signed(JSON.stringify(event), secret)));
		});
		// Each forged event goes to both processes themselves.
		const forgeries = webhooks.map(async (process) => {
			const forgery = signed(JSON.stringify(messageEvent()), randomUUID());
			forged.answers.add(await deliver(at(process.url, url), forgery));
		});
		await Promise.all([...deliveries, ...forgeries]);
	}

	expect(String(answers)).toBe('10000 × 200');
	expect(String(forged.answers)).toBe(`${forged.count * 2} × 401`);
	expect([...front.answered.values()]).toEqual([5_000, 5_000]);
	await waitForCount(id, events.length);
	const ids = await started(id);
	rows.push(`| signed events over both webhook processes | 10000 | ${ids.length} | ${answers} |`);
	rows.push(`| forged events, to both | ${forged.count * 2} | 0 | ${forged.answers} |`);
	expect(ids.sort()).toEqual(events.map(({ data }) => data.providerMessageId).sort());
	await main.unpublish(id);
});

test('an event that reaches both processes starts one execution in each, however often it comes', async () => {
	const { id, only } = await createTrigger();
	const { main, webhooks } = bed;
	await main.publish(id);
	const { url, secret } = await only();
	const events = Array.from({ length: 50 }, () => messageEvent());
	const answers = new Answers();
	for (const event of events) {
		const delivery = signed(JSON.stringify(event), secret);
		const addresses = webhooks.flatMap(({ url: address }) => [at(address, url), at(address, url)]);
		await Promise.all(
			addresses.map(async (address) => answers.add(await deliver(address, delivery))),
		);
	}
	expect(String(answers)).toBe('200 × 200');
	// One more: whatever came before it has become an execution by then, if at all.
	const last = messageEvent();
	await deliver(url, signed(JSON.stringify(last), secret));
	await waitForCount(id, 101);
	const ids = (await started(id)).filter((one) => one !== last.data.providerMessageId);
	rows.push(`| 50 events, each twice to both processes | 200 | ${ids.length} | ${answers} |`);
	const twice = events.flatMap(({ data }) => [data.providerMessageId, data.providerMessageId]);
	expect(ids.sort()).toEqual(twice.sort());
	await main.unpublish(id);
});

test('with the example each-event-once an event that reaches both processes takes effect once', async () => {
	const { main, webhooks, sandbox } = bed;
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

	const events = Array.from({ length: 50 }, () => messageEvent());
	const answers = new Answers();
	await Promise.all(
		events.map(async (event) => {
			const delivery = signed(JSON.stringify(event), secret);
			const addresses = webhooks.flatMap((one) => [at(one.url, url), at(one.url, url)]);
			for (const address of addresses) answers.add(await deliver(address, delivery));
		}),
	);
	expect(String(answers)).toBe('200 × 200');
	await waitForCount(id, 101);
	const executions = (await main.executions(id)).filter(({ mode }) => mode === 'webhook');
	expect(executions).toHaveLength(100);
	const effects = executions.flatMap((execution) => execution.json('Do It Once'));
	rows.push(
		`| the same with PostgreSQL as the judge (each-event-once) | 200 | 100, ${effects.length} with an effect | ${answers} |`,
	);
	const idOf = (event: IDataObject) => (event.data as IDataObject).providerMessageId;
	expect(effects.map(idOf).sort()).toEqual(events.map(idOf).sort());
	await main.unpublish(id);
});

test('1,000 single sends through a worker', async () => {
	const sending = await publishSending(bed, 1_000, sendTemplate(credential));
	const execution = await bed.main.waitForExecution(await sending.start(), patienceMs);
	expect(execution.status).toBe('success');
	expect(execution.json(sender).every(({ success }) => success === true)).toBe(true);
	const phones = await arrived(bed);
	rows.push(`| 1,000 single sends | ${phones.length} | 1 | all accepted |`);
	expect(phones.sort()).toEqual(recipients(1_000));
});

test('a campaign for 100,000 recipients through a worker', async () => {
	const campaign = messagingService(
		{ resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' },
		credential,
		{ name: sender },
	);
	const sending = await publishSending(bed, 100_000, campaign);
	const execution = await bed.main.waitForExecution(await sending.start(), patienceMs);
	expect(execution.status).toBe('success');
	expect(execution.json(sender).map(({ total }) => total)).toEqual(Array(10).fill(10_000));
	const requests = await bed.sandbox.control.journal({ kind: 'request', path: '/chat/bulk-send' });
	const phones = requests.flatMap(({ body }) =>
		(body as { recipients: Array<{ phone: string }> }).recipients.map(({ phone }) => phone),
	);
	rows.push(`| a campaign for 100,000 recipients | ${phones.length} | 1 | 10 campaigns |`);
	expect(phones.sort()).toEqual(recipients(100_000));
});

test('the polling trigger polls in one process only', async () => {
	const polls = async () =>
		await bed.sandbox.control.journal({ kind: 'request', path: '/balance', method: 'GET' });
	// The first poll belongs to publishing. n8n's shortest interval is a minute.
	const [, ...others] = await waitFor(
		'two polls after publishing',
		async () => {
			const found = await polls();
			return found.length >= 3 ? found : undefined;
		},
		patienceMs,
	);
	const minutes = others.map(({ at: time }) => Math.floor(time / 60_000));
	rows.push(
		`| polls in ${new Set(minutes).size} minutes | ${minutes.length} | 0 | one per minute |`,
	);
	expect(new Set(minutes).size).toBe(minutes.length);
	await bed.main.unpublish(polling);
});
