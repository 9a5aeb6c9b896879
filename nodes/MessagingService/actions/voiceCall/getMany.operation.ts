import { DateTime } from 'luxon';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { withoutEmpty } from '../../api/endpoints';
import { withoutFormatting } from '../../parameters/phone';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { oneOf, trimmed } from '../../parameters/schemas';
import { filtersField, listFields, readLimit, readTimeRange } from '../../parameters/sharedFields';
import { simplifier, simplifyFields } from './simplify';
import { optionsField } from '../../parameters/options';
import type { ItemOperation } from '../../operation';

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

const statusFilter: INodeProperties = {
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
};

/** Digits of a number in the call log. */
export const searchFilter: INodeProperties = {
	displayName: 'Phone Number',
	name: 'search',
	type: 'string',
	default: '',
	placeholder: 'e.g. 98765',
	description:
		'Only calls to numbers with these digits. Whether a part of a number is found is not documented.',
};

/** GET /voice/call-logs: calls placed through the API, one item each (docs/service.md, section 4.14). */
export const getManyCalls: ItemOperation = {
	kind: 'item',
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many voice calls',
	description: 'Get the history of calls placed through the API, newest first',
	fields: [
		...listFields,
		...simplifyFields,
		filtersField([
			{
				displayName: 'From',
				name: 'from',
				type: 'dateTime',
				default: '',
				description: 'Only calls that were placed at this moment or later',
			},
			searchFilter,
			routeFilter,
			statusFilter,
			{
				displayName: 'To',
				name: 'to',
				type: 'dateTime',
				default: '',
				description:
					'Only calls that were placed at this moment or earlier; a day is its first moment',
			},
		]),
		optionsField(),
	],
	plan: (read) => {
		const range = readTimeRange(read, 'filters.from', 'filters.to');
		const query = withoutEmpty({
			status: read('filters.status', oneOf(valuesOf(statusFilter))),
			route: read('filters.route', oneOf(valuesOf(routeFilter))),
			search: withoutFormatting(read('filters.search', trimmed)),
			// Which time zone the service takes a day in is not documented (docs/service.md, section 10.25).
			from: dayIn('UTC-12', range.since),
			to: dayIn('UTC+14', range.until),
		});
		const selection = { query, limit: readLimit(read), ...range };
		const shown = simplifier(read);
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => (await readNewest(call, lists.calls, selection)).map(shown),
		};
	},
};

const valuesOf = ({ options = [] }: INodeProperties): string[] =>
	(options as INodePropertyOptions[]).map(({ value }) => String(value));

/** The day of a moment where it begins last or first on earth; nothing without one. */
const dayIn = (zone: string, time?: number): string =>
	(time !== undefined && DateTime.fromMillis(time, { zone }).toISODate()) || '';
