import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Execution, NodeRun } from '../../../harness';
import type { Arrival } from './service';

/** What an execution tells of an item; nothing when it does not say. */
export type Told =
	'alreadySent' | 'nothing' | 'notSent' | 'rejected' | 'sent' | 'simulated' | 'unknown';

/** What became of one item: how often it arrived at the service, and what n8n tells of it. */
export interface Fate {
	recipient: string;
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
	/** Items that did not arrive and are not told as unknown. */
	missing: number;
	/** Items told as unknown, whether they arrived or not. */
	unknown: number;
}

/**
 * Compares what the service has acted on with what an execution tells of its items.
 *
 * @param runs recipients of each run of the node, in the order of its input items; a node that did
 * not run before the last try of a crashed execution has further runs before these in n8n's record
 */
export function fates(
	arrivals: Arrival[],
	execution: Execution,
	nodeName: string,
	runs: string[][],
): Fate[] {
	const counts = new Map<string, number>();
	for (const { recipient } of arrivals) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
	const last = execution.runs(nodeName).slice(-runs.length);
	return runs.flatMap((recipients, index) => {
		const told = toldIn(last[index]);
		return recipients.map((recipient, item) => ({
			recipient,
			arrived: counts.get(recipient) ?? 0,
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

/**
 * The items of which an execution tells what did not happen: sent but not there, or there although
 * told as rejected, not sent or simulated.
 */
export const untrue = (all: Fate[]): Fate[] =>
	all.filter(({ arrived, told }) => {
		if (told === 'sent' || told === 'alreadySent') return arrived === 0;
		return ['notSent', 'rejected', 'simulated'].includes(told) && arrived > 0;
	});

function toldIn(run: NodeRun | undefined): Map<number, Told> {
	const told = new Map<number, Told>();
	for (const item of outputsOf(run)) {
		for (const index of itemsOf(item)) told.set(index, toldBy(item.json));
	}
	const { itemIndex, data } = run?.error?.context ?? {};
	if (itemIndex !== undefined)
		told.set(itemIndex, (data?.outcome as Told | undefined) ?? 'nothing');
	return told;
}

/** The items of all outputs; a tool has one of another type. */
const outputsOf = (run: NodeRun | undefined): INodeExecutionData[] =>
	Object.values(run?.data ?? {})
		.flat()
		.flatMap((output) => output ?? []);

const itemsOf = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem ?? []].flat().map((one) => (typeof one === 'number' ? one : one.item));

/** What an output item says, by docs/contract.md, section 4. */
export function toldBy({ error, details, alreadySent, simulated }: IDataObject): Told {
	if (error !== undefined) {
		return ((details as IDataObject | undefined)?.outcome as Told | undefined) ?? 'nothing';
	}
	if (simulated === true) return 'simulated';
	return alreadySent === true ? 'alreadySent' : 'sent';
}
