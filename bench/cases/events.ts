import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';
import { chain, connect, joined, messagingServiceTrigger, node, waitFor } from '../../harness';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signed,
	type Delivery,
} from '../../harness/deliver';
import { bench, call, publish, publishSwitch, webhook, type Stage } from '../stage';
import { alternate, toRow, type Row } from '../row';

/** Deliveries under way at once. */
const atOnce = 50;

const readPath = 'bench-counted';

/** Takes events. */
interface Receiver {
	/** Under which its executions are counted. */
	name: string;
	url: string;
	make(): Delivery;
}

/**
 * Signed events into the trigger, against Webhook, Crypto and If nodes that verify, and against the
 * Webhook node alone.
 */
export async function events(stage: Stage): Promise<Row[]> {
	const count = stage.sized(500, 100);
	await publishSwitch(stage.n8n, readPath, bench('counted'));
	const own = await publishTrigger(stage);
	const verifying = await publishVerifying(stage);
	const plain = await publishWebhook(stage);
	for (const receiver of [own, plain, verifying]) await load(stage, receiver, 50);
	const runs = await alternate(stage.rounds, {
		own: async () => await load(stage, own, count),
		plain: async () => await load(stage, plain, count),
		// It takes five times as long for each.
		verifying: async () => await load(stage, verifying, count / 5),
	});
	const row = { name: 'signed events', unit: 'events/s', higherIsBetter: true, ours: runs.own };
	return [
		toRow({
			...row,
			peer: runs.verifying,
			peerName: 'Webhook + Crypto + If',
			target: 1 / 1.5,
		}),
		toRow({
			...row,
			peer: runs.plain,
			peerName: 'Webhook, which verifies nothing',
			target: 1,
		}),
	];
}

/** Makes different events that are signed. */
const signedWith = (secret: string) => () => signed(JSON.stringify(messageEvent()), secret);

const count = (name: string): INode => bench('count', { name });

async function publishTrigger({ n8n, sandbox, credential }: Stage): Promise<Receiver> {
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, credential);
	await publish(n8n, chain('Events', [trigger, count('own')]));
	const path = String(trigger.webhookId);
	const own = (await sandbox.control.webhooks()).find(({ url }) => url.includes(path));
	if (!own) throw new Error('The trigger is not registered');
	return { name: 'own', url: own.url, make: signedWith(own.secret) };
}

const onReceived = { responseMode: 'onReceived' };

async function publishWebhook({ n8n }: Stage): Promise<Receiver> {
	const path = randomUUID();
	await publish(n8n, chain('Plain', [webhook(path, onReceived), count('plain')]));
	return { name: 'plain', url: urlOf(n8n.url, path), make: signedWith('none') };
}

const urlOf = (address: string, path: string): string => `${address}/webhook/${path}`;

/** What n8n offers for verifying: the HMAC of the raw body by the Crypto node, compared by If. */
async function publishVerifying({ n8n }: Stage): Promise<Receiver> {
	const [path, secret] = [randomUUID(), 'bench'];
	const start = webhook(path, { ...onReceived, options: { rawBody: true } });
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
	const condition = {
		id: 'signed',
		leftValue: '={{ $json.hmac }}',
		rightValue: `={{ $json.headers["${signatureHeader}"] }}`,
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, typeValidation: 'strict', version: 2 };
	const conditions = { options, combinator: 'and', conditions: [condition] };
	const compare = node('If', 'n8n-nodes-base.if', { conditions }, { typeVersion: 2.2 });
	const end = count('verifying');
	const workflow = chain('Verifying', [start, sign, compare, end]);
	workflow.connections = joined(connect([start, sign, compare]), connect([compare, end]));
	await publish(n8n, workflow);
	return { name: 'verifying', url: urlOf(n8n.url, path), make: signedWith(secret) };
}

/**
 * Sends different events as fast as they are answered; gives how many in a second. Each must start one
 * execution.
 */
async function load(stage: Stage, receiver: Receiver, total: number): Promise<number> {
	const { name, url, make } = receiver;
	const before = await counted(stage, name);
	const deliveries = Array.from({ length: total }, make);
	const start = performance.now();
	const worker = async () => {
		for (let delivery = deliveries.pop(); delivery; delivery = deliveries.pop()) {
			const { status } = await deliver(url, delivery);
			if (status !== 200) throw new Error(`A delivery was answered ${status}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	const seconds = (performance.now() - start) / 1_000;
	await waitFor(`${total} executions of ${name}`, async () =>
		(await counted(stage, name)) === before + total ? true : undefined,
	);
	return total / seconds;
}

/** Events that came through so far; throws when one came twice. */
async function counted(stage: Stage, name: string): Promise<number> {
	const { data } = await call<{ events: number; different: number }>(stage, readPath, { name });
	if (data.events !== data.different) throw new Error('An event started two executions');
	return data.events;
}
