import type { Fate } from './ledger';

/** A send that is noted as under way. */
export interface Open {
	id: string;
	settled(fate: Fate): void;
}

/** A send that was accepted. */
export interface Accepted extends Open {
	index: number;
}

// The entries of a send in the ledger. Taken and in doubt: it may have gone out. Taken alone: accepted. In doubt
// until a later write says accepted, so that one write can say it of many.
export const taken = (id: string) => `taken ${id}`;
export const inDoubt = (id: string) => `in doubt ${id}`;
export const accepted = (id: string) => `accepted ${id}`;
export const looked = (id: string) => `looked ${id}`;

/** Both entries of a send that is under way. */
export const openEntries = (id: string) => [taken(id), inDoubt(id)];
