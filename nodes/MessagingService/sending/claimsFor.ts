import type { IExecuteFunctions } from 'n8n-workflow';
import { isRead } from '../api/request';
import { Claims } from './claims';
import { lineageOf, runOf } from './identity';
import { Ledger } from './ledger';
import type { Earlier, Job } from './plan';
import type { Settings } from './settings';

/**
 * Gives the claims of a run: what makes each of its sends the same in another try, and with a key in
 * any other execution. None in a workflow that was never saved.
 *
 * @param account that the sends go through
 */
export function claimsFor(
	context: IExecuteFunctions,
	jobs: Job[],
	{ batchSize }: Settings,
	{ memory, inputOf }: Earlier,
	account: string,
): Claims | undefined {
	const ledger = Ledger.of(context);
	if (!ledger) return undefined;
	const isToSend = ({ plan, place, items }: Job): boolean =>
		plan !== undefined && !isRead(plan.request) && !memory.accepted(place, inputOf(items));
	const order = jobs.flatMap((job, index) => (isToSend(job) ? [index] : []));
	const isKeyed = jobs.some(({ key }) => key !== undefined);
	const lineage = lineageOf(context);
	const place = `${account} ${lineage} ${runOf(context)}`;
	const idIn = (prefix: string) => (index: number) => idOf(prefix, jobs[index]);
	const idOf = (prefix: string, job: Job | undefined): string =>
		job?.key === undefined
			? `${prefix} ${job?.place} ${inputOf(job?.items ?? [])}`
			: `key ${account} ${job.key}`;
	const own = `${place} ${context.getExecutionId()}`;
	const isFresh = !isKeyed && context.getMode() !== 'retry';
	return new Claims(ledger, {
		context,
		order,
		count: jobs.length,
		prefix: place,
		idOf: idIn(place),
		atOnce: batchSize,
		isKeyed,
		// A retry can begin while the execution that it repeats still runs.
		waits: isKeyed || !isFresh,
		fresh: isFresh ? { mark: `run ${own}`, ownIdOf: idIn(own) } : undefined,
	});
}
