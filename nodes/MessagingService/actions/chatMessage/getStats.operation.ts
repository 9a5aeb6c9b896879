import { mapValues } from 'lodash';
import { endpoints } from '../../api/endpoints';
import { isJsonObject, unknownShape } from '../../api/response';
import type { ItemOperation } from '../../operation';
import { messageStatuses } from './getMany.operation';

/** GET /chat/campaigns: the counts alone (docs/service.md, section 4.9). */
export const getStats: ItemOperation = {
	kind: 'item',
	value: 'getStats',
	name: 'Get Stats',
	action: 'Get message statistics',
	description: 'Count the messages by delivery status',
	fields: [],
	plan: () => ({ request: { endpoint: endpoints.getMessages, query: { limit: 1 } } }),
	output: (response) => {
		const { total, stats } = response;
		if (!isJsonObject(stats)) throw unknownShape(response, 'stats');
		const none = mapValues(messageStatuses, () => 0);
		return [{ total, ...none, ...stats }];
	},
};
