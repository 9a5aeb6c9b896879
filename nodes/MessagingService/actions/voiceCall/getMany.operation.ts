import type { INodeProperties } from 'n8n-workflow';
import { InputFailure } from '../../api/failure';
import { withoutEmpty } from '../../api/request';
import { withoutFormatting } from '../../parameters/phone';
import { readByPage } from '../../api/pagination';
import { dateIn, trimmed } from '../../parameters/schemas';
import { listFields } from '../../parameters/listFields';
import { optionsField } from '../../parameters/sendOptions';
import type { Operation } from '../operation';
import { readLimit } from '../../parameters/read';

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
export const getManyCalls: Operation = {
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
	request: (read) => {
		const date = dateIn(read.timeZone);
		const from = read('filters.from', 'From', date);
		const to = read('filters.to', 'To', date);
		if (from !== '' && to !== '' && from > to) {
			throw new InputFailure(`From (${from}) is after To (${to})`, 'Exchange the two dates.');
		}
		return {
			method: 'GET',
			path: '/voice/call-logs',
			query: withoutEmpty({
				status: read('filters.status', 'Status', trimmed),
				route: read('filters.route', 'Route', trimmed),
				search: withoutFormatting(read('filters.search', 'Phone Number', trimmed)),
				from,
				to,
			}),
			wanted: readLimit(read),
		};
	},
	readAll: async (call, request) => await readByPage(call, request, 'data'),
};
