import type { INode } from 'n8n-workflow';
import { benchNode, makeItems, nodesAlone, ours, publishFlow, settle, type FlowRun } from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const peerName = 'the same without its ledger';

/** What no ledger can be faster than. */
const limitName = "n8n's store, 25 sends a write";

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
	const count = stage.sized(1_000, 300);
	const items = makeItems(count);
	// The difference of two runs is small beside them.
	const runs = await alternate(stage.sized(5, 1), {
		base: await publishFlow(stage, items, []),
		noting: await publishFlow(stage, items, [noting(stage)]),
		notNoting: await publishFlow(stage, items, [notNoting(stage)]),
		store: await publishFlow(stage, items, [benchNode(stage, 'benchNote')]),
	});
	const each = (all: FlowRun[]) => all.map(({ nodesMs }) => nodesMs / count);
	return compared('1,000 sends with the ledger: time per send', 1.2, {
		noting: each(runs.noting),
		notNoting: each(runs.notNoting),
		store: nodesAlone(runs.store, runs.base).map((ms) => ms / count),
	});
}

async function perExecution(stage: Stage): Promise<Row[]> {
	const one = makeItems(1);
	const flows = {
		noting: await publishFlow(stage, one, [noting(stage)]),
		notNoting: await publishFlow(stage, one, [notNoting(stage)]),
	};
	await settle(stage);
	const runs = await alternate(stage.sized(60, 10), {
		noting: async () => (await flows.noting.unsettled()).nodesMs,
		notNoting: async () => (await flows.notNoting.unsettled()).nodesMs,
	});
	return compared('an execution with one send and the ledger: time', 2, runs);
}

/** Before and after, and what lies between beside what n8n's store takes for it. */
const compared = (
	name: string,
	target: number,
	{ noting, notNoting, store }: { noting: number[]; notNoting: number[]; store?: number[] },
	unit = 'ms',
): Row[] => [
	toRow({ name, unit, ours: noting, peer: notNoting, peerName, target }),
	toRow({
		name: `${name}, of which the ledger`,
		unit,
		ours: noting.map((time, round) => time - (notNoting[round] ?? NaN)),
		limit: store,
		limitName,
		limitTarget: store && 1.5,
	}),
];

const seconds = (all: number[]) => all.map((ms) => ms / 1_000);

/** Sends with keys in a node that remembers as many others as it can. */
async function withKeys(stage: Stage): Promise<Row[]> {
	const count = stage.sized(10_000, 500);
	const items = makeItems(count);
	const keyed = noting(stage, { idempotencyKey: '={{ $json.key }}' });
	const flows = {
		base: await publishFlow(stage, items, []),
		keyed: await publishFlow(stage, items, [keyed]),
		plain: await publishFlow(stage, items, [notNoting(stage)]),
		store: await publishFlow(stage, items, [benchNode(stage, 'benchNote', { isKeyed: true })]),
	};
	await flows.keyed();
	await flows.store();
	const runs = await alternate(stage.rounds, flows);
	const times = (all: FlowRun[]) => seconds(all.map(({ nodesMs }) => nodesMs));
	return [
		...compared(
			'10,000 sends with keys after 10,000 others: time',
			1.5,
			{
				noting: times(runs.keyed),
				notNoting: times(runs.plain),
				store: seconds(nodesAlone(runs.store, runs.base)),
			},
			's',
		),
		...(await withOldKeys(stage, keyed, count, times(runs.plain))),
	];
}

/**
 * Sends whose keys were all used before, by the process itself and by one before it, beside what
 * sending them takes, in seconds.
 */
async function withOldKeys(
	stage: Stage,
	keyed: INode,
	count: number,
	sending: number[],
): Promise<Row[]> {
	const items = makeItems(count, 'old');
	const flows = {
		base: await publishFlow(stage, items, []),
		keyed: await publishFlow(stage, items, [keyed]),
	};
	await flows.keyed();
	const remembered = await alternate(stage.rounds, flows);
	await stage.n8n.restart();
	await flows.base();
	const asked = { base: [await flows.base()], keyed: [await flows.keyed()] };
	const row = (name: string, target: number, runs: Record<'base' | 'keyed', FlowRun[]>) =>
		toRow({
			name: `10,000 sends whose keys are all used, ${name}: time`,
			unit: 's',
			ours: seconds(nodesAlone(runs.keyed, runs.base)),
			peer: sending,
			peerName: 'sending them',
			target,
		});
	return [row('in the same process', 0.1, remembered), row('after a restart', 0.5, asked)];
}
