// The hints that n8n shows after a run: on repeats, on what failed, on files that no email carries, and on the cost.

import { compact, isNumber, pickBy, size, sumBy, uniqBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { endpoints } from '../api/endpoints';
import { textOf } from '../api/response';
import { failureOf, isChunk, isUncertain, recordsIn, sentRecords, type Job } from '../job';
import { sendOf } from '../sending/identity';

/** Adds the hints of a billable run; `paid` are the responses to what was sent, in the order in which they came. */
export function addHints(context: IExecuteFunctions, jobs: Job[], paid: IDataObject[]): void {
	const costs = simulationHint(jobs) ?? costHint(paid);
	const all = [
		...repeatHints(jobs),
		...totalHints(jobs),
		failedHint(jobs),
		fileHint(context, jobs),
		costs,
	];
	for (const message of compact(all)) context.addExecutionHints({ message });
}

const spellingAdvice =
	' If the numbers are spelled differently, first remove all but their digits with Edit Fields (Set): {{ String($json.phone).replace(/\\D/g, "") }}';

const isEmail = ({ plan }: Job): boolean => plan?.request.endpoint === endpoints.sendEmail;

/** Items with the key, or with the recipient and content, of another item. Campaigns have a hint of their own. */
function repeatHints(jobs: Job[]): Array<string | false> {
	const all = jobs.filter((job) => !failureOf(job) && !job.excludedRecord && !isChunk(job));
	const sends = uniqBy(all, (job) => job.key ?? job);
	const sameKey = all.length - sends.length;
	const repeated = sends.length - uniqBy(sends, (job) => (job.send ?? sendOf(job))?.content).length;
	const advice =
		repeated === all.length - 1
			? 'turn on Execute Once in the settings of this node.'
			: `put Remove Duplicates before this node.${all.some(isEmail) ? '' : spellingAdvice}`;
	return [
		sameKey > 0 &&
			`${sameKey} of ${all.length} items have the same key as another item (Send Only Once per Key), so they were not sent.`,
		repeated > 0 &&
			`${repeated} of ${sends.length} items repeat the recipient and content of another. To send once, ${advice}`,
	];
}

/** Campaigns of which the service counts other recipients than were sent. */
const totalHints = (jobs: Job[]): string[] =>
	jobs.flatMap((job) => {
		const { campaignId, total } = recordsIn(job)?.[0] ?? {};
		const sent = job.recipients?.length;
		return typeof total !== 'number' || sent === undefined || total === sent
			? []
			: [
					`The service counts ${total} of the ${sent} recipients of campaign ${textOf(campaignId)}. Get Outcome shows which rows it lists.`,
				];
	});

function fileHint(context: IExecuteFunctions, jobs: Job[]): string | undefined {
	const items = context.getInputData();
	const hasFile = ({ items: [index = 0] }: Job) => size(items[index]?.binary) > 0;
	return jobs.some((job) => isEmail(job) && hasFile(job))
		? 'The input has files, but emails carry none. Link to the file instead.'
		: undefined;
}

/** A run that went on although items failed: n8n offers no Retry after it. */
function failedHint(jobs: Job[]): string | undefined {
	const failed = jobs.filter(failureOf);
	if (failed.length === 0 || failed.length === jobs.length) return undefined;
	const unsure = failed.filter(isUncertain);
	const uncertain = unsure.length > 0 ? ` (${unsure.length} may have been sent)` : '';
	const repeats = jobs.filter((job) => job.key === undefined && sentRecords(job)).length;
	return compact([
		`${failed.length} of ${jobs.length} sends failed${uncertain}.`,
		repeats === 0 && unsure.length < failed.length && 'A new execution sends only the failed ones.',
		repeats === 1 &&
			'A new execution sends the successful one again; "Send Only Once per Key", added now, does not prevent that.',
		repeats > 1 &&
			`A new execution sends the ${repeats} successful ones again; "Send Only Once per Key", added now, does not prevent that.`,
		unsure.some(({ key }) => key !== undefined) &&
			'Uncertain ones with a key fail again unless "Try Again If Uncertain" is on.',
	]).join(' ');
}

function simulationHint(jobs: Job[]): string | undefined {
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
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}`;
}

/** The cost of a run, if every response states it (docs/service.md, section 4). */
function costHint(responses: IDataObject[]): string | undefined {
	const { length } = responses;
	if (length === 0 || !responses.every(({ cost }) => typeof cost === 'number')) return undefined;
	const { remainingBalance: left } = responses.at(-1) ?? {};
	const sent = `${length} ${length === 1 ? 'message' : 'messages'} sent; cost: ${sumBy(responses, 'cost')}`;
	return typeof left === 'number' ? `${sent}; balance: ${left}` : sent;
}
