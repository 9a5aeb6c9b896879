import { makeItems, nodesMs, publishFlow, sendTemplate, settle, type Stage } from '../stage';
import { alternate, toRow, type Row } from '../row';

const peerName = 'the same without its ledger';

/**
 * What noting each send in n8n's database costs, against the same node in a workflow that n8n has no
 * row for, where nothing is noted: per send in a run of many, and per execution with one send.
 */
export async function ledger(stage: Stage): Promise<Row[]> {
	return [await perSend(stage), await perExecution(stage), await withKeys(stage)];
}

/** The same node where nothing is noted. */
const notNoting = (stage: Stage) => ({
	...sendTemplate(stage),
	name: 'Unsaved',
	type: 'n8n-nodes-bench.benchUnsaved',
});

async function perSend(stage: Stage): Promise<Row> {
	const items = makeItems(stage.sized(1_000, 300));
	const runs = await alternate(stage.rounds, {
		noting: await publishFlow(stage, items, sendTemplate(stage)),
		notNoting: await publishFlow(stage, items, notNoting(stage)),
	});
	return toRow({
		name: '1,000 sends with the ledger: time',
		unit: 'ms',
		ours: nodesMs(runs.noting),
		peer: nodesMs(runs.notNoting),
		peerName,
		target: 1.2,
	});
}

async function perExecution(stage: Stage): Promise<Row> {
	const one = makeItems(1);
	const flows = {
		noting: await publishFlow(stage, one, sendTemplate(stage)),
		notNoting: await publishFlow(stage, one, notNoting(stage)),
	};
	await settle(stage);
	const runs = await alternate(stage.sized(60, 10), {
		noting: flows.noting.unsettled,
		notNoting: flows.notNoting.unsettled,
	});
	return toRow({
		name: 'an execution with one send and the ledger: time',
		unit: 'ms',
		ours: nodesMs(runs.noting),
		peer: nodesMs(runs.notNoting),
		peerName,
		target: 2,
	});
}

/** Sends with keys in a node that remembers 10,000 others. */
async function withKeys(stage: Stage): Promise<Row> {
	const items = makeItems(stage.sized(2_000, 500));
	const keyed = sendTemplate(stage, { idempotencyKey: '={{ $json.key }}' });
	const fresh = await publishFlow(stage, items, keyed);
	const plain = await publishFlow(stage, items, notNoting(stage));
	await fresh({ count: stage.sized(10_000, 500) });
	const runs = await alternate(stage.rounds, { fresh, plain });
	return toRow({
		name: '2,000 sends with keys after 10,000 others: time',
		unit: 'ms',
		ours: nodesMs(runs.fresh),
		peer: nodesMs(runs.plain),
		peerName,
		target: 1.6,
	});
}
