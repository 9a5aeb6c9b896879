import { chunk, groupBy, map } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ApiRequest } from '../../../nodes/MessagingService/api/client';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { checkBalance, optionsField } from '../../../nodes/MessagingService/parameters/options';
import { requiredName, wholeNumber } from '../../../nodes/MessagingService/parameters/schemas';
import type { ItemOperation, JoinedOperation } from '../../../nodes/MessagingService/operation';
import { phonesIn } from './sends';

const field = (name: string, displayName = name, more = {}): INodeProperties => ({
	...{ displayName, name, type: 'string', default: '' },
	...more,
});

const named = (value: string) => ({ value, name: value, action: value, description: value });

/** What a test has the service answer, without the `success` that every answer to a send has. */
const output = ({ success, ...own }: IDataObject): IDataObject[] => [
	Object.keys(own).length > 0 ? own : { success },
];

/** One credit for each recipient. */
const cost = ({ body = {} }: ApiRequest) => ({
	unit: 'chat credits',
	amount: phonesIn(body).length,
});

const fakeBalance = checkBalance('1 chat credit per recipient');

/** A message for each input item, with these parameters in its request. */
export const messageOf = (...names: string[]): ItemOperation => ({
	...named('message'),
	kind: 'item',
	billable: true,
	output,
	cost,
	fields: [
		...names.map((name) => field(name, name === 'phone' ? 'Recipient' : name)),
		optionsField({ billable: true, extra: [fakeBalance] }),
	],
	plan: (read) => ({
		request: {
			endpoint: endpoints.sendText,
			body: Object.fromEntries(names.map((name) => [name, read(name, requiredName)])),
		},
	}),
});

export const message = messageOf('phone');

/** A read for each input item. */
export const read: ItemOperation = {
	...named('read'),
	kind: 'item',
	fields: [field('id', 'ID'), optionsField()],
	plan: (of) => ({
		request: { endpoint: endpoints.getMessages, query: { id: of('id', requiredName) } },
	}),
};

const chunkSize = field('chunkSize', 'Chunk Size', { type: 'number', default: 100 });

/** A message to all items of each template, in requests of so many rows. */
export const campaign: JoinedOperation = {
	...named('campaign'),
	kind: 'joined',
	billable: true,
	output,
	cost,
	fields: [optionsField({ billable: true, batching: false, extra: [fakeBalance, chunkSize] })],
	plan: (reader, items) => {
		const rows = items.map(({ json: { phone, template = '' } }, item) => ({
			phone: String(phone),
			template,
			item,
		}));
		const most = reader(0)('options.chunkSize', wholeNumber(1));
		const plans = Object.entries(groupBy(rows, 'template')).flatMap(([template, members]) =>
			chunk(members, most).map((some) => ({
				request: {
					endpoint: endpoints.sendBulk,
					body: { phones: map(some, 'phone'), ...(template && { template }) },
				},
				items: map(some, 'item'),
				recipients: map(some, 'phone'),
				campaign: template,
				facts: { count: some.length },
			})),
		);
		return { plans };
	},
	nameRecord: ({ id }) => `campaign ${String(id)}`,
};

/** The same operation whose plan has something more. */
export const planning = <T extends ItemOperation | JoinedOperation>(
	operation: T,
	more: Partial<Awaited<ReturnType<T['plan']>>>,
): T => ({
	...operation,
	plan: async (...parts: [never, never]) => ({ ...(await operation.plan(...parts)), ...more }),
});

/** Items with a phone each: 0, 1, 2, … */
export const numberedPhones = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ phone: String(index) }));
