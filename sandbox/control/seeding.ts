import type { z } from 'zod';
import { VOICE_NUMBERS } from '../choices';
import { moveCall } from '../lifecycle/calls';
import type { World } from '../world';
import type { newCallsSchema, newMessagesSchema } from './schemas';

/** Recipient of the seeded record with this number, unless the template names one. */
function recipient(index: number): string {
	return String(919_100_000_000 + index);
}

/** Seeds messages that stay as they are and tell no webhook; gives their ids. */
export function addMessages(
	{ state, clock }: World,
	{ n, template }: z.output<typeof newMessagesSchema>,
): string[] {
	const { to, sentAt, everyMs, status, ...draft } = template;
	const start = sentAt === undefined ? clock.now() : Date.parse(sentAt);
	const from = state.chatNumbers.require(undefined).phoneNumber;
	return Array.from({ length: n }, (_, index) => {
		const message = { ...draft, from, to: to ?? recipient(index) };
		return state.messages.add(message, start + index * everyMs, status).id;
	});
}

/** Seeds calls that stay as they are; gives their ids. */
export function addCalls(world: World, { n, template }: z.output<typeof newCallsSchema>): string[] {
	const { to, createdAt, everyMs, callStatus, route, type, recipientName } = template;
	const start = createdAt === undefined ? world.clock.now() : Date.parse(createdAt);
	const from = VOICE_NUMBERS[route];
	return Array.from({ length: n }, (_, index) => {
		const draft = { to: to ?? recipient(index), from, route, recipientName, type, transcript: '' };
		const call = world.state.calls.add(draft, start + index * everyMs);
		moveCall(world, call, callStatus);
		call.updatedAt = call.createdAt;
		return call.callId;
	});
}
