import { sumBy, uniqBy } from 'lodash';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { accountOf, unknownShape } from '../api/response';
import type { Operation } from '../operation';
import { failureOf, isChunk, type Job } from '../job';
import { asNotSent } from './carryOut';
import type { Settings } from './settings';

/** Which balance a unit of cost is taken from (docs/service.md, sections 4.1 and 8.2). */
const balances: Record<string, string> = {
	'chat credits': 'chatBalance',
	'email credits': 'emailBalance',
	'voice minutes': 'voiceMins',
};

/**
 * Returns a Failure if the balance does not cover all remaining sends; sends with the same key count once. The
 * Failure also becomes the result of simulated jobs.
 */
export async function checkBalance(
	jobs: Job[],
	{ cost }: Operation,
	priceKind: NonNullable<Settings['priceKind']>,
	call: Call,
): Promise<Failure | undefined> {
	const unsentJobs = jobs.filter(({ result }) => !result);
	// A simulated run checks what sending would need.
	const checked =
		unsentJobs.length > 0 ? unsentJobs : jobs.filter((job) => job.isSimulated && !failureOf(job));
	if (checked.length === 0) return undefined;
	const costs = uniqBy(checked, (job) => (isChunk(job) ? job : (job.key ?? job))).flatMap(
		({ plan }) => (plan && cost ? [cost(plan.request)] : []),
	);
	const unit = String(costs[0]?.unit);
	const needed = sumBy(costs, ({ [priceKind]: amount }) => Number(amount ?? 0));
	const work = call({ endpoint: endpoints.getBalance }).then((response) => {
		const name = balances[unit] ?? unit;
		const available = accountOf(response)[name];
		if (typeof available !== 'number') throw unknownShape(response, name);
		if (available < needed) throw shortage(unit, needed, available, priceKind);
	});
	const failure = (await failureOr(asNotSent(work))) ?? undefined;
	if (failure) for (const job of checked) if (job.isSimulated) job.result = { failure };
	return failure;
}

function shortage(unit: string, needed: number, available: number, priceKind: string): Failure {
	const utility =
		priceKind === 'marketing'
			? " For a utility template (1 credit per message), set 'Check Balance' to Utility Templates."
			: '';
	return new Failure(`Not enough ${unit}: this run needs ${needed}, the account has ${available}`, {
		outcome: 'notSent',
		description: `Top up the ${unit} by ${needed - available} or more, or send less.${utility}`,
		facts: { needed, available },
	});
}
