import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import axios from 'axios';
import type { INode } from 'n8n-workflow';
import {
	chain,
	connect,
	joined,
	messagingServiceTrigger,
	node,
	rootFolder,
	waitFor,
} from '../../harness';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signatureOf,
	type Delivery,
} from '../../harness/deliver';
import { publish, webhook } from '../flow';
import { alternate, percentile, toRow, type Row } from '../row';
import { openStage, type Stage } from '../stage';

/** Deliveries under way at once. */
const atOnce = 50;

const readPath = 'bench-count';

const leastName = 'the trigger, checking nothing';

interface Load {
	perSecond: number;
	/** Milliseconds. */
	p99: number;
}

/** Takes signed events; tells how many came through. */
interface Receiver {
	url: string;
	secret: string;
	/** Name under which its events are counted; a plain server counts none. */
	counted?: string;
}

/** Has n8n make its sandbox for expressions at the first expression, not at every call of a trigger. */
const lazyAcquire = 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE';

/**
 * Signed events into the trigger, against the Webhook node alone, against the trigger
 * when it checks nothing, against Webhook, Crypto and If nodes that verify, and against a plain server that
 * verifies; then forged ones, against the Webhook
 * node that checks a header.
 *
 * By default n8n spares only its own Webhook node a sandbox for expressions per call, which takes
 * longer than everything else: what that costs has rows of its own without a target.
 */
export async function events(stage: Stage): Promise<Row[]> {
	const lazy = await openStage(stage.options, { [lazyAcquire]: 'true' });
	try {
		// In three rounds.
		const count = stage.sized(1_667, 100);
		const label = `5,000 signed events, ${lazyAcquire}=true`;
		const rows = await signedEvents(lazy, count, { label, hasTargets: true });
		rows.push(await forgedEvents(lazy, count));
		const settings = { label: "60 signed events, n8n's default settings", hasTargets: false };
		return [...rows, ...(await signedEvents(stage, stage.sized(20, 10), settings))];
	} finally {
		await lazy.close();
	}
}

async function signedEvents(
	stage: Stage,
	count: number,
	{ label, hasTargets }: { label: string; hasTargets: boolean },
): Promise<Row[]> {
	const receivers = {
		own: await publishTrigger(stage),
		plain: await publishWebhook(stage),
		least: await publishTrigger(stage, 'n8n-nodes-bench.benchTrigger'),
		verifying: await publishVerifying(stage),
	};
	await publishReader(stage);
	const server = spawn(process.execPath, [
		path.join(rootFolder, 'bench/bare/verifier.mjs'),
		JSON.stringify({ secret: 'bare' }),
	]);
	const [port] = (await once(server.stdout, 'data')) as [Buffer];
	const bareServer = { url: `http://127.0.0.1:${Number(port)}/`, secret: 'bare' };
	for (const receiver of Object.values(receivers))
		await load(stage, receiver, Math.ceil(count / 10));
	const runs = await alternate(stage.rounds, {
		own: async () => await load(stage, receivers.own, count),
		plain: async () => await load(stage, receivers.plain, count),
		least: async () => await load(stage, receivers.least, count),
		// It takes five times as long for each.
		verifying: async () => await load(stage, receivers.verifying, Math.ceil(count / 10)),
		bare: async () => await load(stage, bareServer, count),
	});
	server.stdin.end();

	const target = (value: number) => (hasTargets ? value : undefined);
	return [
		toRow({
			...throughput(label, runs.own),
			peer: runs.verifying.map(({ perSecond }) => perSecond),
			peerName: 'Webhook + Crypto + If',
			target: target(1 / 1.5),
			limit: runs.bare.map(({ perSecond }) => perSecond),
		}),
		toRow({
			...throughput(`${label}: unverified`, runs.own),
			peer: runs.plain.map(({ perSecond }) => perSecond),
			peerName: 'Webhook',
			target: target(1),
			limit: runs.least.map(({ perSecond }) => perSecond),
			limitName: leastName,
		}),
		toRow({
			name: `${label}: response, 99th percentile`,
			unit: 'ms',
			ours: runs.own.map(({ p99 }) => p99),
			peer: runs.plain.map(({ p99 }) => p99),
			peerName: 'Webhook',
			target: target(1.05),
			limit: runs.least.map(({ p99 }) => p99),
			limitName: leastName,
		}),
	];
}

/** Requests that must start nothing: signed with another secret, or with another value in a header. */
async function forgedEvents(stage: Stage, count: number): Promise<Row> {
	const own = await publishTrigger(stage);
	const guarded = await publishGuarded(stage);
	const signed = () => signedDelivery('another secret');
	const guessed = () => ({ body: JSON.stringify(messageEvent()), headers: { 'x-guard': 'guess' } });
	const fireOwn = async (total: number) => await fire(own.url, total, signed, 401);
	const fireGuarded = async (total: number) => await fire(guarded, total, guessed, 403);
	await fireOwn(Math.ceil(count / 10));
	await fireGuarded(Math.ceil(count / 10));
	const runs = await alternate(stage.rounds, {
		own: async () => await fireOwn(count),
		guarded: async () => await fireGuarded(count),
	});
	const name = `5,000 forged events, ${lazyAcquire}=true`;
	return toRow({
		...throughput(name, runs.own),
		peer: runs.guarded.map(({ perSecond }) => perSecond),
		peerName: 'Webhook, header auth',
		target: 1,
	});
}

