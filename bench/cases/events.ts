import { randomUUID } from 'node:crypto';
import { sleep } from 'n8n-workflow';
import { inParallel } from '../../nodes/MessagingService/api/parallel';
import { chain, messagingServiceTrigger, node, noOp } from '../../test/support/n8n';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signatureOf,
} from '../../test/support/n8n/deliver';
import { median, percentile, type Row } from '../row';
import type { Stage } from '../stage';

/** Deliveries under way at once. */
const atOnce = 50;

interface Load {
	perSecond: number;
	p99: number;
}

/** Signed events into the trigger against the same requests into n8n's plain Webhook node. */
export async function events(stage: Stage): Promise<Row[]> {
	const count = stage.quick ? 1_000 : 5_000;
	const rounds = stage.quick ? 3 : 5;
	const ours = await publishTrigger(stage);
	const plain = await publishWebhook(stage);
	const loads: { ours: Load[]; plain: Load[] } = { ours: [], plain: [] };
	await load(ours, 200);
	await load(plain, 200);
	for (let round = 0; round < rounds; round++) {
		loads.ours.push(await load(ours, count));
		loads.plain.push(await load(plain, count));
	}
	const of = (kind: 'ours' | 'plain', key: keyof Load) =>
		median(loads[kind].map((one) => one[key]));
	const label = `${count.toLocaleString('en')} signed events`;
	const common = { peerName: 'Webhook node', limit: null, limitRatio: null };
	const [ownRate, plainRate] = [of('ours', 'perSecond'), of('plain', 'perSecond')];
	const [ownP99, plainP99] = [of('ours', 'p99'), of('plain', 'p99')];
	return [
		{
			...common,
			name: `${label}: throughput`,
			unit: 'events/s',
			ours: ownRate,
			peer: plainRate,
			ratio: plainRate / ownRate,
			target: 1 / 0.95,
		},
		{
			...common,
			name: `${label}: answer, 99th percentile`,
			unit: 'ms',
			ours: ownP99,
			peer: plainP99,
			ratio: ownP99 / plainP99,
			target: 1.1,
		},
	];
}

interface Target {
	url: string;
	secret: string;
	/** Executions that were started so far. */
	started(): Promise<number>;
}

async function publishTrigger({ n8n, sandbox, credential }: Stage): Promise<Target> {
	const webhookId = randomUUID();
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential, {
		webhookId,
	});
	const id = await n8n.createWorkflow({
		...chain('Events', [trigger, noOp()]),
		settings: { saveDataSuccessExecution: 'all' },
	});
	await n8n.publish(id);
	const own = (await sandbox.control.webhooks()).find(({ url }) => url.includes(webhookId));
	if (!own) throw new Error('The trigger is not registered');
	return {
		url: own.url,
		secret: own.secret,
		started: async () => await n8n.countExecutions(id, 'success'),
	};
}

async function publishWebhook({ n8n }: Stage): Promise<Target> {
	const path = randomUUID();
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
		{ typeVersion: 2, webhookId: path },
	);
	const id = await n8n.createWorkflow({
		...chain('Plain', [webhook, noOp()]),
		settings: { saveDataSuccessExecution: 'all' },
	});
	await n8n.publish(id);
	const url = `${n8n.url}/webhook/${path}`;
	return { url, secret: 'none', started: async () => await n8n.countExecutions(id, 'success') };
}

/** Sends different events as fast as they are answered; every one must start one execution. */
async function load({ url, secret, started }: Target, count: number): Promise<Load> {
	const requests = Array.from({ length: count }, () => {
		const body = JSON.stringify(messageEvent());
		return { body, headers: { [signatureHeader]: signatureOf(body, secret) } };
	});
	const before = await started();
	const times: number[] = [];
	const start = performance.now();
	await inParallel({ end: count, atOnce }, async (index) => {
		const sent = performance.now();
		const { status } = await deliver(url, requests[index] ?? {});
		if (status !== 200) throw new Error(`An event was answered ${status}`);
		times.push(performance.now() - sent);
	});
	const seconds = (performance.now() - start) / 1_000;
	for (let tries = 0; (await started()) < before + count && tries < 300; tries++) await sleep(200);
	const found = (await started()) - before;
	if (found !== count) throw new Error(`${count} events started ${found} executions`);
	return { perSecond: count / seconds, p99: percentile(times, 0.99) };
}
