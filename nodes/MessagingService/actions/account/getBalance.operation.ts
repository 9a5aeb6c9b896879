import type { IDataObject } from 'n8n-workflow';
import { isJsonObject } from '../../api/response';
import { unknownShape } from '../../api/records';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';

/** Balances of the account (docs/service.md, section 2.7). */
export const balances = ['balance', 'chatBalance', 'emailBalance', 'voiceMins'] as const;

/** GET /balance: the account with its balances, in both documented shapes (docs/service.md, section 4.2). */
export const getBalance: Operation = {
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get the account balance',
	description: 'Get the money, chat credits, e-mail credits and voice minutes that are left',
	fields: [optionsField()],
	request: () => ({ method: 'GET', path: '/balance' }),
	output: (answer) => [accountOf(answer)],
};

/**
 * The account of a balance answer, nested or flat.
 *
 * @throws Failure when there is no balance in it
 */
export function accountOf(answer: IDataObject): IDataObject {
	const account = { ...(isJsonObject(answer.user) ? answer.user : answer) };
	delete account.success;
	if (balances.every((name) => account[name] === undefined)) throw unknownShape(answer, 'balances');
	return account;
}
