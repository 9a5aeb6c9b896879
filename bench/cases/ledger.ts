import { makeItems, time, type FlowRun, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const peerName = 'the same without its ledger';

/** The node where nothing is noted, because n8n has no row for its workflow; all else is the same. */
const notNoting = (stage: Stage) => ({
	...stage.sendTemplate(),
	name: 'Unsaved',
	type: 'n8n-nodes-bench.benchUnsaved',
});

/** The service takes as long as services do. */
const slowly = async (stage: Stage) =>
	await stage.always({ kind: 'latency', path: '/chat/send-template', latencyMs: 20 });

const perSend = { unit: 'ms', of: ({ nodesMs, items }: FlowRun) => nodesMs / items };

/** What noting each send in n8n's database costs in a run of many, with default settings. */
export async function ofMany(stage: Stage): Promise<Row[]> {
	const items = makeItems(stage.sized(1_000, 300));
	const flows = {
		noting: await stage.publishFlow(items, stage.sendTemplate()),
		notNoting: await stage.publishFlow(items, notNoting(stage)),
	};
	await slowly(stage);
	const { noting, notNoting: peer } = await alternate(stage.rounds, flows);
	const whole = await flows.noting({ count: stage.sized(20_000, 2_500) });
	return [
		...compare('1,000 sends with the ledger, latency 20 ms', time, noting, [peerName, peer, 1.05]),
		...compare(
			'20,000 sends in one execution, latency 20 ms: time per send',
			perSend,
			noting.map(() => whole),
			['with 1,000 sends', noting, 1.15],
		),
	];
}

/** The same for an execution with one send. */
export async function ofOne(stage: Stage): Promise<Row[]> {
	const one = makeItems(1);
	const noting = await stage.publishFlow(one, stage.sendTemplate());
	const unsaved = await stage.publishFlow(one, notNoting(stage));
	await slowly(stage);
	await stage.settle();
	const runs = await alternate(stage.sized(60, 10), {
		noting: noting.unsettled,
		notNoting: unsaved.unsettled,
	});
	const name = 'an execution with one send, latency 20 ms';
	return compare(name, time, runs.noting, [peerName, runs.notNoting, 1.5]);
}

/** Sends with keys in a node that remembers 10,000 others, and with keys that are all used. */
export async function withKeys(stage: Stage): Promise<Row[]> {
	const items = makeItems(stage.sized(2_000, 500));
	const keyed = stage.sendTemplate({ idempotencyKey: '={{ $json.key }}' });
	const fresh = await stage.publishFlow(items, keyed);
	const plain = await stage.publishFlow(items, notNoting(stage));
	await fresh({ count: stage.sized(10_000, 500) });
	await fresh({ keys: 'used' });
	await slowly(stage);
	// Each takes so long that two rounds show as much as three of the others.
	const runs = await alternate(stage.sized(2, 1), {
		fresh,
		used: async () => await fresh({ keys: 'used' }),
		plain,
	});
	const after = 'keys after 10,000 others, latency 20 ms';
	return [
		...compare(`2,000 sends with ${after}`, time, runs.fresh, [peerName, runs.plain, 1.6]),
		...compare(`2,000 sends with used ${after}`, time, runs.used, [peerName, runs.plain, 0.8]),
	];
}
