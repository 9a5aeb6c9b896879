import { DateTime } from 'luxon';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withoutEmpty } from '../../api/endpoints';
import { withoutFormatting } from '../../parameters/phone';
import { lists, timeIn } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { oneOf, trimmed } from '../../parameters/schemas';
import {
	filtersField,
	listFields,
	readLimit,
	readTimeRange,
	type TimeRange,
} from '../../parameters/sharedFields';
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

/** What the service knows as a status and as a route (docs/service.md, section 4.14). */
const statuses = oneOf([
	'all',
	'initiated',
	'in-progress',
	'answered',
	'success',
	'no-answer',
	'failed',
] as const);
const routes = oneOf([
	'',
	...['indian', 'IN1', 'carrier_in1'],
	...['us', 'US1', 'carrier_us1'],
	...['IN2', 'carrier_in2'],
]);

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
				description:
					'Only calls that were placed at this moment or earlier; a day is its first moment',
			},
		]),
		optionsField(),
	],
	plan: (read) => {
		const range = readTimeRange(
			read,
			{ name: 'filters.from', label: 'From' },
			{ name: 'filters.to', label: 'To' },
		);
		const query = withoutEmpty({
			status: read('filters.status', statuses),
			route: read('filters.route', routes),
			search: withoutFormatting(read('filters.search', trimmed)),
			...daysAround(range),
		});
		const { since = -Infinity, until = Infinity } = range;
		const matches = (record: IDataObject) => {
			const time = timeIn(record, lists.calls.time);
			return time >= since && time <= until;
		};
		const shown = simplifier(read);
		const isLimited = since > -Infinity || until < Infinity;
		const selection = { query, limit: readLimit(read), ...(isLimited ? { matches } : {}) };
		return {
			request: { endpoint: lists.calls.endpoint },
			readAll: async (call) => (await readNewest(call, lists.calls, selection)).map(shown),
		};
	},
};

const hour = 60 * 60 * 1_000;

/** How far local time is ahead of and behind UTC, wherever on earth. */
const [ahead, behind] = [14 * hour, 12 * hour];

/**
 * The days that a range lies in, whatever their time zone: which one the service takes for a day is
 * not documented (docs/service.md, section 10.25).
 */
const daysAround = ({ since, until }: TimeRange): { from: string; to: string } => ({
	from: since === undefined ? '' : dayOf(since - behind),
	to: until === undefined ? '' : dayOf(until + ahead),
});

const dayOf = (time: number): string =>
	DateTime.fromMillis(time, { zone: 'utc' }).toISODate() ?? '';
