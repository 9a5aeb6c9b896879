import { benchNode, makeItems, ours, publishFlow, settle, type Flow, type FlowRun } from '../flow';
import { alternate, median, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const peerName = 'the same without its ledger';

/**
 * What noting each send in n8n's database costs, against the same node in a workflow that n8n has no
 * row for, where nothing is noted: per send in a run of many, and per execution with one send.
 */
export async function ledger(stage: Stage): Promise<Row[]> {
	return [...(await perSend(stage)), ...(await perExecution(stage)), ...(await withKeys(stage))];
}

const send = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '={{ $json.phone }}',
	templateName: 'order_update',
};

const noting = (stage: Stage, options = {}) => ours(stage, { ...send, options });
const notNoting = (stage: Stage) => benchNode(stage, 'benchUnsaved', send);

async function perSend(stage: Stage): Promise<Row[]> {
	const count = stage.sized(1_000, 500);
	const items = makeItems(count);
	// The difference of two runs is small beside them.
	const runs = await alternate(2 * stage.rounds - 1, {
		noting: await publishFlow(stage, items, [noting(stage)]),
		notNoting: await publishFlow(stage, items, [notNoting(stage)]),
	});
	const each = (all: FlowRun[]) => all.map(({ nodesMs }) => nodesMs / count);
	return compared('1,000 sends with the ledger: time per send', 0.1, {
		noting: each(runs.noting),
		notNoting: each(runs.notNoting),
	});
}

async function perExecution(stage: Stage): Promise<Row[]> {
	const times = stage.sized(20, 5);
	const one = makeItems(1);
	const several = async (flow: Flow) => {
		const runs: number[] = [];
		await settle(stage);
		for (let time = 0; time < times; time++) runs.push((await flow.unsettled()).ms);
		return median(runs);
	};
	const flows = {
		noting: await publishFlow(stage, one, [noting(stage)]),
		notNoting: await publishFlow(stage, one, [notNoting(stage)]),
	};
	const runs = await alternate(stage.rounds, {
		noting: async () => await several(flows.noting),
		notNoting: async () => await several(flows.notNoting),
	});
	return compared('one send with the ledger: time of the execution', 5, runs);
}

/** Before and after, and what lies between, which has a bar of its own. */
const compared = (
	name: string,
	most: number,
	runs: { noting: number[]; notNoting: number[] },
): Row[] => [
	toRow({ name, unit: 'ms', ours: runs.noting, peer: runs.notNoting, peerName }),
	toRow({
		name: `${name}, of which the ledger`,
		unit: 'ms',
		ours: runs.noting.map((ms, round) => ms - (runs.notNoting[round] ?? NaN)),
		most,
	}),
];

/** Sends with keys in a node that remembers as many others as it can. */
async function withKeys(stage: Stage): Promise<Row[]> {
	const count = stage.sized(10_000, 1_000);
	const items = makeItems(count);
	const keyed = noting(stage, { idempotencyKey: '={{ $json.key }}' });
	const flows = {
		keyed: await publishFlow(stage, items, [keyed]),
		plain: await publishFlow(stage, items, [notNoting(stage)]),
	};
	await flows.keyed();
	const runs = await alternate(Math.min(stage.rounds, 2), flows);
	const seconds = (all: FlowRun[]) => all.map(({ nodesMs }) => nodesMs / 1_000);
	const [keyedTime, plainTime] = [seconds(runs.keyed), seconds(runs.plain)];
	const name = '10,000 sends with keys after 10,000 others';
	return [
		toRow({ name, unit: 's', ours: keyedTime, peer: plainTime, peerName: 'the same without keys' }),
		toRow({
			name: `${name}, of which the keys`,
			unit: 's',
			ours: keyedTime.map((time, round) => time - (plainTime[round] ?? NaN)),
			most: 3,
		}),
	];
}
