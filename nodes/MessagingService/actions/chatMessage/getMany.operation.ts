import { withoutEmpty } from '../../api/request';
import { readByOffset } from '../../api/pagination';
import { trimmed } from '../../parameters/schemas';
import { listFields } from '../../parameters/listFields';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';
import { readLimit } from '../../parameters/read';

/** Statuses of a message record (docs/service.md, section 2.3). */
export const messageStatuses = ['Sent', 'Delivered', 'Read', 'Failed'] as const;

/** GET /chat/campaigns: message records, one item each (docs/service.md, section 4.9). */
export const getManyMessages: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many messages',
	description: 'Get message records with their delivery status, newest first',
	fields: [
		...listFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					options: messageStatuses.map((status) => ({ name: status, value: status })),
					default: 'Sent',
					description: 'Only messages with this status',
				},
			],
		},
		optionsField(),
	],
	request: (read) => ({
		method: 'GET',
		path: '/chat/campaigns',
		query: withoutEmpty({ status: read('filters.status', 'Status', trimmed) }),
		wanted: readLimit(read),
	}),
	readAll: async (call, request) => await readByOffset(call, request, 'messages'),
};
