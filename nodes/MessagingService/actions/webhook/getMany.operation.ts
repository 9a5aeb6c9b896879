import { lists, readPage } from '../../api/lists';
import type { ItemOperation } from '../../operation';

/** GET /chat/webhooks: the registrations, one item each (docs/service.md, section 4.11). */
export const getManyWebhooks: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Get the registered webhooks',
	fields: [],
	plan: () => ({
		request: { endpoint: lists.webhooks.endpoint },
		readAll: async (call) => (await readPage(call, lists.webhooks)).records,
	}),
};
