// The entries of a send in the ledger. Taken and in doubt: it may have gone out. Taken alone: accepted. In doubt
// until a later write says accepted, so that one write can say it of many.
export const taken = (id: string) => `taken ${id}`;
export const inDoubt = (id: string) => `in doubt ${id}`;
export const accepted = (id: string) => `accepted ${id}`;
export const looked = (id: string) => `looked ${id}`;
