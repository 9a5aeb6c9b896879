import { sumBy } from 'lodash';
import { accountOf } from '../api/account';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure } from '../api/failure';
import { unknownShape } from '../api/lists';
import type { Operation } from '../operation';
import type { Job } from './plan';
import type { Settings } from './settings';

/** Which balance a unit of cost is taken from (docs/service.md, sections 4.1 and 8.2). */
const balances: Record<string, string> = {
	'chat credits': 'chatBalance',
	'email credits': 'emailBalance',
	'voice minutes': 'voiceMins',
};

/** Looks once whether the balance covers all that is to be sent; throws Failure. */
export async function checkBalance(
	call: Call,
	{ cost }: Operation,
	price: NonNullable<Settings['price']>,
	jobs: Job[],
): Promise<void> {
	const costs = jobs.flatMap(({ plan }) => (plan && cost ? [cost(plan.request)] : []));
	const unit = String(costs[0]?.unit);
	const needed = sumBy(costs, ({ [price]: one }) => Number(one ?? 0));
	const name = balances[unit] ?? unit;
	const response = await call({ endpoint: endpoints.getBalance });
	const available = accountOf(response)[name];
	if (typeof available !== 'number') throw unknownShape(response, name);
	if (available >= needed) return;
	throw new Failure(
		`What is to be sent needs ${needed} ${unit}, but the account has ${available}`,
		{
			outcome: 'notSent',
			description: `Top up ${needed - available} ${unit} or more on the dashboard, or send less.`,
			facts: { needed, available },
		},
	);
}