const throughput = (name: string, runs: Load[]) => ({
	name,
	unit: 'events/s',
	ours: runs.map(({ perSecond }) => perSecond),
	higherIsBetter: true,
});

const count = (name: string): INode => node('Count', 'n8n-nodes-bench.benchCount', { name });

/** The package's trigger, or one that is registered like it. */
async function publishTrigger(
	{ n8n, sandbox, credential }: Stage,
	type?: string,
): Promise<Receiver> {
	const webhookId = randomUUID();
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential, {
		webhookId,
		...(type === undefined ? {} : { type }),
	});
	const counted = type ?? 'own';
	await publish(n8n, chain('Events', [trigger, count(counted)]));
	const own = (await sandbox.control.webhooks()).find(({ url }) => url.includes(webhookId));
	if (!own) throw new Error('The trigger is not registered');
	return { url: own.url, secret: own.secret, counted };
}

async function publishWebhook({ n8n }: Stage): Promise<Receiver> {
	const start = webhook({ path: randomUUID(), responseMode: 'onReceived' });
	await publish(n8n, chain('Plain', [start, count('plain')]));
	return { url: `${n8n.url}/webhook/${start.webhookId}`, secret: 'none', counted: 'plain' };
}

/** What n8n offers for verifying: the HMAC of the raw body by the Crypto node, compared by If. */
async function publishVerifying({ n8n }: Stage): Promise<Receiver> {
	const secret = 'bench';
	const start = webhook({
		path: randomUUID(),
		responseMode: 'onReceived',
		options: { rawBody: true },
	});
	const credential = await n8n.createCredential('Hmac', { hmacSecret: secret }, 'crypto');
	const sign = node(
		'Crypto',
		'n8n-nodes-base.crypto',
		{
			action: 'hmac',
			type: 'SHA256',
			binaryData: true,
			binaryPropertyName: 'data',
			dataPropertyName: 'hmac',
			encoding: 'hex',
		},
		{ typeVersion: 2, credentials: { crypto: credential } },
	);
	const compare = node(
		'If',
		'n8n-nodes-base.if',
		{
			conditions: {
				options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
				combinator: 'and',
				conditions: [
					{
						id: 'signed',
						leftValue: '={{ $json.hmac }}',
						rightValue: `={{ $json.headers["${signatureHeader}"] }}`,
						operator: { type: 'string', operation: 'equals' },
					},
				],
			},
			options: {},
		},
		{ typeVersion: 2.2 },
	);
	const end = node('Count', 'n8n-nodes-bench.benchCount', { name: 'verifying' });
	const workflow = chain('Verifying', [start, sign, compare, end]);
	workflow.connections = joined(connect([start, sign, compare]), connect([compare, end]));
	await publish(n8n, workflow);
	return { url: `${n8n.url}/webhook/${start.webhookId}`, secret, counted: 'verifying' };
}

/** The Webhook node that checks a header; gives its URL. */
async function publishGuarded({ n8n }: Stage): Promise<string> {
	const guard = { name: 'x-guard', value: randomUUID() };
	const httpHeaderAuth = await n8n.createCredential('Guard', guard, 'httpHeaderAuth');
	const start = {
		...webhook({ path: randomUUID(), responseMode: 'onReceived', authentication: 'headerAuth' }),
		credentials: { httpHeaderAuth },
	};
	await publish(n8n, chain('Guarded', [start, count('guarded')]));
	return `${n8n.url}/webhook/${start.webhookId}`;
}

async function publishReader({ n8n }: Stage): Promise<void> {
	const read = node('Count', 'n8n-nodes-bench.benchCount', { read: true });
	const start = webhook({ path: readPath, responseMode: 'lastNode' });
	await publish(n8n, chain('Counted', [start, read]));
}

/** Sends different events as fast as they are answered; every one must start one execution. */
async function load(stage: Stage, receiver: Receiver, total: number): Promise<Load> {
	const before = await counted(stage, receiver);
	const result = await fire(receiver.url, total, () => signedDelivery(receiver.secret), 200);
	if (receiver.counted !== undefined) {
		await waitFor(`${total} executions of ${receiver.counted}`, async () =>
			(await counted(stage, receiver)) === before + total ? true : undefined,
		);
	}
	return result;
}

function signedDelivery(secret: string): Delivery {
	const body = JSON.stringify(messageEvent());
	return { body, headers: { [signatureHeader]: signatureOf(body, secret) } };
}

/** Delivers as fast as the answers come; throws when one has another status. */
async function fire(
	url: string,
	total: number,
	make: () => Delivery,
	expected: number,
): Promise<Load> {
	const deliveries = Array.from({ length: total }, make);
	const times: number[] = [];
	const start = performance.now();
	const worker = async () => {
		for (let delivery = deliveries.pop(); delivery; delivery = deliveries.pop()) {
			const sent = performance.now();
			const { status } = await deliver(url, delivery);
			if (status !== expected) throw new Error(`A delivery was answered ${status}`);
			times.push(performance.now() - sent);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	const seconds = (performance.now() - start) / 1_000;
	return { perSecond: total / seconds, p99: percentile(times, 0.99) };
}

/** Events that came through so far; throws when one came twice. */
async function counted({ n8n }: Stage, { counted: name }: Receiver): Promise<number> {
	if (name === undefined) return 0;
	const { data } = await axios.post<{ events: number; different: number }>(
		`${n8n.url}/webhook/${readPath}`,
		{ name },
		{ proxy: false },
	);
	if (data.events !== data.different) throw new Error('An event started two executions');
	return data.events;
}
