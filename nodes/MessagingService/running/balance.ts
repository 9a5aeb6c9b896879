import { sumBy, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { accountOf, unknownShape } from '../api/response';
import type { Operation } from '../operation';
import { failureOf, isChunk, type Job } from '../job';
import { unsent } from './carryOut';
import type { Settings } from './settings';

/** Which balance a unit of cost is taken from (docs/service.md, sections 4.1 and 8.2). */
const balances: Record<string, string> = {
	'chat credits': 'chatBalance',
	'email credits': 'emailBalance',
	'voice minutes': 'voiceMins',
};

/**
 * Why nothing goes out, if the balance does not cover all that is still to be sent, a key once. Where
 * nothing is sent, each simulated job fails.
 */
export async function checkBalance(
	jobs: Job[],
	{ cost }: Operation,
	price: NonNullable<Settings['price']>,
	call: Call,
): Promise<Failure | undefined> {
	const sent = jobs.filter(({ result }) => !result);
	// Where nothing is sent, it tells what sending would need.
	const left = sent.length > 0 ? sent : jobs.filter((job) => job.isTrial && !failureOf(job));
	if (left.length === 0) return undefined;
	const costs = uniqBy(left, (job) => (isChunk(job) ? job : (job.key ?? job))).flatMap(
		({ plan }) => (plan && cost ? [cost(plan.request)] : []),
	);
	const unit = String(costs[0]?.unit);
	const needed = sumBy(costs, ({ [price]: one }) => Number(one ?? 0));
	const failure = await failureOr(unsent(askBalance(call, unit, needed)));
	if (failure) for (const job of left) if (job.isTrial) job.result = { failure };
	return failure;
}

/** Says what a run has cost, as far as every response says so in the same currency (docs/service.md, section 4). */
export function costHint(responses: IDataObject[]): string | undefined {
	const isOne = uniqBy(responses, 'currency').length === 1;
	if (!isOne || !responses.every(({ cost }) => typeof cost === 'number')) return undefined;
	const { length } = responses;
	const { remainingBalance: left } = responses.at(-1) ?? {};
	const sent = `${length} ${length === 1 ? 'message' : 'messages'} sent, cost ${sumBy(responses, 'cost')}`;
	return typeof left === 'number' ? `${sent}, ${left} remaining` : sent;
}

/** @throws Failure when the balance is too low or cannot be read */
async function askBalance(call: Call, unit: string, needed: number): Promise<undefined> {
	const name = balances[unit] ?? unit;
	const response = await call({ endpoint: endpoints.getBalance });
	const available = accountOf(response)[name];
	if (typeof available !== 'number') throw unknownShape(response, name);
	if (available >= needed) return undefined;
	throw new Failure(`This run needs ${needed} ${unit}, but the account has ${available}`, {
		outcome: 'notSent',
		description: `Top up the ${unit} by ${needed - available} or more on the dashboard, or send less.`,
		facts: { needed, available },
	});
}
