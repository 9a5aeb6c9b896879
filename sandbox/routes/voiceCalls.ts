import { z } from 'zod';
import {
	API_CALL_TYPE,
	CALL_STATUSES,
	CARRIER_ROUTES,
	COSTS,
	LIMITS,
	ROUTE_FILTERS,
	type CarrierRoute,
} from '../documented';
import { ServiceError, ok, type Endpoint } from '../http/endpoint';
import { capped, text, validate, wholeNumber } from '../http/validate';
import { placeCall } from '../lifecycle';
import { charge, requireBalance } from '../state/account';
import { VOICE_NUMBERS, callRecord, writeNumber, type Call } from '../state/calls';

/** Calls of exactly ten digits are national Indian numbers. */
const NATIONAL_DIGITS = 10;
const INDIA = '91';

function digitsOf(value: string): string {
	return value.replace(/\D/g, '');
}

const voiceNumber = z
	.string()
	.refine((value) => digitsOf(value).length >= LIMITS.callDigits, 'must have at least 10 digits');

const body = z.object({
	to: voiceNumber,
	audioName: text.optional(),
	aiAgentId: z.string().uuid().optional(),
	xmlId: z.string().uuid().optional(),
	voiceRoute: text.default('auto'),
	fromNumber: voiceNumber.optional(),
	recipientName: z.string().optional(),
});

/** Country code and number as digits: what has no country code is taken for Indian. */
function normalize(value: string): string {
	const digits = digitsOf(value).replace(/^0+/, '');
	return digits.length === NATIONAL_DIGITS && !value.trim().startsWith('+')
		? `${INDIA}${digits}`
		: digits;
}

function namedRoute(name: string, to: string): CarrierRoute | undefined {
	switch (name) {
		case 'auto':
			return to.startsWith(INDIA) ? 'carrier_in1' : 'carrier_us1';
		case 'indian':
			return 'carrier_in1';
		case 'us':
			return 'carrier_us1';
		case 'carrier_in2':
			return 'carrier_in2';
		default:
			return undefined;
	}
}

/** The route that `voiceRoute` names, and the caller ID when it names one of the account's numbers. */
function chooseRoute(voiceRoute: string, to: string): { route: CarrierRoute; from: string } {
	const number = digitsOf(voiceRoute);
	const route =
		namedRoute(voiceRoute, to) ?? CARRIER_ROUTES.find((one) => VOICE_NUMBERS[one] === number);
	if (!route) throw new ServiceError(400, `Unknown voiceRoute '${voiceRoute}'`);
	return { route, from: VOICE_NUMBERS[route] };
}

/** POST /voice/call (docs/service.md, section 4.13 and 7.5). */
export const voiceCall: Endpoint = {
	method: 'POST',
	path: '/voice/call',
	scope: 'voice:calls',
	handle: (context) => {
		const { service } = context;
		const { account, voiceRoutes } = service.state;
		const input = validate(body, context.json());
		const content = input.audioName ?? input.aiAgentId ?? input.xmlId;
		if (content === undefined)
			throw new ServiceError(400, 'One of audioName, aiAgentId or xmlId is required');
		const to = normalize(input.to);
		const { route, from: own } = chooseRoute(input.voiceRoute, to);
		const from = input.fromNumber === undefined ? own : normalize(input.fromNumber);
		requireBalance(account, 'voiceMins', COSTS.callMinutes);
		if (!voiceRoutes[route]) {
			throw new ServiceError(500, `Credentials for route '${route}' are not configured`);
		}
		const remainingVoiceMins = charge(account, 'voiceMins', COSTS.callMinutes);
		const transcript = `Call placed on ${route}: ${content}`;
		const { recipientName } = input;
		const { callId } = placeCall(service, { to, from, route, recipientName, transcript });
		return ok({
			success: true,
			callId,
			route,
			from: writeNumber(from, service.assumptions),
			to: writeNumber(to, service.assumptions),
			status: 'initiated',
			remainingVoiceMins,
		});
	},
};

const DAY_MS = 24 * 60 * 60 * 1000;

const isoDate = z
	.string()
	.refine(
		(value) => /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
		'must be an ISO date',
	);

const query = z.object({
	status: z.enum(['all', ...CALL_STATUSES]).default('all'),
	route: z
		.string()
		.refine((value) => value === 'all' || ROUTE_FILTERS.has(value), 'unknown route')
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
	scope: 'voice:calls',
	handle: (context) => {
		const { assumptions, state } = context.service;
		const wanted = validate(query, context.query);
		const { max } = LIMITS.callLogs;
		const pageSize = capped('pageSize', wanted.pageSize, max, assumptions.overLimit);
		const { page } = wanted;
		const calls = state.calls.all().filter(matcher(wanted));
		if (assumptions.listOrder === 'newestFirst') calls.reverse();
		const total = calls.length;
		const data = calls.slice((page - 1) * pageSize, page * pageSize);
		return ok({
			success: true,
			data: data.map((call) => callRecord(call, assumptions)),
			pagination: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) },
		});
	},
};
