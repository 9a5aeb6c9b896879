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

const voiceNumber = z
	.string()
	.refine((value) => digitsOf(value).length >= LIMITS.callDigits, TEXTS.callDigits);

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
	if (!route) throw new ServiceError(400, TEXTS.callRoute(voiceRoute));
	return { route, from: VOICE_NUMBERS[route] };
}

/** POST /voice/call (docs/service.md, section 4.13 and 7.5). */
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
