import { last } from 'lodash';
import { accountOf, unknownShape } from '../api/response';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import type { Watch } from './watch';

/** The balances of an account (docs/service.md, section 2.7), as the editor calls them. */
export const balanceNames: Readonly<Record<string, string>> = {
	chatBalance: 'Chat Credits',
	emailBalance: 'Email Credits',
	balance: 'Money',
	voiceMins: 'Voice Minutes',
};

type Balances = Record<string, number>;

/**
 * Watches balances (GET /balance, docs/service.md, section 4.2), by thresholds of which 0 is none. One
 * request per poll.
 *
 * n8n stores only what a poll with events gives. So after a restart a balance that has changed since
 * is looked at as one that may have recovered: what it is below is told, rather twice than never.
 */
export function balanceWatch(
	resources: string[],
	thresholds: { warning: number; critical: number },
): Watch {
	const levels = [
		{ event: 'balance.low', threshold: thresholds.warning, limit: thresholds.warning },
		{ event: 'balance.critical', threshold: thresholds.critical, limit: thresholds.critical },
		// Balances are whole numbers (docs/service.md, section 2.7): below 1 is zero or less.
		{ event: 'balance.depleted', threshold: 0, limit: 1 },
	].filter(({ limit }) => limit > 0);

	/** The events of a balance that was one value and is another now (docs/service.md, section 6.4). */
	const crossings = (resource: string, before: number, value: number) =>
		levels
			.filter(({ limit }) => before >= limit && value < limit)
			.map(({ event, threshold }) => ({ event, resource, value, threshold }));

	return {
		identity: { watch: 'balance' },
		poll: async (call, stored, isOld = false) => {
			const { account, values } = await readBalances(call, resources);
			// Values are kept, so that a changed threshold is no event.
			const before = (stored?.values ?? {}) as Balances;
			const items = Object.entries(values).flatMap(([resource, value]) => {
				const earlier = before[resource] ?? value;
				const seen = isOld && earlier !== value ? Infinity : earlier;
				return crossings(resource, seen, value).map((event) => ({ ...event, account }));
			});
			return { items, state: { values } };
		},
		sample: async (call) => {
			const { account, values } = await readBalances(call, resources);
			const [resource = '', present = 0] = Object.entries(values)[0] ?? [];
			// Where the balance is high, the sample shows it just below the first threshold.
			const [{ limit } = { limit: 1 }] = levels;
			const shown = present < limit ? present : limit - 1;
			const event = last(crossings(resource, Infinity, shown));
			return { ...event, account: { ...account, [resource]: shown } };
		},
	};
}

/** The account and its balances; throws Failure where one is missing: its events would never come. */
async function readBalances(call: Call, resources: string[]) {
	const response = await call({ endpoint: endpoints.getBalance });
	const account = accountOf(response);
	const values: Balances = {};
	for (const resource of resources) {
		// An empty text is no balance of zero.
		const value = Number(String(account[resource] ?? '').trim() || NaN);
		if (Number.isNaN(value)) {
			throw unknownShape(response, `the ${balanceNames[resource]?.toLowerCase()} of the account`);
		}
		values[resource] = value;
	}
	return { account, values };
}
