import type { INodeProperties } from 'n8n-workflow';
import { InputFailure } from '../../api/failure';
import { withoutEmpty } from '../../api/request';
import { withoutFormatting } from '../../parameters/phone';
import { lists } from '../../api/lists';
import { readAll } from '../../api/pages';
import { dateIn, trimmed } from '../../parameters/schemas';
import { listFields, readLimit } from '../../parameters/sharedFields';
import { optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../sending/operation';

/** Carrier route of a call (docs/service.md, section 4.14). */
export const routeFilter: INodeProperties = {
	displayName: 'Route',
	name: 'route',
	type: 'options',
	options: [
		{ name: 'All', value: '' },
		{ name: 'IN2', value: 'carrier_in2' },
		{ name: 'Indian', value: 'carrier_in1' },
		{ name: 'US', value: 'carrier_us1' },
	],
	default: '',
	description: 'Only calls that this route carried',
};

/** Digits of a number in the call log. */
export const searchFilter: INodeProperties = {
	displayName: 'Phone Number',
	name: 'search',
	type: 'string',
	default: '',
	placeholder: 'e.g. 98765',
	description: 'Only calls to numbers that contain these digits',
};

/** GET /voice/call-logs: calls placed through the API, one item each (docs/service.md, section 4.14). */
export const getManyCalls: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many voice calls',
	description: 'Get the history of calls placed through the API',
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
					displayName: 'From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'Only calls from this day on, in the time zone of the workflow',
				},
				searchFilter,
				routeFilter,
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					options: [
						{ name: 'All', value: 'all' },
						{ name: 'Answered', value: 'answered' },
						{ name: 'Failed', value: 'failed' },
						{ name: 'In Progress', value: 'in-progress' },
						{ name: 'Initiated', value: 'initiated' },
						{ name: 'No Answer', value: 'no-answer' },
						{ name: 'Success', value: 'success' },
					],
					default: 'all',
					description: 'Only calls with this status',
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'Only calls up to the end of this day, in the time zone of the workflow',
				},
			],
		},
		optionsField(),
	],
	plan: (read) => {
		const date = dateIn(read.timeZone);
		const from = read('filters.from', date);
		const to = read('filters.to', date);
		if (from !== '' && to !== '' && from > to) {
			throw new InputFailure(`From (${from}) is after To (${to})`, 'Exchange the two dates.');
		}
		const query = withoutEmpty({
			status: read('filters.status', trimmed),
			route: read('filters.route', trimmed),
			search: withoutFormatting(read('filters.search', trimmed)),
			from,
			to,
		});
		const selection = { query, limit: readLimit(read) };
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => await readAll(call, lists.calls, selection),
		};
	},
};
