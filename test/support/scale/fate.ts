import type { IDataObject } from 'n8n-workflow';
import type { Execution } from '../../../harness';
import { sender } from './sends';

/** What n8n tells of an item; nothing when the execution was lost with its process. */
type Told = 'nothing' | 'notSent' | 'rejected' | 'sent' | 'unknown';

/** What became of one item: how often it arrived at the service, and what n8n tells. */
export interface Fate {
	arrived: number;
	told: Told;
}

/**
 * Compares the service's journal with what n8n tells, item by item.
 *
 * @param recipients recipient of each item
 * @param arrived recipients of the messages on which the service acted, one per message
 */
export function fates(recipients: string[], arrived: string[], execution: Execution): Fate[] {
	const counts = new Map<string, number>();
	for (const recipient of arrived) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
	const told = new Map(
		execution.output(sender).map(({ json, pairedItem }) => {
			const { item } = pairedItem as { item: number };
			return [item, toldOf(json)] as const;
		}),
	);
	return recipients.map((recipient, index) => ({
		arrived: counts.get(recipient) ?? 0,
		told: told.get(index) ?? 'nothing',
	}));
}

const toldOf = ({ error, details }: IDataObject): Told =>
	error === undefined ? 'sent' : ((details as IDataObject).outcome as Told);

/** The item fates as one row of the table in docs/reliability.md. */
export function faultRow(fault: string, all: Fate[], { status }: Execution): string {
	const count = (matches: (fate: Fate) => boolean) => all.filter(matches).length;
	const told = (...kinds: Told[]) => count((fate) => kinds.includes(fate.told));
	const cells = [
		fault,
		all.length,
		count((fate) => fate.arrived === 1),
		count((fate) => fate.arrived > 1),
		count((fate) => fate.arrived === 0),
		told('sent'),
		told('rejected', 'notSent'),
		told('unknown'),
		told('nothing'),
		status,
	];
	return `| ${cells.join(' | ')} |`;
}

export const faultHead = [
	'| fault | items | arrived once | arrived twice | not arrived | told as sent | told as not sent | told as unknown | not told | execution |',
	'|---|---:|---:|---:|---:|---:|---:|---:|---:|---|',
];
