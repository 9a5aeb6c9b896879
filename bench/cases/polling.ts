import type { INode } from 'n8n-workflow';
import { chain, messagingServicePollingTrigger, node, noOp } from '../../harness';
import { bench, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const pollPath = 'bench-poll';

const watches = [
	{ what: 'balance', watch: 'balance', path: '/balance' },
	{ what: '1,000 voice calls', watch: 'voiceCalls', path: '/voice/call-logs?pageSize=100' },
	{ what: '10,000 messages', watch: 'messages', path: '/chat/campaigns?limit=100' },
];

/**
 * What a poll takes when nothing has happened, against a trigger that reads its credential, asks the
 * service for the same and has nothing to tell.
 */
export async function polling(stage: Stage): Promise<Row[]> {
	const { control } = stage.sandbox;
	await stage.publishSwitch(pollPath, bench('poll'));
	await control.addCalls(1_000);
	await control.addMessages(stage.sized(10_000, 1_000));
	const rows: Row[] = [];
	for (const { what, watch, path } of watches) {
		const own = messagingServicePollingTrigger({ watch, warningThreshold: 1 }, stage.credential);
		const { credentials } = own;
		const look = node('Look', 'n8n-nodes-bench.benchLook', { path }, { credentials });
		const runs = await alternate(stage.rounds, {
			own: await publishTrigger(stage, { ...own, name: `Watch ${watch}` }),
			look: await publishTrigger(stage, { ...look, name: `Look at ${watch}` }),
		});
		const busy = { unit: 'ms', of: Number };
		const name = `a poll with nothing new, ${what}: n8n's time`;
		rows.push(...compare(name, busy, runs.own, ['credential and request alone', runs.look, 1.1]));
	}
	return rows;
}

/** Publishes a polling trigger; gives what polls it several times, and tells milliseconds of one. */
async function publishTrigger(stage: Stage, trigger: INode): Promise<() => Promise<number>> {
	// n8n itself never polls: that would be one request more for a case that comes later.
	const never = { pollTimes: { item: [{ mode: 'custom', cronExpression: '0 0 0 29 2 *' }] } };
	const polled = { ...trigger, parameters: { ...trigger.parameters, ...never } };
	await stage.publish(chain(trigger.name, [polled, noOp()]));
	const body = { trigger: trigger.name, times: stage.sized(12, 5) };
	return async () => {
		await stage.settle();
		const { status, data } = await stage.call<{ busyMs: number }>(pollPath, body);
		if (status !== 200) throw new Error(`${trigger.name}: ${JSON.stringify(data)}`);
		return data.busyMs;
	};
}
