import { map, range } from 'lodash';
import { z } from 'zod';
import { callStatuses, messageStatuses } from './documented';
import { schema } from './http/validate';
import { moveCall } from './lifecycle';
import type { Service } from './service';
import { senderOf } from './state/account';
import { newCall, voiceNumbers } from './state/calls';
import { newMessage } from './state/messages';
import { now } from './state/records';

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
});

export const newCalls = seeded.extend({
	callStatus: z.enum(callStatuses).default('success'),
	createdAt: time,
});

/** Recipient and time of each seeded record. */
const places = (count: number, { to, everyMs }: z.output<typeof seeded>, start = now()) =>
	range(count).map((index) => ({
		to: to ?? String(999_000_000_000 + index),
		at: new Date(Date.parse(start) + index * everyMs).toISOString(),
	}));

/** Seeds messages that stay as they are and emit no event; returns their ids. */
export function addMessages(
	{ state }: Service,
	count: number,
	{ sentAt, status, ...where }: z.output<typeof newMessages>,
): string[] {
	const from = senderOf(state);
	const same = { from, content: 'Seeded message', type: 'template', templateName: 'order_update' };
	const messages = places(count, where, sentAt).map(({ to, at }) =>
		newMessage(state.random, { ...same, status, to }, at),
	);
	state.messages = state.messages.concat(messages);
	return map(messages, 'id');
}

/** Seeds calls that stay as they are; returns their ids. */
export function addCalls(
	{ state }: Service,
	count: number,
	{ createdAt, callStatus, ...where }: z.output<typeof newCalls>,
): string[] {
	const route = 'carrier_in1';
	const same = { route, from: voiceNumbers[route], transcript: '' } as const;
	const calls = places(count, where, createdAt).map(({ to, at }) =>
		newCall(state.random, { ...same, to }, at),
	);
	for (const call of calls) moveCall(call, callStatus, call.createdAt);
	state.calls = state.calls.concat(calls);
	return map(calls, 'callId');
}
