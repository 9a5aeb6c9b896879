import { keyBy, mapValues, startCase } from 'lodash';
import { DateTime } from 'luxon';
import { withoutEmpty } from '../../api/endpoints';
import { withoutFormatting } from '../../parameters/phone';
import { lists } from '../../api/lists';
import { readNewest } from '../../api/newest';
import { choiceField, momentField, textField } from '../../parameters/fields';
import { choiceOf, trimmed } from '../../parameters/schemas';
import { filtersField, listFields, readLimit, readTimeRange } from '../../parameters/sharedFields';
import { simplifier, simplifyFields } from './get.operation';
import type { ItemOperation } from '../../operation';

const routes = { '': 'All', carrier_in2: 'IN2', carrier_in1: 'Indian', carrier_us1: 'US' };

/** Carrier route of a call (docs/service.md, section 4.14). */
export const routeFilter = choiceField('route', 'Route', routes, '', {
	description: 'Only calls that this route carried',
});

const statuses = mapValues(
	keyBy(['all', 'answered', 'failed', 'in-progress', 'initiated', 'no-answer', 'success']),
	startCase,
);

/** Digits of a number in the call log. */
export const searchFilter = textField('search', 'Phone Number', {
	placeholder: 'e.g. 98765',
	description:
		'Only calls to numbers with these digits. Whether a part of a number is found is not documented.',
});

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
			momentField('from', 'From', {
				description: 'Only calls that were placed at this moment or later',
			}),
			searchFilter,
			routeFilter,
			choiceField('status', 'Status', statuses, 'all', {
				description: 'Only calls with this status',
			}),
			momentField('to', 'To', {
				description:
					'Only calls that were placed at this moment or earlier; a day is its first moment',
			}),
		]),
	],
	plan: (read) => {
		const range = readTimeRange(read, 'filters.from', 'filters.to');
		const query = withoutEmpty({
			status: read('filters.status', choiceOf(statuses)),
			route: read('filters.route', choiceOf(routes)),
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

/** The day of a moment where it begins last or first on earth; nothing without one. */
const dayIn = (zone: string, time?: number): string =>
	(time !== undefined && DateTime.fromMillis(time, { zone }).toISODate()) || '';
