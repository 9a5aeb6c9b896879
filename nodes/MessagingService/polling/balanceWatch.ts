import { last, mapValues, omitBy, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
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

/** The last seen value of each watched balance; values are kept, so that a changed threshold is no event. */
interface State extends IDataObject {
	values: Balances;
	/** Those of before the last restart of n8n, for what was not seen since. */
	old: Balances;
}

/**
 * Watches balances (GET /balance, docs/service.md, section 4.2). One request per poll.
 *
 * n8n stores only what a poll with events gives. So after a restart a balance that has changed since
 * is looked at as one that may have recovered: what it is below is told, rather twice than never.
 *
 * @param thresholds that a balance can fall below; 0 is none
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
		poll: async (call, stored, isOld) => {
			const { account, values, failure } = await readBalances(call, resources);
			const before = { values: {}, old: {}, ...stored } as State;
			const known = isOld ? {} : before.values;
			const old = isOld ? { ...before.old, ...before.values } : before.old;
			const items = Object.entries(values).flatMap(([resource, value]) => {
				const mayHaveRecovered = resource in old && old[resource] !== value;
				const seen = known[resource] ?? (mayHaveRecovered ? Infinity : value);
				return crossings(resource, seen, value).map((event) => ({ ...event, account }));
			});
			// What is missing hides no event of another.
			const state: State = { values: { ...known, ...values }, old };
			return { items, state, failure: items.length === 0 ? failure : undefined };
		},
		sample: async (call) => {
			const { account, values, failure } = await readBalances(call, resources);
			if (failure) throw failure;
			const [resource = '', present = 0] = Object.entries(values)[0] ?? [];
			// Where the balance is high, the sample shows it just below the first threshold.
			const [{ limit } = { limit: 1 }] = levels;
			const shown = present < limit ? present : limit - 1;
			const event = last(crossings(resource, Infinity, shown));
			return { ...event, account: { ...account, [resource]: shown } };
		},
	};
}

/** The balances, and a Failure where one is missing: its events would never come. */
async function readBalances(call: Call, resources: string[]) {
	const response = await call({ endpoint: endpoints.getBalance });
	const account = accountOf(response);
	// An empty text is no balance of zero.
	const numberIn = (value: unknown): number => Number(String(value).trim() || NaN);
	const values: Balances = omitBy(mapValues(pick(account, resources), numberIn), Number.isNaN);
	const missing = resources.find((resource) => !(resource in values));
	const failure =
		missing === undefined
			? undefined
			: unknownShape(response, `the ${balanceNames[missing]?.toLowerCase()} of the account`);
	return { account, values, failure };
}
