import type { IDataObject } from 'n8n-workflow';
import { unknownShape } from './lists';
import { isJsonObject } from './response';

/** Balances of the account (docs/service.md, section 2.7). */
const balances = ['balance', 'chatBalance', 'emailBalance', 'voiceMins'] as const;

/**
 * The account of a balance response, nested or flat.
 *
 * @throws Failure when there is no balance in it
 */
export function accountOf(response: IDataObject): IDataObject {
	const account = { ...(isJsonObject(response.user) ? response.user : response) };
	delete account.success;
	if (balances.every((name) => account[name] === undefined))
		throw unknownShape(response, 'balances');
	return account;
}
