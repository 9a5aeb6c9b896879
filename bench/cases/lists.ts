import { makeItems, memory, time, type FlowRun, type Stage } from '../stage';
import { compare, type Row } from '../row';

/**
 * What reading a list costs for each record, if the list is four times as long: the 10,000 newest messages, of a list
 * that comes oldest first, so that all of it must be read.
 */
export async function lists(stage: Stage): Promise<Row[]> {
	const count = stage.sized(20_000, 12_000);
	const { control } = stage.sandbox;
	const getMany = { resource: 'chatMessage', operation: 'getMany', limit: 10_000 };
	const flow = await stage.publishFlow(makeItems(1), stage.ours(getMany), 10_000);
	await control.setAssumptions({ listOrder: 'oldestFirst' });
	const runs = async (): Promise<FlowRun[]> => {
		const all: FlowRun[] = [];
		for (let round = 0; round < stage.rounds; round++) all.push(await flow());
		return all;
	};
	await control.addMessages(count);
	const short = await runs();
	await control.addMessages(3 * count);
	const long = await runs();
	await control.setAssumptions({ listOrder: 'newestFirst' });
	const perRecord = long.map((run) => ({
		...run,
		nodesMs: run.nodesMs / 4,
		memory: run.memory / 4,
	}));
	const each = count.toLocaleString('en');
	const name = `the 10,000 newest of ${(4 * count).toLocaleString('en')} messages`;
	const peer = `of ${each}`;
	return [
		...compare(`${name}: time per ${each}`, time, perRecord, [peer, short, 1.15]),
		...compare(`${name}: memory per ${each}`, memory, perRecord, [peer, short, 1.15]),
	];
}
