import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { isJsonObject } from '../../api/response';
import { unknownShape } from '../../api/lists';
import { optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../operation';

/** Balances of the account (docs/service.md, section 2.7). */
const balances = ['balance', 'chatBalance', 'emailBalance', 'voiceMins'] as const;

/** GET /balance: the account with its balances, in both documented shapes (docs/service.md, section 4.2). */
export const getBalance: ItemOperation = {
	kind: 'item',
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get the account balance',
	description: 'Get the money, chat credits, email credits and voice minutes that are left',
	fields: [optionsField({ batching: false })],
	plan: () => ({ request: { endpoint: endpoints.getBalance } }),
	output: (response) => [accountOf(response)],
};

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
