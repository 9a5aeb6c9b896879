import {
	bench,
	makeItems,
	nodesAlone,
	nodesMs,
	publishFlow,
	sendTemplate,
	settle,
	type Stage,
} from '../stage';
import { alternate, compare, type Row } from '../row';

const peerName = 'the same without its ledger';

/**
 * What noting each send in n8n's database costs, against the same node in a workflow that n8n has no
 * row for, where nothing is noted: per send in a run of many, and per execution with one send.
 */
export async function ledger(stage: Stage): Promise<Row[]> {
	return [...(await perSend(stage)), ...(await perExecution(stage)), ...(await withKeys(stage))];
}

/** The same node where nothing is noted. */
const notNoting = (stage: Stage) => ({
	...sendTemplate(stage),
	name: 'Unsaved',
	type: 'n8n-nodes-bench.benchUnsaved',
});

async function perSend(stage: Stage): Promise<Row[]> {
	const count = stage.sized(1_000, 300);
	const items = makeItems(count);
	const runs = await alternate(stage.rounds, {
		base: await publishFlow(stage, items),
		noting: await publishFlow(stage, items, sendTemplate(stage)),
		notNoting: await publishFlow(stage, items, notNoting(stage)),
		store: await publishFlow(stage, items, bench('note')),
	});
	const name = '1,000 sends with the ledger';
	return [
		...compare({ name: `${name}: time`, ours: nodesMs(runs.noting) }, [
			peerName,
			nodesMs(runs.notNoting),
			1.2,
		]),
		...compare({ name: `${name}: what it adds`, ours: nodesAlone(runs.noting, runs.notNoting) }, [
			"n8n's store, 25 sends a write",
			nodesAlone(runs.store, runs.base),
			3,
		]),
	];
}

async function perExecution(stage: Stage): Promise<Row[]> {
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
	const name = 'an execution with one send and the ledger: time';
	const beside = nodesMs(runs.notNoting);
	return compare({ name, ours: nodesMs(runs.noting) }, [peerName, beside, 2]);
}

/** Sends with keys in a node that remembers 10,000 others, and with keys that are all used. */
async function withKeys(stage: Stage): Promise<Row[]> {
	const items = makeItems(stage.sized(2_000, 500));
	const keyed = sendTemplate(stage, { idempotencyKey: '={{ $json.key }}' });
	const fresh = await publishFlow(stage, items, keyed);
	const plain = await publishFlow(stage, items, notNoting(stage));
	await fresh({ count: stage.sized(10_000, 500) });
	await fresh({ keys: 'used' });
	// Each takes so long that two rounds tell as much as three of the others.
	const runs = await alternate(stage.sized(2, 1), {
		fresh,
		used: async () => await fresh({ keys: 'used' }),
		plain,
	});
	const name = '2,000 sends with keys after 10,000 others';
	const beside = nodesMs(runs.plain);
	return [
		...compare({ name: `${name}: time`, ours: nodesMs(runs.fresh) }, [peerName, beside, 1.6]),
		...compare({ name: `${name}, all used: time`, ours: nodesMs(runs.used) }, [
			peerName,
			beside,
			0.5,
		]),
	];
}
