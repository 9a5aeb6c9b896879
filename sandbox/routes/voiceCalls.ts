import { z } from 'zod';
import { callStatuses, costs, limits, routeFilters, type CarrierRoute } from '../documented';
import { ServiceError, type Endpoint } from '../http/endpoint';
import { schema, text, wholeNumber } from '../http/validate';
import { placeCall } from '../lifecycle';
import { voiceNumbers, callRecord, type Call } from '../state/calls';
import { pageOf } from '../state/records';

/** Calls of exactly ten digits are national Indian numbers. */
const nationalDigits = 10;
const india = '91';

const digitsOf = (value: string): string => value.replace(/\D/g, '');
const hasDigits = (value: string): boolean => digitsOf(value).length >= limits.callDigits;

const body = schema({
	to: z.string().refine(hasDigits, 'must have at least 10 digits'),
	audioName: text.optional(),
	aiAgentId: z.string().uuid().optional(),
	xmlId: z.string().uuid().optional(),
	voiceRoute: text.default('auto'),
	fromNumber: z.string().optional(),
	recipientName: z.string().optional(),
});

/** Country code and number as digits. */
function normalize(value: string): string {
	const digits = digitsOf(value).replace(/^0+/, '');
	const isNational = digits.length === nationalDigits && !value.trim().startsWith('+');
	return isNational ? `${india}${digits}` : digits;
}

/** Routes by the names that a call may give (docs/service.md, section 4.13). */
const namedRoutes: ReadonlyMap<string, CarrierRoute> = new Map([
	['indian', 'carrier_in1'],
	['us', 'carrier_us1'],
	['carrier_in2', 'carrier_in2'],
]);

/** The number of the account that `voiceRoute` is, if it is one. */
const ownNumber = (voiceRoute: string): string | undefined =>
	Object.values(voiceNumbers).find((number) => number === digitsOf(voiceRoute));

/** The route that `voiceRoute` names; of the account's own numbers only the one of IN2 decides it. */
function chooseRoute(voiceRoute: string, to: string): CarrierRoute {
	const own = ownNumber(voiceRoute);
	if (own === voiceNumbers.carrier_in2) return 'carrier_in2';
	if (own !== undefined || voiceRoute === 'auto') {
		return to.startsWith(india) ? 'carrier_in1' : 'carrier_us1';
	}
	const route = namedRoutes.get(voiceRoute);
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
		if (content === undefined) {
			throw new ServiceError(400, 'One of audioName, aiAgentId or xmlId is required');
		}
		const to = normalize(called);
		const route = chooseRoute(voiceRoute, to);
		const from =
			fromNumber === undefined
				? (ownNumber(voiceRoute) ?? voiceNumbers[route])
				: normalize(fromNumber);
		context.charge('voiceMins', costs.callMinutes);
		const transcript = `Call placed on ${route}: ${content}`;
		const draft = { to, from, route, recipientName, transcript };
		const { callId } = placeCall(service, draft);
		return {
			success: true,
			callId,
			route,
			from: `+${from}`,
			to: `+${to}`,
			status: 'initiated',
			remainingVoiceMins: state.account.voiceMins,
		};
	},
};

const query = schema({
	status: z.enum(['all', ...callStatuses]).default('all'),
	route: z.enum(['all', ...routeFilters.keys()]).default('all'),
	search: z.string().default(''),
	from: z.string().date().optional(),
	to: z.string().date().optional(),
	page: wholeNumber(1, 1),
	pageSize: wholeNumber(1, limits.callLogs.default, limits.callLogs.max),
});

/** GET /voice/call-logs (docs/service.md, section 4.14). */
export const voiceCallLogs: Endpoint = {
	method: 'GET',
	path: '/voice/call-logs',
	scope: 'voice:calls',
	handle: (context) => {
		const { assumptions } = context.service;
		const { status, route, search, from, to, page, pageSize } = context.query(query);
		const carrier = routeFilters.get(route);
		const digits = digitsOf(search);
		// Days are those of UTC.
		const dayOf = ({ createdAt }: Call) => createdAt.slice(0, 10);
		const fits = (call: Call) =>
			(status === 'all' || call.callStatus === status) &&
			(carrier === undefined || call.route === carrier) &&
			call.to.includes(digits) &&
			(from === undefined || dayOf(call) >= from) &&
			(to === undefined || dayOf(call) <= to);
		const calls = context.state.calls.filter(fits);
		const total = calls.length;
		const shown = pageOf(calls, assumptions.listOrder, (page - 1) * pageSize, pageSize);
		const data = shown.map((call) => callRecord(call, assumptions));
		const pagination = { page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
		return { success: true, data, pagination };
	},
};
