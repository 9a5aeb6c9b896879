import { randomUUID } from 'node:crypto';
import { makeItems, publishFlow, sendTemplate, type Stage } from '../stage';
import { toRow, type Row } from '../row';

const path = '/chat/send-template';

/** What each send takes when there are twenty times as many: time and saved data. */
export async function growth(stage: Stage): Promise<Row[]> {
	const { control } = stage.sandbox;
	// The service's own records of so many messages must not slow it down.
	const body = { success: true, status: 'sent', providerMessageId: randomUUID() };
	await control.addFault({ kind: 'status', path, status: 200, body, count: 'infinite' });
	const few = await measure(stage, stage.sized(1_000, 100));
	const many = await measure(stage, stage.sized(20_000, 1_000));
	await control.clearFaults();
	const row = (what: 'saved data' | 'time', unit: string) =>
		toRow({
			name: `20,000 sends: ${what} per send`,
			unit,
			ours: [many[what]],
			peer: [few[what]],
			peerName: '1,000 sends',
			target: 1.15,
		});
	return [row('time', 'ms'), row('saved data', 'KB')];
}

async function measure(stage: Stage, count: number) {
	const settings = { saveDataSuccessExecution: 'all', expected: count };
	const flow = await publishFlow(stage, makeItems(count), sendTemplate(stage), settings);
	const { nodesMs } = await flow();
	const [execution] = await stage.n8n.waitForExecutions(flow.workflowId, 1);
	const saved = await stage.n8n.rest<{ data: string }>('GET', `/executions/${execution?.id}`);
	return {
		time: nodesMs / count,
		'saved data': saved.data.length / count / 1_000,
	};
}
