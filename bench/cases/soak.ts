import {
	chain,
	messagingServicePollingTrigger,
	messagingServiceTrigger,
	noOp,
	pause,
} from '../../harness';
import { makeItems, publish, publishFlow, sendTemplate, settle, type Stage } from '../stage';
import { toRow, type Row } from '../row';

const events = ['message.sent', 'message.delivered', 'message.read', 'message.failed'];

/**
 * Half an hour of sends with keys, the events of all messages, and a poll of each kind every minute:
 * what n8n keeps of it all.
 */
export async function soak(stage: Stage): Promise<Row[]> {
	const { n8n, sandbox, credential } = stage;
	const { control } = sandbox;
	await control.reset();
	await control.setLifecycle({ enabled: true });
	const everyMinute = { pollTimes: { item: [{ mode: 'everyMinute' }] } };
	const triggers = [
		messagingServiceTrigger({ events }, credential),
		...['balance', 'messages', 'voiceCalls', 'webhooks', 'numbers'].map((watch) =>
			messagingServicePollingTrigger({ watch, ...everyMinute }, credential),
		),
	];
	const watching: string[] = [];
	for (const trigger of triggers) {
		watching.push(await publish(n8n, chain(trigger.name, [trigger, noOp()])));
	}
	const perRound = stage.sized(20, 5);
	const keyed = sendTemplate(stage, { idempotencyKey: '={{ $json.key }}' });
	const flow = await publishFlow(stage, makeItems(perRound), keyed, { expected: perRound });
	const memory: number[] = [];
	const rounds = stage.sized(60, 6);
	for (let round = 1; round <= rounds; round++) {
		await flow.unsettled();
		await pause(stage.sized(30_000, 5_000));
		if (round % (rounds / 6) !== 0) continue;
		await control.settle();
		memory.push((await settle(stage)).heapUsed / 2 ** 20);
	}
	await control.setLifecycle({ enabled: false });
	const messages = await control.messages();
	if (messages.length !== rounds * perRound)
		throw new Error(`There are ${messages.length} messages`);
	const { deliveries } = await control.stats();
	const refused = Object.keys(deliveries).filter((outcome) => !outcome.endsWith(' 200'));
	if (refused.length > 0) throw new Error(`Events were answered otherwise: ${refused.join(', ')}`);
	for (const id of watching) {
		const failed = await n8n.countExecutions(id, 'error');
		if (failed > 0) throw new Error(`${failed} executions of workflow ${id} have failed`);
		await n8n.unpublish(id);
	}
	return [
		toRow({
			name: "sends, events and polls for half an hour: n8n's JavaScript memory at the end",
			unit: 'MiB',
			ours: memory.slice(-1),
			peer: memory.slice(0, 1),
			peerName: 'after five minutes',
			target: 1.1,
		}),
	];
}
