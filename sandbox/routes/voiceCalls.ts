import { findKey, keys, mapValues } from 'lodash';
import { z } from 'zod';
import type { Assumptions } from '../assumptions';
import { withIds, writeCallNumber, writeId } from '../dialect';
import { callStatuses, costs, limits, routeFilters, type CarrierRoute } from '../documented';
import type { Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/error';
import { pageSize, schema, text, wholeNumber } from '../http/validate';
import { placeCall } from '../lifecycle';
import type { Service } from '../service';
import { voiceNumbers, callRecord, type Call } from '../state/calls';
import { pageOf } from '../state/records';

/** Calls of exactly ten digits can be national Indian numbers (docs/service.md, section 10.26). */
const nationalDigits = 10;
const india = '91';

const digitsOf = (value: string): string => value.replace(/\D/g, '');

const body = schema({
	to: z
		.string()
		.refine((to) => digitsOf(to).length >= limits.callDigits, 'must have at least 10 digits'),
	audioName: text.optional(),
	aiAgentId: z.string().uuid().optional(),
	xmlId: z.string().uuid().optional(),
	voiceRoute: text.default('auto'),
	fromNumber: z.string().optional(),
	recipientName: z.string().optional(),
});

/** Country code and number as digits. */
function normalize(value: string, { nationalCalls }: Assumptions): string {
	const digits = digitsOf(value).replace(/^0+/, '');
	const isNational =
		nationalCalls === 'indian' && digits.length === nationalDigits && !value.trim().startsWith('+');
	return isNational ? `${india}${digits}` : digits;
}

/** Routes by the names that a call may use (docs/service.md, section 4.13). */
const namedRoutes: Record<string, CarrierRoute> = {
	indian: 'carrier_in1',
	us: 'carrier_us1',
	carrier_in2: 'carrier_in2',
};

/** The route that `voiceRoute` names; of the account's own numbers only the one of IN2 decides it. */
function chooseRoute(voiceRoute: string, own: string | undefined, to: string): CarrierRoute {
	if (own === 'carrier_in2') return own;
	if (own !== undefined || voiceRoute === 'auto')
		return to.startsWith(india) ? 'carrier_in1' : 'carrier_us1';
	const route = namedRoutes[voiceRoute];
	if (route) return route;
	throw new ServiceError(400, `Unknown voiceRoute '${voiceRoute}'`);
}

/** POST /voice/call (docs/service.md, section 4.13 and 7.5). */
export const voiceCall: Endpoint = {
	method: 'POST',
	path: '/voice/call',
	scope: 'voice:calls',
	handle: (context) => {
		const { service, state } = context;
		const { to: called, fromNumber, recipientName, voiceRoute, ...input } = context.body(body);
		const content = input.audioName ?? input.aiAgentId ?? input.xmlId;
		if (content === undefined)
			throw new ServiceError(400, 'One of audioName, aiAgentId or xmlId is required');
		const { assumptions } = service;
		const to = normalize(called, assumptions);
		// The route whose number `voiceRoute` is, if it is a number of the account.
		const own = findKey(voiceNumbers, (one) => one === digitsOf(voiceRoute));
		const route = chooseRoute(voiceRoute, own, to);
		const number = own === undefined ? voiceNumbers[route] : digitsOf(voiceRoute);
		const from = fromNumber === undefined ? number : normalize(fromNumber, assumptions);
		context.charge('voiceMins', costs.callMinutes);
		const transcript = `Call placed on ${route}: ${content}`;
		const placed = placeCall(service, { to, from, route, recipientName, transcript });
		const callId = writeId(placed.callId, assumptions);
		const numbers = mapValues({ from, to }, (one) => writeCallNumber(one, assumptions));
		const { voiceMins: remainingVoiceMins } = state.account;
		return { success: true, callId, route, ...numbers, status: 'initiated', remainingVoiceMins };
	},
};

const query = ({ assumptions }: Service) =>
	schema({
		status: z.enum(['all', ...callStatuses]).default('all'),
		route: z.enum(['all', ...keys(routeFilters)]).default('all'),
		search: z.string().default(''),
		from: z.string().date().optional(),
		to: z.string().date().optional(),
		page: wholeNumber(1, 1),
		pageSize: pageSize(limits.callLogs, assumptions),
	});

/** Hours by which the days of `from` and `to` differ from those of UTC (docs/service.md, section 10.25). */
const dayOffsets: Record<Assumptions['callDays'], number> = { utc: 0, india: 5.5, hawaii: -10 };

/** GET /voice/call-logs (docs/service.md, section 4.14). */
export const voiceCallLogs: Endpoint = {
	method: 'GET',
	path: '/voice/call-logs',
	scope: 'voice:calls',
	handle: (context) => {
		const { assumptions } = context.service;
		const {
			status,
			route,
			search,
			page,
			pageSize: size,
			...days
		} = context.query(query(context.service));
		const { from = '', to = '9999' } = days;
		const carrier = routeFilters[route];
		const isFound = (number: string, digits: string) =>
			assumptions.search === 'whole' ? number === digits : number.includes(digits);
		const fits = (call: Call) => {
			const hours = dayOffsets[assumptions.callDays];
			const day = new Date(Date.parse(call.createdAt) + hours * 3_600_000)
				.toISOString()
				.slice(0, 10);
			return (
				(status === 'all' || call.callStatus === status) &&
				(carrier === undefined || call.route === carrier) &&
				(search === '' || isFound(call.to, digitsOf(search))) &&
				day >= from &&
				day <= to
			);
		};
		const calls = context.state.calls.filter(fits);
		const total = calls.length;
		const shown = pageOf(calls, assumptions.listOrder, (page - 1) * size, size);
		const data = shown.map((call) => withIds(callRecord(call, assumptions), assumptions));
		const pagination = { page, pageSize: size, total, totalPages: Math.ceil(total / size) };
		return { success: true, data, pagination };
	},
};
