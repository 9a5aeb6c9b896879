import { range } from 'lodash';
import { z } from 'zod';
import { writeId } from './dialect';
import { callStatuses, messageStatuses } from './documented';
import { schema } from './http/validate';
import { moveCall } from './lifecycle';
import type { Service } from './service';
import { senderOf } from './state/account';
import { newCall, voiceNumbers } from './state/calls';
import { newMessage } from './state/messages';

const seeded = schema({
	to: z.string().regex(/^\d+$/).optional(),
	/** Milliseconds from one to the next. */
	everyMs: z.number().int().min(0).default(1),
});
/** When the first was sent or placed; the present by default. */
const time = z.string().datetime({ offset: true }).optional();

export const newMessages = seeded.extend({
	status: z.enum(messageStatuses).default('Sent'),
	sentAt: time,
	/** When its status changed last; `sentAt` by default. */
	updatedAt: time,
});

export const newCalls = seeded.extend({
	callStatus: z.enum(callStatuses).default('success'),
	createdAt: time,
});

/** Recipient and time of each seeded record. */
const places = (count: number, { to, everyMs }: z.output<typeof seeded>, start: string) =>
	range(count).map((index) => ({
		to: to ?? String(999_000_000_000 + index),
		at: new Date(Date.parse(start) + index * everyMs).toISOString(),
	}));

/** Seeds messages that stay as they are and emit no event; returns their ids. */
export function addMessages(
	service: Service,
	count: number,
	{ sentAt, updatedAt, status, ...where }: z.output<typeof newMessages>,
): string[] {
	const { state, assumptions } = service;
	const from = senderOf(state);
	const same = { from, content: 'Seeded message', type: 'template', templateName: 'order_update' };
	const messages = places(count, where, sentAt ?? service.now()).map(({ to, at }) =>
		Object.assign(
			newMessage(state.random, { ...same, status, to }, at),
			updatedAt && { updatedAt },
		),
	);
	state.messages = state.messages.concat(messages);
	return messages.map(({ id }) => String(writeId(id, assumptions)));
}

/** Seeds calls that stay as they are; returns their ids. */
export function addCalls(
	service: Service,
	count: number,
	{ createdAt, callStatus, ...where }: z.output<typeof newCalls>,
): string[] {
	const { state, assumptions } = service;
	const route = 'carrier_in1';
	const same = { route, from: voiceNumbers[route], transcript: '' } as const;
	const calls = places(count, where, createdAt ?? service.now()).map(({ to, at }) =>
		newCall(state.random, { ...same, to }, at),
	);
	for (const call of calls) moveCall(call, callStatus, call.createdAt);
	state.calls = state.calls.concat(calls);
	return calls.map(({ callId }) => String(writeId(callId, assumptions)));
}
