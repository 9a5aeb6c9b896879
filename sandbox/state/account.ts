import { INITIAL_ACCOUNT, TEXTS } from '../choices';
import { ServiceError } from '../http/serviceError';

/** Balances and owner of the account (docs/service.md, section 2.7). */
export interface Account {
	name: string;
	email: string;
	role: 'user' | 'admin' | 'client';
	balance: number;
	chatBalance: number;
	emailBalance: number;
	voiceMins: number;
	leadBalance: number;
	createdAt: string;
}

type Resource = 'chatBalance' | 'emailBalance' | 'voiceMins';

const SHORT: Record<Resource, string> = {
	chatBalance: TEXTS.chatBalance,
	emailBalance: TEXTS.emailBalance,
	voiceMins: TEXTS.voiceBalance,
};

export function initialAccount(): Account {
	return { ...INITIAL_ACCOUNT };
}

/** Refuses with 402 when `resource` does not cover `cost` (docs/service.md, section 7.2). */
export function requireBalance(account: Account, resource: Resource, cost: number): void {
	if (account[resource] < cost) throw new ServiceError(402, SHORT[resource]);
}

/** Takes `cost` off and gives what remains; 402 when it is not covered. */
export function charge(account: Account, resource: Resource, cost: number): number {
	requireBalance(account, resource, cost);
	account[resource] -= cost;
	return account[resource];
}
