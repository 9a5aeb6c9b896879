import { lists, readPage } from '../../api/lists';
import type { ItemOperation } from '../../operation';

/** GET /chat/configs: the connected numbers, one item each (docs/service.md, section 4.3). */
export const getManyNumbers: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	action: 'Get many phone numbers',
	description: 'Get the numbers connected to the account, with their quality rating',
	fields: [],
	plan: () => ({
		request: { endpoint: lists.numbers.endpoint },
		readAll: async (call) => (await readPage(call, lists.numbers)).records,
	}),
};
