import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Execution, NodeRun } from '../../../harness';

/** One message that reached a recipient's account at the service. */
export interface Arrival {
	recipient: string;
	/** The service's own id of it. */
	id: string;
}

/** Name of the node that sends. */
export const sender = 'Send';

/** What an execution reports of an item; nothing if it doesn't say. */
export type Told =
	'alreadySent' | 'nothing' | 'notSent' | 'rejected' | 'sent' | 'simulated' | 'unknown';

/** What became of one item: how often it arrived at the service, and what n8n reports of it. */
export interface Fate {
	arrived: number;
	told: Told;
}

/** The fates of the items of a history, counted. */
export interface Counts {
	items: number;
	/** Messages, not items. */
	arrived: number;
	/** Items that arrived more than once. */
	twice: number;
	/** Items that did not arrive and are not reported as unknown. */
	missing: number;
	/** Items reported as unknown, whether they arrived or not. */
	unknown: number;
}

/**
 * Compares what the service has acted on with what an execution reports of its items.
 *
 * @param runs recipients of each run of the node, in the order of its input items; a node that did
 * not run before the last try of a crashed execution has further runs before these in n8n's record
 */
export function fates(arrivals: Arrival[], execution: Execution, runs: string[][]): Fate[] {
	const last = execution.runs(sender).slice(-runs.length);
	return runs.flatMap((recipients, index) => {
		const told = toldIn(last[index]);
		return recipients.map((own, item) => ({
			arrived: arrivals.filter(({ recipient }) => recipient === own).length,
			told: told.get(item) ?? 'nothing',
		}));
	});
}

export const countFates = (all: Fate[], arrivals: Arrival[]): Counts => ({
	items: all.length,
	arrived: arrivals.length,
	twice: all.filter(({ arrived }) => arrived > 1).length,
	missing: all.filter(({ arrived, told }) => arrived === 0 && told !== 'unknown').length,
	unknown: all.filter(({ told }) => told === 'unknown').length,
});

/** The items of which an execution reports what did not happen. */
export const untrue = (all: Fate[]): Fate[] =>
	all.filter(({ arrived, told }) => {
		if (told === 'sent' || told === 'alreadySent') return arrived === 0;
		return ['notSent', 'rejected', 'simulated'].includes(told) && arrived > 0;
	});

function toldIn(run: NodeRun | undefined): Map<number, Told> {
	const told = new Map<number, Told>();
	// A tool has an output of another type.
	for (const item of Object.values(run?.data ?? {}).flat(2)) {
		for (const index of itemsOf(item)) told.set(index, toldBy(item?.json ?? {}));
	}
	const { itemIndex, data } = run?.error?.context ?? {};
	if (itemIndex !== undefined) told.set(itemIndex, (data?.outcome ?? 'nothing') as Told);
	return told;
}

const itemsOf = (item: INodeExecutionData | null): number[] =>
	[item?.pairedItem ?? []].flat().map((one) => (typeof one === 'number' ? one : one.item));

/** What an output item says, by docs/contract.md, section 4. */
export function toldBy({ error, details, alreadySent, simulated }: IDataObject): Told {
	if (error !== undefined)
		return ((details as IDataObject | undefined)?.outcome ?? 'nothing') as Told;
	if (simulated === true) return 'simulated';
	return alreadySent === true ? 'alreadySent' : 'sent';
}
