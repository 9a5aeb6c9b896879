import { isEmpty, last, mapValues, omitBy, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { accountOf, balanceNames, unknownShape } from '../api/response';
import type { Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import type { Watch } from './watch';

type Balances = Record<string, number>;

/** Stores the last balances, not the crossed thresholds, so that changing a threshold emits no event. */
interface State extends IDataObject {
	values: Balances;
	/**
	 * Values from before the last restart of n8n. Each is compared with the first response that contains
	 * its balance.
	 */
	beforeRestart: Balances;
}

/**
 * Watches balances (GET /balance, docs/service.md, section 4.2). One request per poll; 0 turns a threshold off.
 *
 * n8n stores the state only after a poll that emits events. After a restart, a changed balance may have risen above
 * a threshold and fallen again unseen, so each threshold that it is below emits: better twice than never.
 */
export function balanceWatch(
	resources: string[],
	thresholds: { warning: number; critical: number },
): Watch {
	const levels = [
		{ event: 'balance.low', threshold: thresholds.warning, firesBelow: thresholds.warning },
		{ event: 'balance.critical', threshold: thresholds.critical, firesBelow: thresholds.critical },
		// Balances are whole numbers (docs/service.md, section 2.7): below 1 is zero or less.
		{ event: 'balance.depleted', threshold: 0, firesBelow: 1 },
	].filter(({ firesBelow }) => firesBelow > 0);

	/** The events of a balance that changes from `before` to `value` (docs/service.md, section 6.4). */
	const crossings = (resource: string, before: number, value: number) =>
		levels
			.filter(({ firesBelow }) => before >= firesBelow && value < firesBelow)
			.map(({ event, threshold }) => ({ event, resource, value, threshold }));

	return {
		identity: { watch: 'balance' },
		poll: async (call, stored, afterRestart) => {
			const { account, values } = await readBalances(call, resources);
			const lastState = { values: {}, beforeRestart: {}, ...stored } as State;
			const lastValues = afterRestart ? {} : lastState.values;
			const beforeRestart = afterRestart
				? { ...lastState.beforeRestart, ...lastState.values }
				: lastState.beforeRestart;
			const items = Object.entries(values).flatMap(([resource, value]) => {
				const mayHaveRecovered = resource in beforeRestart && beforeRestart[resource] !== value;
				const before = lastValues[resource] ?? (mayHaveRecovered ? Infinity : value);
				return crossings(resource, before, value).map((event) => ({ ...event, account }));
			});
			const state: State = { values: { ...lastValues, ...values }, beforeRestart };
			return { items, state };
		},
		sample: async (call) => {
			const { account, values } = await readBalances(call, resources);
			const [resource = '', present = 0] = Object.entries(values)[0] ?? [];
			// A balance above the first threshold is shown just below it.
			const [{ firesBelow } = { firesBelow: 1 }] = levels;
			const shown = present < firesBelow ? present : firesBelow - 1;
			const event = last(crossings(resource, Infinity, shown));
			return { ...event, account: { ...account, [resource]: shown } };
		},
	};
}

/** The balances that the response has: its two documented forms differ. Throws Failure if it has none of them. */
async function readBalances(call: Call, resources: string[]) {
	const response = await call({ endpoint: endpoints.getBalance });
	const account = accountOf(response);
	// Number('') would be 0.
	const numberIn = (value: unknown): number => Number(String(value).trim() || NaN);
	const values: Balances = omitBy(mapValues(pick(account, resources), numberIn), Number.isNaN);
	if (!isEmpty(values)) return { account, values };
	const labels = resources.map((resource) => balanceNames[resource]?.toLowerCase());
	throw unknownShape(response, `${labels.join(' or ')} of the account`);
}
