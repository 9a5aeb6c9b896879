import { makeItems, ours, publishFlow, type Flow } from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

/** Get Outcome for all rows of a campaign against Get Many, which reads the same list and no more. */
export async function outcome(stage: Stage): Promise<Row[]> {
	const count = stage.sized(100_000, 10_000);
	const items = makeItems(count);
	const sentAfter = new Date().toISOString();
	const create = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
	await (
		await publishFlow(stage, items, [ours(stage, create)])
	)();

	const getOutcome = { resource: 'bulkCampaign', operation: 'getOutcome', sentAfter };
	const filters = { sentAfter };
	const getMany = { resource: 'chatMessage', operation: 'getMany', returnAll: true, filters };
	const own = await publishFlow(stage, items, [ours(stage, getOutcome)]);
	const peer = await publishFlow(stage, makeItems(1), [ours(stage, getMany)]);
	const complete = async (flow: Flow) => {
		const { items: given, nodesMs } = await flow();
		if (given !== count) throw new Error(`${given} items of ${count}`);
		return nodesMs;
	};
	const runs = await alternate(stage.rounds, {
		own: async () => await complete(own),
		peer: async () => await complete(peer),
	});
	return [
		toRow({
			name: 'the outcome of a campaign of 100,000 rows',
			unit: 'ms',
			ours: runs.own,
			peer: runs.peer,
			peerName: 'Get Many alone',
			target: 1.2,
		}),
	];
}
