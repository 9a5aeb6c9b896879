import { mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { Failure } from '../../api/failure';
import { lists } from '../../api/lists';
import { readNewest, type Selection } from '../../api/newest';
import { searchOf } from '../../api/recordSearch';
import { isJsonObject, textOf, unknownShape } from '../../api/response';
import { checkChatPhone, digitsOf } from '../../parameters/phone';
import { choiceField, momentField, noticeField, textField } from '../../parameters/fields';
import {
	asText,
	choiceOf,
	phoneWith,
	requiredName,
	trimmed,
	type Schema,
} from '../../parameters/schemas';
import {
	filtersField,
	listFields,
	locatorField,
	outputFields,
	readLimit,
	readTimeRange,
	outputSelection,
	phoneLabel,
} from '../../parameters/sharedFields';
import type { ItemOperation } from '../../operation';

/** Statuses of a message record (docs/service.md, section 2.3). */
export const messageStatuses = {
	Sent: 'Sent',
	Delivered: 'Delivered',
	Read: 'Read',
	Failed: 'Failed',
};

/** What Simplified leaves out of a message record (docs/service.md, section 2.3). */
const leftOut = ['id', 'content', 'type', 'updatedAt'];

/** GET /chat/campaigns: the record of one message (docs/service.md, section 4.9). */
export const getMessage: ItemOperation = {
	kind: 'item',
	value: 'get',
	action: 'Get message',
	description: 'Get the record of a message with its delivery status',
	fields: [
		locatorField('providerMessageId', 'Message', 'searchMessages', {
			placeholder: 'e.g. the providerMessageId of Send Template',
			description:
				'One of the newest messages, or the providerMessageId that Send Template returned',
		}),
		...outputFields,
	],
	plan: (read) => {
		const id = read('providerMessageId', requiredName);
		const shown = outputSelection(read, leftOut);
		const search = searchOf(read.context, lists.messages, (record) => [record.providerMessageId]);
		search.want(id);
		return {
			request: { endpoint: lists.messages.endpoint },
			readAll: async (call) => {
				const record = await search.find(call, id);
				if (record) return [shown(record)];
				throw new Failure(`The message records show no message with the ID ${id}`, {
					outcome: 'rejected',
					description: `Check that it is a providerMessageId from the same account. ${search.extent}`,
				});
			},
		};
	},
};

const optionalChatPhone: Schema<string> = phoneWith((value) =>
	asText(value) === '' ? { phone: '' } : checkChatPhone(value),
);

/** GET /chat/campaigns: message records, one item each (docs/service.md, section 4.9). */
export const getManyMessages: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	action: 'Get many messages',
	description: 'Get message records with their delivery status, newest first',
	fields: [
		...listFields,
		...outputFields,
		filtersField([
			textField('phone', phoneLabel, {
				placeholder: 'e.g. +447700900210',
				description: 'Only messages to this number',
			}),
			textField('providerMessageId', 'Provider Message ID', {
				placeholder: 'e.g. the providerMessageId of Send Template',
				description: 'Only the message with this ID',
			}),
			momentField('sentAfter', 'Sent After', {
				description:
					'Only messages sent at this time or later. For the last seven days: <code>{{ $today.minus({ days: 7 }) }}</code>.',
			}),
			momentField('sentBefore', 'Sent Before', {
				description:
					'Only messages sent at this time or earlier. A date without a time is the start of the day.',
			}),
			choiceField('status', 'Status', messageStatuses, 'Sent', {
				description: 'Only messages with this status',
			}),
		]),
	],
	plan: (read) => {
		const status = read.has('filters.status') && read('filters.status', choiceOf(messageStatuses));
		const phone = read('filters.phone', optionalChatPhone);
		const id = read('filters.providerMessageId', trimmed);
		const selection: Selection = {
			query: status ? { status } : undefined,
			limit: readLimit(read),
			...readTimeRange(read, 'filters.sentAfter', 'filters.sentBefore'),
			matches: ({ to, providerMessageId }: IDataObject) =>
				(phone === '' || digitsOf(to) === phone) && (id === '' || textOf(providerMessageId) === id),
			stopsAt: id === '' ? undefined : () => true,
		};
		const shown = outputSelection(read, leftOut);
		return {
			request: { endpoint: lists.messages.endpoint },
			readAll: async (call) => (await readNewest(call, lists.messages, selection)).map(shown),
		};
	},
};

/** GET /chat/campaigns: the counts alone (docs/service.md, section 4.9). */
export const getStats: ItemOperation = {
	kind: 'item',
	value: 'getStats',
	action: 'Get message statistics',
	description: 'Count all messages ever sent, by delivery status',
	fields: [
		noticeField(
			'statsNotice',
			'Counts all messages ever sent. For those of a period, use Get Many.',
		),
	],
	plan: () => ({ request: { endpoint: endpoints.getMessages, query: { limit: 1 } } }),
	output: (response) => {
		const { total, stats } = response;
		if (!isJsonObject(stats)) throw unknownShape(response, 'stats');
		const none = mapValues(messageStatuses, () => 0);
		return [{ total, ...none, ...stats }];
	},
};
