import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import pLimit from 'p-limit';
import { chain, messagingServiceTrigger, node, waitFor } from '../../harness';
import {
	deliver,
	messageEvent,
	signatureHeader,
	signed,
	type Delivery,
} from '../../harness/deliver';
import { bench, webhook, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

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
	await stage.publishSwitch(readPath, bench('counted'));
	const own = await publishTrigger(stage);
	const verifying = await publishVerifying(stage);
	const plain = await publishWebhook(stage, 'plain', signedWith('none'));
	for (const receiver of [own, plain, verifying]) await load(stage, receiver, 50);
	const runs = await alternate(stage.rounds, {
		own: async () => await load(stage, own, count),
		plain: async () => await load(stage, plain, count),
		// It takes five times as long for each.
		verifying: async () => await load(stage, verifying, count / 5),
	});
	const perSecond = { unit: 'events/s', of: Number, higherIsBetter: true };
	return compare(
		'signed events',
		perSecond,
		runs.own,
		['Webhook + Crypto + If', runs.verifying, 1 / 1.5],
		['Webhook, which verifies nothing', runs.plain, 1],
	);
}

/** Makes different events that are signed. */
const signedWith = (secret: string) => () => signed(JSON.stringify(messageEvent()), secret);

const counting = (name: string): INode => bench('count', { name });

async function publishTrigger(stage: Stage): Promise<Receiver> {
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, stage.credential);
	await stage.publish(chain('Events', [trigger, counting('own')]));
	const path = String(trigger.webhookId);
	const own = (await stage.sandbox.control.webhooks()).find(({ url }) => url.includes(path));
	if (!own) throw new Error('The trigger is not registered');
	return { name: 'own', url: own.url, make: signedWith(own.secret) };
}

/** Publishes a Webhook node, and what stands behind it, that counts the events. */
async function publishWebhook(
	stage: Stage,
	name: string,
	make: () => Delivery,
	parameters: INodeParameters = {},
	nodes: INode[] = [],
): Promise<Receiver> {
	const path = randomUUID();
	const start = webhook(path, { responseMode: 'onReceived', ...parameters });
	await stage.publish(chain(name, [start, ...nodes, counting(name)]));
	return { name, make, url: `${stage.n8n.url}/webhook/${path}` };
}

/** What n8n offers for verifying: the HMAC of the raw body by the Crypto node, compared by If. */
async function publishVerifying(stage: Stage): Promise<Receiver> {
	const hmacSecret = 'bench';
	const crypto = await stage.n8n.createCredential({ hmacSecret }, 'crypto');
	const sign = node(
		'Crypto',
		'n8n-nodes-base.crypto',
		{
			...{ action: 'hmac', type: 'SHA256', encoding: 'hex', dataPropertyName: 'hmac' },
			...{ binaryData: true, binaryPropertyName: 'data' },
		},
		{ typeVersion: 2, credentials: { crypto } },
	);
	const condition = {
		id: 'signed',
		leftValue: '={{ $json.hmac }}',
		rightValue: `={{ $json.headers["${signatureHeader}"] }}`,
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, typeValidation: 'strict', version: 2 };
	const conditions = { options, combinator: 'and', conditions: [condition] };
	const isSigned = node('If', 'n8n-nodes-base.if', { conditions }, { typeVersion: 2.2 });
	const reading = { options: { rawBody: true } };
	const nodes = [sign, isSigned];
	return await publishWebhook(stage, 'verifying', signedWith(hmacSecret), reading, nodes);
}

/**
 * Sends different events as fast as they are answered; returns how many in a second. Every one must
 * start one execution.
 */
async function load(stage: Stage, { name, url, make }: Receiver, total: number): Promise<number> {
	const before = await counted(stage, name);
	const deliveries = Array.from({ length: total }, make);
	const start = performance.now();
	const limit = pLimit(atOnce);
	const send = async (delivery: Delivery) => {
		const { status } = await deliver(url, delivery);
		if (status !== 200) throw new Error(`A delivery got status ${status}`);
	};
	await Promise.all(deliveries.map((delivery) => limit(send, delivery)));
	const seconds = (performance.now() - start) / 1_000;
	const isDone = async () => (await counted(stage, name)) === before + total;
	await waitFor(`${total} executions of ${name}`, isDone);
	return total / seconds;
}

/** Events that came through so far; throws when one came twice. */
async function counted(stage: Stage, name: string): Promise<number> {
	const { data } = await stage.call<{ events: number; different: number }>(readPath, { name });
	if (data.events !== data.different) throw new Error('An event started two executions');
	return data.events;
}
