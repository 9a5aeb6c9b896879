import { z } from 'zod';
import { callStatuses, carrierRoutes, messageStatuses } from './documented';
import { schema } from './http/validate';
import { moveCall } from './lifecycle';
import type { Service } from './service';
import { voiceNumbers } from './state/calls';

const time = z.string().datetime({ offset: true }).optional();
const everyMs = z.number().int().min(0).default(1);

/** How many records, at most a million at once. */
export const seededCount = z.number().int().min(0).max(1_000_000);

export const newMessages = schema({
	to: z.string().optional(),
	status: z.enum(messageStatuses).default('Sent'),
	/** When the first was sent; the present by default. */
	sentAt: time,
	/** Milliseconds from one to the next. */
	everyMs,
});

export const newCalls = schema({
	to: z.string().regex(/^\d+$/).optional(),
	route: z.enum(carrierRoutes).default('carrier_in1'),
	callStatus: z.enum(callStatuses).default('success'),
	createdAt: time,
	everyMs,
});

/** Recipient of the seeded record with this number, unless one is named. */
function recipient(index: number): string {
	return String(999_000_000_000 + index);
}

/** Seeds messages that stay as they are and emit no event; gives their ids. */
export function addMessages(
	{ state }: Service,
	count: number,
	{ to, sentAt, everyMs: step, status }: z.output<typeof newMessages>,
): string[] {
	const start = sentAt === undefined ? Date.now() : Date.parse(sentAt);
	const from = state.chatNumbers.find(undefined)?.phoneNumber ?? '';
	const same = { from, status, content: 'Seeded message', type: 'template' };
	return Array.from({ length: count }, (_, index) => {
		const draft = { ...same, templateName: 'order_update', to: to ?? recipient(index) };
		return state.messages.add(draft, start + index * step).id;
	});
}

/** Seeds calls that stay as they are; gives their ids. */
export function addCalls(
	service: Service,
	count: number,
	{ to, createdAt, everyMs: step, callStatus, route }: z.output<typeof newCalls>,
): string[] {
	const start = createdAt === undefined ? Date.now() : Date.parse(createdAt);
	const same = { route, from: voiceNumbers[route], recipientName: undefined, transcript: '' };
	return Array.from({ length: count }, (_, index) => {
		const draft = { ...same, to: to ?? recipient(index) };
		const call = service.state.calls.add(draft, start + index * step);
		moveCall(service, call, callStatus);
		call.updatedAt = call.createdAt;
		return call.callId;
	});
}
