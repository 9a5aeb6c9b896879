import { z } from 'zod';
import { apiCallType, callStatuses, carrierRoutes, messageStatuses } from './documented';
import { moveCall } from './lifecycle';
import type { Service } from './service';
import { voiceNumbers } from './state/calls';

const time = z.string().datetime({ offset: true }).optional();
const everyMs = z.number().int().min(0).default(1);

/** How many records, at most a million at once. */
const n = z.number().int().min(0).max(1_000_000);

export const newMessagesSchema = z
	.object({
		n,
		template: z
			.object({
				to: z.string().optional(),
				content: z.string().default('Seeded message'),
				type: z.string().default('template'),
				templateName: z.string().default('order_update'),
				status: z.enum(messageStatuses).default('Sent'),
				/** When the first was sent; the present by default. */
				sentAt: time,
				/** Milliseconds from one to the next. */
				everyMs,
			})
			.strict()
			.default({}),
	})
	.strict();

export const newCallsSchema = z
	.object({
		n,
		template: z
			.object({
				to: z.string().regex(/^\d+$/).optional(),
				route: z.enum(carrierRoutes).default('carrier_in1'),
				recipientName: z.string().optional(),
				callStatus: z.enum(callStatuses).default('success'),
				/** Another type than the API's stands for a call of a dashboard campaign. */
				type: z.string().default(apiCallType),
				createdAt: time,
				everyMs,
			})
			.strict()
			.default({}),
	})
	.strict();

/** Recipient of the seeded record with this number, unless the template names one. */
function recipient(index: number): string {
	return String(919_100_000_000 + index);
}

/** Seeds messages that stay as they are and emit no event; gives their ids. */
export function addMessages(
	{ state }: Service,
	{ n: count, template }: z.output<typeof newMessagesSchema>,
): string[] {
	const { to, sentAt, everyMs: step, ...draft } = template;
	const start = sentAt === undefined ? Date.now() : Date.parse(sentAt);
	const from = state.chatNumbers.find(undefined)?.phoneNumber ?? '';
	return Array.from({ length: count }, (_, index) => {
		const message = { ...draft, from, to: to ?? recipient(index) };
		return state.messages.add(message, start + index * step).id;
	});
}

/** Seeds calls that stay as they are; gives their ids. */
export function addCalls(
	service: Service,
	{ n: count, template }: z.output<typeof newCallsSchema>,
): string[] {
	const { to, createdAt, everyMs: step, callStatus, recipientName, ...rest } = template;
	const start = createdAt === undefined ? Date.now() : Date.parse(createdAt);
	const from = voiceNumbers[rest.route];
	return Array.from({ length: count }, (_, index) => {
		const draft = { ...rest, recipientName, to: to ?? recipient(index), from, transcript: '' };
		const call = service.state.calls.add(draft, start + index * step);
		moveCall(service, call, callStatus);
		call.updatedAt = call.createdAt;
		return call.callId;
	});
}
