// The hints that n8n shows after a run.

import { compact, isNumber, pickBy, sumBy, uniqBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Operation } from '../operation';
import { rawValue } from '../parameters/read';
import { sendOf } from '../sending/identity';
import { failureOf, isChunk, recordsIn, type Job } from '../job';

/** Adds the hints of a run; `paid` are the responses to what was sent, in the order in which they came. */
export function addHints(
	context: IExecuteFunctions,
	{ billable }: Operation,
	jobs: Job[],
	paid: IDataObject[],
): void {
	const ofSends = billable
		? [repeatHint(jobs), failedHint(jobs), usedKeyHint(jobs), statusHint(jobs)]
		: [];
	for (const message of compact([simulationHint(context, jobs), ...ofSends, costHint(paid)]))
		context.addExecutionHints({ message });
}

/** The hint of a simulated run, with the cost of sending. */
function simulationHint(context: IExecuteFunctions, jobs: Job[]): string | undefined {
	const records = jobs.flatMap((job) => (job.isSimulated ? (recordsIn(job) ?? []) : []));
	if (records.length === 0) return undefined;
	const costs = records.map(({ cost }) => cost as IDataObject);
	const { unit, ...prices } = costs[0] ?? {};
	const sums = Object.keys(pickBy(prices, isNumber)).map((kind) => {
		const sum = sumBy(costs, ({ [kind]: price }) => Number(price));
		return `${sum} ${sum === 1 ? String(unit).replace(/s$/, '') : String(unit)}${kind === 'amount' ? '' : ` (${kind})`}`;
	});
	const cost =
		sums.length > 0 ? `Sending would cost ${sums.join(' or ')}.` : 'The price is not documented.';
	const sendsLater = rawValue(context, 'options.simulate') === 'notInProduction';
	const later = sendsLater
		? ' When published, the workflow sends; to send by hand, remove Simulate.'
		: '';
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}${later}`;
}

/** The hint for items that were not sent again because their key was used before. */
function usedKeyHint(jobs: Job[]): string | undefined {
	const skipped = jobs.filter((job) =>
		recordsIn(job)?.some(({ alreadySent, idempotencyKey }) => alreadySent && idempotencyKey),
	);
	const count = sumBy(skipped, 'items.length');
	if (count === 0) return undefined;
	return `Not sent again: ${count} ${count === 1 ? 'item' : 'items'}, whose key (Send Only Once per Key) was used before.`;
}

/**
 * The hint for items that repeat the recipient and content of another item. Campaigns have a hint of their
 * own.
 */
function repeatHint(jobs: Job[]): string | undefined {
	const sends = jobs.filter((job) => !failureOf(job) && !job.excludedRecord && !isChunk(job));
	const { length } = uniqBy(sends, (job) => (job.send ?? sendOf(job))?.content);
	if (length === sends.length) return undefined;
	return `${sends.length - length} of ${sends.length} items repeat the recipient and content of another. To send once, ${length === 1 ? 'turn on Execute Once in the settings of this node' : 'put Remove Duplicates before this node'}.`;
}

/** The hint for a run that went on although items failed: n8n offers no Retry after it. */
function failedHint(jobs: Job[]): string | undefined {
	if (jobs.some((job) => isChunk(job) || job.isSimulated)) return undefined;
	const failed = jobs.filter(failureOf).length;
	const isUnsure = jobs.some((job) => failureOf(job)?.outcome === 'unknown');
	if (failed === 0 || failed === jobs.length || jobs.every(({ key }) => key !== undefined))
		return undefined;
	return `${failed} of ${jobs.length} items failed. Before you execute the workflow again, filter out the others, which would be sent again${isUnsure ? ', and check those that may have been sent (outcome "unknown")' : ''}. Next time, give each item a key (Send Only Once per Key).`;
}

/** The hint for statuses that will still change. */
function statusHint(jobs: Job[]): string | undefined {
	const records = jobs.flatMap((job) => recordsIn(job) ?? []);
	const open = records.filter(({ ended }) => ended === false).length;
	if (open > 0)
		return `${open} of ${records.length} had not ended when the wait was over: branch on ended before you branch on status.`;
	const isPlaced = records.some(({ callId, ended }) => callId !== undefined && ended === undefined);
	return isPlaced
		? 'The status of a placed call is "initiated". To branch on how it ended, add the option Await Completion.'
		: undefined;
}

/** The cost of a run, if every response states it in the same currency (docs/service.md, section 4). */
function costHint(responses: IDataObject[]): string | undefined {
	const isOne = uniqBy(responses, 'currency').length === 1;
	if (!isOne || !responses.every(({ cost }) => typeof cost === 'number')) return undefined;
	const { length } = responses;
	const { remainingBalance: left } = responses.at(-1) ?? {};
	const sent = `${length} ${length === 1 ? 'message' : 'messages'} sent; cost: ${sumBy(responses, 'cost')}`;
	return typeof left === 'number' ? `${sent}; balance: ${left}` : sent;
}
