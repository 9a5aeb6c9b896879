import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../../nodes/MessagingService/api/endpoints';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import { requiredName, wholeNumber } from '../../../nodes/MessagingService/parameters/schemas';
import type { ItemOperation, JoinedOperation } from '../../../nodes/MessagingService/operation';

const text = (name: string, displayName: string): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
});

const named = (value: string) => ({ value, name: value, action: value, description: value });

/** What a test has the service answer, without the `success` that every answer to a send has. */
const output = ({ success, ...own }: IDataObject): IDataObject[] => [
	Object.keys(own).length > 0 ? own : { success },
];

/** A message for each input item. */
export const message: ItemOperation = {
	...named('message'),
	kind: 'item',
	billable: true,
	output,
	fields: [text('phone', 'Recipient'), optionsField({ billable: true })],
	plan: (read) => ({
		request: { endpoint: endpoints.sendText, body: { phone: read('phone', requiredName) } },
	}),
};

/** A read for each input item. */
export const read: ItemOperation = {
	...named('read'),
	kind: 'item',
	fields: [text('id', 'ID'), optionsField()],
	plan: (of) => ({
		request: { endpoint: endpoints.getMessages, query: { id: of('id', requiredName) } },
	}),
};

const chunkSize: INodeProperties = {
	displayName: 'Recipients per Request',
	name: 'chunkSize',
	type: 'number',
	default: 100,
};

const chunks = (rows: number[], size: number): number[][] =>
	rows.length === 0 ? [] : [rows.slice(0, size), ...chunks(rows.slice(size), size)];

/**
 * Messages to so many recipients each, which are the rows of the requests.
 *
 * @param perItem recipients of an input item
 */
export const campaignOf = (perItem: number): JoinedOperation => ({
	...named('campaign'),
	kind: 'joined',
	billable: true,
	output,
	fields: [optionsField({ billable: true, batching: false, own: [chunkSize] })],
	plan: (reader, items, isLeftOut) => {
		const all = items.flatMap(({ json: { phone } }) => Array<unknown>(perItem).fill(phone));
		const most = reader(0)('options.chunkSize', wholeNumber(1));
		const rows = [...all.keys()].filter((row) => !isLeftOut(String(all[row]), row));
		const plans = chunks(rows, most).map((some) => ({
			request: { endpoint: endpoints.sendBulk, body: { phones: some.map((row) => all[row]) } },
			items: [...new Set(some.map((row) => Math.floor(row / perItem)))],
			rows: Uint32Array.from(some),
			recipients: some.map((row) => String(all[row])),
			facts: { count: some.length },
		}));
		return { plans };
	},
	nameRecord: ({ id }) => `campaign ${String(id)}`,
});

export const campaign = campaignOf(1);

/** One message about all input items. */
export const summary: JoinedOperation = {
	...named('summary'),
	kind: 'joined',
	billable: true,
	output,
	fields: [text('phone', 'Recipient'), optionsField({ billable: true, batching: false })],
	plan: (reader, items) => ({
		plans: [
			{
				request: {
					endpoint: endpoints.sendText,
					body: { phone: reader(0)('phone', requiredName), count: items.length },
				},
				items: [...items.keys()],
				facts: { count: items.length },
			},
		],
	}),
	nameRecord: ({ id }) => `summary ${String(id)}`,
};

/** Items with a phone each: 0, 1, 2, … */
export const numberedPhones = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ phone: String(index) }));
