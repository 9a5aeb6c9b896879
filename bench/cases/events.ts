import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { chain, messagingServiceTrigger, waitFor } from '../../harness';
import { deliver, messageEvent, signed, type Delivery } from '../../harness/deliver';
import { bench, webhook, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

/** Deliveries under way at once. */
const atOnce = 50;

const readPath = 'bench-counted';

/** Receives events. */
interface Receiver {
	/** Under which its executions are counted. */
	name: string;
	url: string;
	secret: string;
}

/** Signed events into the trigger, against the Webhook node, which verifies nothing. */
export async function events(stage: Stage): Promise<Row[]> {
	const count = stage.sized(500, 100);
	await stage.publishSwitch(readPath, bench('counted'));
	const own = await publishTrigger(stage);
	const plain = await publishWebhook(stage);
	for (const receiver of [own, plain]) await load(stage, receiver, 50);
	const runs = await alternate(stage.rounds, {
		own: async () => await load(stage, own, count),
		plain: async () => await load(stage, plain, count),
	});
	const perSecond = { unit: 'events/s', of: Number, higherIsBetter: true };
	const peer = 'Webhook, which verifies nothing';
	return compare('signed events', perSecond, runs.own, [peer, runs.plain, 1]);
}

async function publishTrigger(stage: Stage): Promise<Receiver> {
	const trigger = messagingServiceTrigger({ events: ['message.delivered'] }, stage.credential);
	await stage.publish(chain('Events', [trigger, bench('count', { name: 'own' })]));
	const path = String(trigger.webhookId);
	const own = (await stage.sandbox.control.webhooks()).find(({ url }) => url.includes(path));
	if (!own) throw new Error('The trigger is not registered');
	return { name: 'own', url: own.url, secret: own.secret };
}

async function publishWebhook(stage: Stage): Promise<Receiver> {
	const [path, name] = [randomUUID(), 'plain'];
	const start = webhook(path, { responseMode: 'onReceived' });
	await stage.publish(chain(name, [start, bench('count', { name })]));
	return { name, url: `${stage.n8n.url}/webhook/${path}`, secret: 'none' };
}

/**
 * Sends different events as fast as n8n responds; returns how many in a second. Every one must
 * start one execution.
 */
async function load(stage: Stage, { name, url, secret }: Receiver, total: number): Promise<number> {
	const before = await counted(stage, name);
	const deliveries = Array.from({ length: total }, () =>
		signed(JSON.stringify(messageEvent()), secret),
	);
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
