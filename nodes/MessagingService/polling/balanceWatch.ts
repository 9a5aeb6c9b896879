import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { accountOf } from '../actions/account/getBalance.operation';
import { endpoints } from '../api/endpoints';
import { unknownShape } from '../api/lists';
import type { Call } from '../api/request';
import { crossings, type Balances, type Thresholds } from './balances';
import type { Watch } from './watch';

const storedSchema = z.object({ values: z.record(z.number()) });

/**
 * Watches balances (GET /balance, docs/service.md, section 4.2). One request per poll.
 *
 * What is stored is four numbers at most. n8n stores only what a poll with events gives, so after
 * a restart the values of the last event count: a balance that recovered since and has fallen
 * again before n8n restarted is not told a second time.
 */
export function balanceWatch(resources: string[], thresholds: Thresholds): Watch {
	return {
		identity: { watch: 'balance' },
		poll: async (call, stored) => {
			const { account, values } = await readBalances(call, resources);
			const parsed = storedSchema.safeParse(stored);
			const before = parsed.success ? parsed.data.values : {};
			const items = crossings(before, values, thresholds).map((event) => ({ ...event, account }));
			return { items, state: { values } };
		},
		sample: async (call) => {
			const { account, values } = await readBalances(call, resources);
			const [resource = '', value = 0] = Object.entries(values)[0] ?? [];
			return { event: 'balance.low', resource, value, threshold: thresholds.warning, account };
		},
	};
}

/** @throws Failure when the account has no such balance: its events would never come */
async function readBalances(
	call: Call,
	resources: string[],
): Promise<{ account: IDataObject; values: Balances }> {
	const answer = await call({ endpoint: endpoints.getBalance });
	const account = accountOf(answer);
	const values: Balances = {};
	for (const resource of resources) {
		const value = Number(account[resource] ?? NaN);
		if (Number.isNaN(value)) throw unknownShape(answer, `the balance ${resource}`);
		values[resource] = value;
	}
	return { account, values };
}
