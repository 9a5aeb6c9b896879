import { withoutEmpty } from '../../api/request';
import { lists } from '../../api/lists';
import { readAll } from '../../api/pages';
import { trimmed } from '../../parameters/schemas';
import { listFields, readLimit } from '../../parameters/sharedFields';
import { optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../sending/operation';

/** Statuses of a message record (docs/service.md, section 2.3). */
export const messageStatuses = ['Sent', 'Delivered', 'Read', 'Failed'] as const;

/** GET /chat/campaigns: message records, one item each (docs/service.md, section 4.9). */
export const getManyMessages: ItemOperation = {
	kind: 'item',
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
	plan: (read) => {
		const status = read.isSet('filters.status') ? read('filters.status', trimmed) : '';
		const selection = { query: withoutEmpty({ status }), limit: readLimit(read) };
		return {
			request: { endpoint: lists.messages.endpoint },
			readAll: async (call) => await readAll(call, lists.messages, selection),
		};
	},
};
