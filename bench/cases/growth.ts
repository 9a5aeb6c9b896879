import { randomUUID } from 'node:crypto';
import { makeItems, type Stage } from '../stage';
import { compare, type Row } from '../row';

const path = '/chat/send-template';

/** What each send takes when there are twenty times as many: time and saved data. */
export async function growth(stage: Stage): Promise<Row[]> {
	// The service's own records of so many messages must not slow it down.
	const body = { success: true, status: 'sent', providerMessageId: randomUUID() };
	await stage.always({ kind: 'status', path, status: 200, body });
	const few = await measure(stage, stage.sized(1_000, 100));
	const many = await measure(stage, stage.sized(20_000, 1_000));
	const rows = (what: 'saved data' | 'time', unit: string) => {
		const figure = { unit, of: (measured: typeof few) => measured[what] };
		return compare(`20,000 sends: ${what} per send`, figure, [many], ['1,000 sends', [few], 1.15]);
	};
	return [...rows('time', 'ms'), ...rows('saved data', 'KB')];
}

async function measure(stage: Stage, count: number) {
	const settings = { saveDataSuccessExecution: 'all', expected: count };
	const flow = await stage.publishFlow(makeItems(count), stage.sendTemplate(), settings);
	const { nodesMs } = await flow();
	const [execution] = await stage.n8n.waitForExecutions(flow.workflowId, 1);
	const saved = await stage.n8n.rest<{ data: string }>('GET', `/executions/${execution?.id}`);
	return {
		time: nodesMs / count,
		'saved data': saved.data.length / count / 1_000,
	};
}
