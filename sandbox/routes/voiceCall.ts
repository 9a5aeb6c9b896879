import { z } from 'zod';
import { INDIA, NATIONAL_DIGITS, TEXTS, VOICE_NUMBERS } from '../choices';
import { CARRIER_ROUTES, COSTS, LIMITS, type CarrierRoute } from '../documented';
import { ok } from '../http/answer';
import { always, type Endpoint } from '../http/endpoint';
import { ServiceError } from '../http/serviceError';
import { placeCall } from '../lifecycle/calls';
import { charge, requireBalance } from '../state/account';
import { writeNumber } from '../state/calls';
import { text, validate } from './validate';

function digitsOf(value: string): string {
	return value.replace(/\D/g, '');
}

function hasEnoughDigits(value: string): boolean {
	return digitsOf(value).length >= LIMITS.callDigits;
}

const body = z.object({
	to: z.string({ required_error: TEXTS.callTo }).refine(hasEnoughDigits, TEXTS.callTo),
	audioName: text.optional(),
	aiAgentId: z.string().uuid().optional(),
	xmlId: z.string().uuid().optional(),
	voiceRoute: text.default('auto'),
	fromNumber: z.string().refine(hasEnoughDigits, TEXTS.callFrom).optional(),
	recipientName: z.string().optional(),
});

/** Country code and number as digits: what has no country code is taken for Indian. */
function normalize(value: string): string {
	const digits = digitsOf(value).replace(/^0+/, '');
	return digits.length === NATIONAL_DIGITS && !value.trim().startsWith('+')
		? `${INDIA}${digits}`
		: digits;
}

/** The route that `voiceRoute` names, and the caller ID when it names one of the account's numbers. */
function chooseRoute(voiceRoute: string, to: string): { route: CarrierRoute; from: string } {
	const byName: Record<string, CarrierRoute> = {
		auto: to.startsWith(INDIA) ? 'carrier_in1' : 'carrier_us1',
		indian: 'carrier_in1',
		us: 'carrier_us1',
		carrier_in2: 'carrier_in2',
	};
	const number = digitsOf(voiceRoute);
	const route = byName[voiceRoute] ?? CARRIER_ROUTES.find((one) => VOICE_NUMBERS[one] === number);
	if (!route) throw new ServiceError(400, TEXTS.callRoute(voiceRoute));
	return { route, from: VOICE_NUMBERS[route] };
}

/** POST /voice/call (service-api.md, section 4; its failures in section 7). */
export const voiceCall: Endpoint = {
	method: 'POST',
	path: '/voice/call',
	scope: always('voice:calls'),
	handle: (context) => {
		const { world } = context;
		const { account, voiceRoutes } = world.state;
		const input = validate(body, context.json());
		const content = input.audioName ?? input.aiAgentId ?? input.xmlId;
		if (content === undefined) throw new ServiceError(400, TEXTS.callContent);
		const to = normalize(input.to);
		const { route, from: own } = chooseRoute(input.voiceRoute, to);
		const from = input.fromNumber === undefined ? own : normalize(input.fromNumber);
		requireBalance(account, 'voiceMins', COSTS.callMinutes);
		if (!voiceRoutes[route]) throw new ServiceError(500, TEXTS.callCredentials(route));
		const remainingVoiceMins = charge(account, 'voiceMins', COSTS.callMinutes);
		const transcript = `Call placed on ${route}: ${content}`;
		const { recipientName } = input;
		const { callId } = placeCall(world, { to, from, route, recipientName, transcript });
		return ok({
			success: true,
			callId,
			route,
			from: writeNumber(from, world.variants),
			to: writeNumber(to, world.variants),
			status: 'initiated',
			remainingVoiceMins,
		});
	},
};
