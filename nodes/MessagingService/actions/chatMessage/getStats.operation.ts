import { isJsonObject } from '../../api/response';
import { unknownShape } from '../../api/records';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';
import { messageStatuses } from './getMany.operation';

/** GET /chat/campaigns: the counts alone (docs/service.md, section 4.9). */
export const getStats: Operation = {
	value: 'getStats',
	name: 'Get Stats',
	action: 'Get message statistics',
	description: 'Count the messages by delivery status',
	fields: [optionsField()],
	request: () => ({ method: 'GET', path: '/chat/campaigns', query: { limit: 1 } }),
	output: (answer) => {
		const { total, stats } = answer;
		if (!isJsonObject(stats)) throw unknownShape(answer, 'stats');
		const none = Object.fromEntries(messageStatuses.map((status) => [status, 0]));
		return [{ total, ...none, ...stats }];
	},
};
