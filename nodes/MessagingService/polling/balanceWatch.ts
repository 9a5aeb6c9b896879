import { mapValues, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { accountOf, unknownShape } from '../api/response';
import type { Call } from '../api/client';
import type { Failure } from '../api/failure';
import { endpoints } from '../api/endpoints';
import type { Watch } from './watch';

/** The balances of an account (docs/service.md, section 2.7), as the editor calls them. */
export const balanceNames: Readonly<Record<string, string>> = {
	chatBalance: 'Chat Credits',
	emailBalance: 'Email Credits',
	balance: 'Money',
	voiceMins: 'Voice Minutes',
};

/** Thresholds that a balance can fall below; 0 is none. */
export interface Thresholds {
	warning: number;
	critical: number;
}

/** The last seen value of each watched balance: at most four numbers. */
export type Balances = Record<string, number>;

/** A balance that fell below a threshold (docs/service.md, section 6.4). */
interface BalanceEvent extends IDataObject {
	event: string;
	/** Name of the balance. */
	resource: string;
	value: number;
	threshold: number;
}

/**
 * Watches balances (GET /balance, docs/service.md, section 4.2). One request per poll.
 *
 * n8n stores only what a poll with events gives. So after a restart a balance that has changed since
 * is looked at as one that may have recovered: what it is below is told, rather twice than never.
 */
export function balanceWatch(resources: string[], thresholds: Thresholds): Watch {
	return {
		identity: { watch: 'balance' },
		poll: async (call, stored, isOld = false) => {
			const { account, values, failure } = await readBalances(call, resources);
			const known = (stored?.values ?? {}) as Balances;
			const before = mapValues(known, (value, resource) =>
				isOld && value !== values[resource] ? Infinity : value,
			);
			const items = crossings(before, values, thresholds).map((event) => ({ ...event, account }));
			const state = { values: { ...pick(known, resources), ...values } };
			// What is missing hides no event of another.
			return { items, state, failure: items.length === 0 ? failure : undefined };
		},
		sample: async (call) => {
			const { account, values, failure } = await readBalances(call, resources);
			if (failure) throw failure;
			const [resource = '', present = 0] = Object.entries(values)[0] ?? [];
			const levels = levelsOf(thresholds);
			const reached = levels.filter(({ limit }) => present < limit).pop();
			const { event, threshold, limit = 1 } = reached ?? levels[0] ?? {};
			// Where the balance is high, the sample shows it just below the threshold.
			const value = reached ? present : Math.max(0, Math.ceil(limit) - 1);
			return { event, resource, value, threshold, account: { ...account, [resource]: value } };
		},
	};
}

/**
 * The events between two looks at the balances: one for each threshold that a balance was not
 * below before and is now. A fall through several thresholds has an event for each of them.
 *
 * Values are kept rather than what was emitted, so that a changed threshold alone is no event. A
 * balance that is seen for the first time has no event either.
 */
function crossings(before: Balances, now: Balances, thresholds: Thresholds): BalanceEvent[] {
	const levels = levelsOf(thresholds);
	return Object.entries(now).flatMap(([resource, value]) => {
		const last = before[resource];
		if (last === undefined) return [];
		return levels
			.filter(({ limit }) => last >= limit && value < limit)
			.map(({ event, threshold }) => ({ event, resource, value, threshold }));
	});
}

/** The thresholds that are on, from the highest down, and the values below which their events come. */
const levelsOf = ({ warning, critical }: Thresholds) =>
	[
		{ event: 'balance.low', threshold: warning, limit: warning },
		{ event: 'balance.critical', threshold: critical, limit: critical },
		// Balances are whole numbers (docs/service.md, section 2.7): below 1 is zero or less.
		{ event: 'balance.depleted', threshold: 0, limit: 1 },
	].filter(({ limit }) => limit > 0);

/** The balances, and a Failure where one is missing: its events would never come. */
async function readBalances(
	call: Call,
	resources: string[],
): Promise<{ account: IDataObject; values: Balances; failure?: Failure }> {
	let failure: Failure | undefined;
	const response = await call({ endpoint: endpoints.getBalance });
	const account = accountOf(response);
	const values: Balances = {};
	for (const resource of resources) {
		// An empty text is no balance of zero.
		const value = Number(String(account[resource] ?? '').trim() || NaN);
		const name = balanceNames[resource]?.toLowerCase() ?? resource;
		if (Number.isNaN(value)) failure ??= unknownShape(response, `the ${name} of the account`);
		else values[resource] = value;
	}
	return { account, values, failure };
}
