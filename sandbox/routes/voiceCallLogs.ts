import { z } from 'zod';
import { TEXTS } from '../choices';
import { API_CALL_TYPE, CALL_STATUSES, LIMITS, ROUTE_FILTERS } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { callRecord, type Call } from '../state/calls';
import { capped, validate, wholeNumber } from './validate';

const DAY_MS = 24 * 60 * 60 * 1000;

const isoDate = z
	.string()
	.refine(
		(value) => /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
		TEXTS.date,
	);

const query = z.object({
	status: z.enum(['all', ...CALL_STATUSES]).default('all'),
	route: z
		.string()
		.refine((value) => value === 'all' || ROUTE_FILTERS.has(value), TEXTS.routeFilter)
		.default('all'),
	search: z.string().default(''),
	from: isoDate.optional(),
	to: isoDate.optional(),
	page: wholeNumber(1, 1),
	pageSize: wholeNumber(1, LIMITS.callLogs.default),
});

/** The first millisecond after the day of a date, in UTC. */
function endOfDay(date: string): number {
	return Date.parse(date.slice(0, 'YYYY-MM-DD'.length)) + DAY_MS;
}

function matcher({ status, route, search, from, to }: z.output<typeof query>) {
	const carrier = ROUTE_FILTERS.get(route);
	const digits = search.replace(/\D/g, '');
	const start = from === undefined ? -Infinity : Date.parse(from);
	const end = to === undefined ? Infinity : endOfDay(to);
	return (call: Call) =>
		call.type === API_CALL_TYPE &&
		(status === 'all' || call.callStatus === status) &&
		(carrier === undefined || call.route === carrier) &&
		call.to.includes(digits) &&
		call.createdAt >= start &&
		call.createdAt < end;
}

/** GET /voice/call-logs (docs/service.md, section 4.14). */
export const voiceCallLogs: Endpoint = {
	method: 'GET',
	path: '/voice/call-logs',
	scope: always('voice:calls'),
	handle: (context) => {
		const { variants, state } = context.world;
		const wanted = validate(query, context.query);
		const { max } = LIMITS.callLogs;
		const pageSize = capped('pageSize', wanted.pageSize, max, variants.overLimit);
		const { page } = wanted;
		const calls = state.calls.all().filter(matcher(wanted));
		if (variants.listOrder === 'newestFirst') calls.reverse();
		const total = calls.length;
		const data = calls.slice((page - 1) * pageSize, page * pageSize);
		return ok({
			success: true,
			data: data.map((call) => callRecord(call, variants)),
			pagination: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) },
		});
	},
};
