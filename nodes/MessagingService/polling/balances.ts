import type { IDataObject } from 'n8n-workflow';

/** Thresholds that a balance can fall below; 0 is none. */
export interface Thresholds {
	warning: number;
	critical: number;
}

/** A balance that fell below a threshold (docs/service.md, section 6.4). */
export interface BalanceEvent extends IDataObject {
	event: 'balance.low' | 'balance.critical' | 'balance.depleted';
	/** Name of the balance. */
	resource: string;
	value: number;
	threshold: number;
}

/** The last seen value of each watched balance: at most four numbers. */
export type Balances = Record<string, number>;

/**
 * The events between two looks at the balances: one for each threshold that a balance was not
 * below before and is now. A fall through several thresholds tells each of them.
 *
 * Values are kept rather than what was told, so that a changed threshold alone is no event. A
 * balance that is seen for the first time has no event either.
 */
export function crossings(
	before: Balances,
	now: Balances,
	{ warning, critical }: Thresholds,
): BalanceEvent[] {
	const levels = [
		{ event: 'balance.low' as const, threshold: warning, limit: warning },
		{ event: 'balance.critical' as const, threshold: critical, limit: critical },
		// Balances are whole numbers (docs/service.md, section 2.7): below 1 is zero or less.
		{ event: 'balance.depleted' as const, threshold: 0, limit: 1 },
	];
	return Object.entries(now).flatMap(([resource, value]) => {
		const last = before[resource];
		if (last === undefined) return [];
		return levels
			.filter(({ limit }) => limit > 0 && last >= limit && value < limit)
			.map(({ event, threshold }) => ({ event, resource, value, threshold }));
	});
}
