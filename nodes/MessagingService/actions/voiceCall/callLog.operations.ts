import { keyBy, mapValues, pickBy, startCase } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { withoutEmpty } from '../../api/client';
import { Failure } from '../../api/failure';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { searchOf } from '../../api/recordSearch';
import type { ItemOperation } from '../../operation';
import { choiceField, momentField, textField } from '../../parameters/fields';
import { choiceOf, requiredName, someDigits } from '../../parameters/schemas';
import {
	filtersField,
	listFields,
	locatorField,
	outputFields,
	readLimit,
	readTimeRange,
	outputSelection,
} from '../../parameters/sharedFields';

/** What Simplified leaves out of a call-log entry (docs/service.md, section 4.14): a transcript can be long. */
const leftOut = ['type', 'status', 'route', 'transcript', 'updatedAt'];

/** GET /voice/call-logs: the entry of one call (docs/service.md, section 4.14). */
export const getCall: ItemOperation = {
	kind: 'item',
	value: 'get',
	action: 'Get voice call',
	description: 'Get the call-log entry of a call',
	fields: [
		locatorField('callId', 'Call', 'searchCalls', {
			placeholder: 'e.g. the callId of Voice Call > Create',
			description: 'One of the newest calls, or the callId that Voice Call > Create returned',
		}),
		...outputFields,
	],
	plan: (read) => {
		const callId = read('callId', requiredName);
		const shown = outputSelection(read, leftOut);
		const search = searchOf(read.context, lists.calls, idsIn);
		search.want(callId);
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => {
				const entry = await search.find(call, callId);
				if (entry) return [shown(entry)];
				throw new Failure(`The call log shows no call with the ID ${callId}`, {
					outcome: 'rejected',
					description: `Check that it is the callId that Voice Call > Create returned, in the same account. If it is, look for the call by phone number and time with Voice Call > Get Many: the service does not document whether its call log contains these IDs. ${search.extent}`,
				});
			},
		};
	},
};

/** What may be the call's ID. Which field has it is not documented (docs/service.md, section 10.24). */
const idsIn = (entry: IDataObject): unknown[] =>
	Object.values(pickBy(entry, (_, key) => /id$/i.test(key)));

/** Whether an entry belongs to a call. */
export const isEntryOf = (callId: unknown, entry: IDataObject): boolean =>
	idsIn(entry).some((id) => String(id) === String(callId));

/** Carrier routes of a call (docs/service.md, section 4.14). */
export const routes = { '': 'All', carrier_in2: 'IN2', carrier_in1: 'Indian', carrier_us1: 'US' };

export const routeFilter = choiceField('route', 'Route', routes, '', {
	description: 'Only calls that this route carried',
});

const statuses = mapValues(
	keyBy(['all', 'answered', 'failed', 'in-progress', 'initiated', 'no-answer', 'success']),
	startCase,
);

export const searchFilter = textField('search', 'Phone Number', {
	placeholder: 'e.g. 7700',
	description:
		'Only calls to numbers with these digits. The service does not document whether a part of a number is enough.',
});

/** GET /voice/call-logs: calls placed through the API, one item each (docs/service.md, section 4.14). */
export const getManyCalls: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	action: 'Get many voice calls',
	description: 'Get the history of calls placed through the API, newest first',
	fields: [
		...listFields,
		...outputFields,
		filtersField([
			momentField('from', 'From', {
				description: 'Only calls placed at this time or later',
			}),
			searchFilter,
			routeFilter,
			choiceField('status', 'Status', statuses, 'all', {
				description: 'Only calls with this status',
			}),
			momentField('to', 'To', {
				description:
					'Only calls placed at this time or earlier. A date without a time is the start of the day.',
			}),
		]),
	],
	plan: (read) => {
		const range = readTimeRange(read, 'filters.from', 'filters.to');
		const query = withoutEmpty({
			status: read('filters.status', choiceOf(statuses)),
			route: read('filters.route', choiceOf(routes)),
			search: read('filters.search', someDigits),
			// The service accepts only dates and does not document their time zone (docs/service.md, section 10.25).
			// So the dates cover every zone. `range` then selects the exact times.
			from: dayIn('UTC-12', range.since),
			to: dayIn('UTC+14', range.until),
		});
		const selection = { query, limit: readLimit(read), ...range };
		const shown = outputSelection(read, leftOut);
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => (await readNewest(call, lists.calls, selection)).map(shown),
		};
	},
};

/** The date of a time in a time zone; empty without a time. */
const dayIn = (zone: string, time?: number): string =>
	(time !== undefined && DateTime.fromMillis(time, { zone }).toISODate()) || '';
