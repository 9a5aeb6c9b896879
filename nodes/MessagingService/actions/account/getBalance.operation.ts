import { endpoints } from '../../api/endpoints';
import { accountOf } from '../../api/response';
import type { ItemOperation } from '../../operation';

/**
 * GET /balance: the account with its balances, from either documented shape of the response (docs/service.md,
 * section 4.2).
 */
export const getBalance: ItemOperation = {
	kind: 'item',
	value: 'getBalance',
	action: 'Get account balance',
	description: 'Get the remaining money, chat credits, email credits and voice minutes',
	fields: [],
	plan: () => ({ request: { endpoint: endpoints.getBalance } }),
	output: (response) => [accountOf(response)],
};
