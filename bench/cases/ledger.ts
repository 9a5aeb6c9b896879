import { beyond, bench, makeItems, time, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const peerName = 'the same without its ledger';

/** The node where nothing is noted, because n8n has no row for its workflow; all else is the same. */
const notNoting = (stage: Stage) => ({
	...stage.sendTemplate(),
	name: 'Unsaved',
	type: 'n8n-nodes-bench.benchUnsaved',
});

/** What noting each send in n8n's database costs, per send in a run of many. */
export async function perSend(stage: Stage): Promise<Row[]> {
	const count = stage.sized(1_000, 300);
	const items = makeItems(count);
	const runs = await alternate(stage.rounds, {
		base: await stage.publishFlow(items),
		noting: await stage.publishFlow(items, stage.sendTemplate()),
		notNoting: await stage.publishFlow(items, notNoting(stage)),
		store: await stage.publishFlow(items, bench('note')),
	});
	const added = beyond(runs.noting, runs.notNoting);
	const store = beyond(runs.store, runs.base);
	const name = '1,000 sends with the ledger';
	return [
		...compare(`${name}: time`, time, runs.noting, [peerName, runs.notNoting, 1.2]),
		...compare(`${name}: what it adds`, time, added, ["n8n's store, 25 sends a write", store, 3]),
	];
}

/** The same for an execution with one send. */
export async function perExecution(stage: Stage): Promise<Row[]> {
	const one = makeItems(1);
	const noting = await stage.publishFlow(one, stage.sendTemplate());
	const unsaved = await stage.publishFlow(one, notNoting(stage));
	await stage.settle();
	const runs = await alternate(stage.sized(60, 10), {
		noting: noting.unsettled,
		notNoting: unsaved.unsettled,
	});
	const name = 'an execution with one send and the ledger: time';
	return compare(name, time, runs.noting, [peerName, runs.notNoting, 2]);
}

/** Sends with keys in a node that remembers 10,000 others, and with keys that are all used. */
export async function withKeys(stage: Stage): Promise<Row[]> {
	const items = makeItems(stage.sized(2_000, 500));
	const keyed = stage.sendTemplate({ idempotencyKey: '={{ $json.key }}' });
	const fresh = await stage.publishFlow(items, keyed);
	const plain = await stage.publishFlow(items, notNoting(stage));
	await fresh({ count: stage.sized(10_000, 500) });
	await fresh({ keys: 'used' });
	// Each takes so long that two rounds tell as much as three of the others.
	const runs = await alternate(stage.sized(2, 1), {
		fresh,
		used: async () => await fresh({ keys: 'used' }),
		plain,
	});
	const name = '2,000 sends with keys after 10,000 others';
	return [
		...compare(`${name}: time`, time, runs.fresh, [peerName, runs.plain, 1.6]),
		...compare(`${name}, all used: time`, time, runs.used, [peerName, runs.plain, 0.5]),
	];
}
