import { z } from 'zod';
import { callStatuses, messageStatuses } from '../documented';
import { validate } from '../http/validate';
import { moveCall, moveMessage } from '../lifecycle';
import { addCalls, addMessages, newCallsSchema, newMessagesSchema } from '../seeding';
import { callRecord, type Call } from '../state/calls';
import { messageRecord, type Message } from '../state/messages';
import type { State } from '../state/state';
import { found, type ControlRoute } from './route';

const messageChangeSchema = z.object({ status: z.enum(messageStatuses) }).strict();

const callChangeSchema = z
	.object({
		callStatus: z.enum(callStatuses),
		duration: z.number().int().min(0),
		transcript: z.string(),
	})
	.partial()
	.strict();

export function allMessages(state: State): Message[] {
	return state.environments.flatMap(({ messages }) => [...messages.all()]);
}

export function allCalls(state: State): Call[] {
	return state.environments.flatMap(({ calls }) => [...calls.all()]);
}

/** Control of messages and calls. */
export const recordRoutes: ControlRoute[] = [
	{
		method: 'GET',
		path: '/messages',
		run: ({ state, assumptions }) =>
			allMessages(state).map((message) => messageRecord(message, assumptions)),
	},
	{
		method: 'POST',
		path: '/messages',
		run: (service, { body }) => ({
			ids: addMessages(service, validate(newMessagesSchema, body)),
		}),
	},
	{
		method: 'PATCH',
		path: '/messages/:id',
		run: (service, { id, body }) => {
			const message = found(
				allMessages(service.state).find((one) => one.id === id),
				'message',
			);
			moveMessage(service, message, validate(messageChangeSchema, body).status);
			return messageRecord(message, service.assumptions);
		},
	},
	{
		method: 'GET',
		path: '/calls',
		run: ({ state, assumptions }) => allCalls(state).map((call) => callRecord(call, assumptions)),
	},
	{
		method: 'POST',
		path: '/calls',
		run: (service, { body }) => ({ ids: addCalls(service, validate(newCallsSchema, body)) }),
	},
	{
		method: 'PATCH',
		path: '/calls/:id',
		run: (service, { id, body }) => {
			const call = found(
				allCalls(service.state).find((one) => one.callId === id || one.id === id),
				'call',
			);
			const { callStatus, ...rest } = validate(callChangeSchema, body);
			if (callStatus) moveCall(service, call, callStatus);
			Object.assign(call, rest, { updatedAt: service.clock.now() });
			return callRecord(call, service.assumptions);
		},
	},
	{
		method: 'GET',
		path: '/emails',
		run: ({ state }) => state.environments.flatMap(({ emails }) => emails),
	},
];
