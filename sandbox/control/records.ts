import { z } from 'zod';
import { callStatuses, messageStatuses } from '../documented';
import { validate } from '../http/validate';
import { moveCall, moveMessage } from '../lifecycle';
import { addCalls, addMessages, newCallsSchema, newMessagesSchema } from '../seeding';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
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

/** Control of messages and calls. */
export const recordRoutes: ControlRoute[] = [
	{
		method: 'GET',
		path: '/messages',
		run: ({ state, assumptions }) =>
			state.messages.all().map((message) => messageRecord(message, assumptions)),
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
				service.state.messages.all().find((one) => one.id === id),
				'message',
			);
			moveMessage(service, message, validate(messageChangeSchema, body).status);
			return messageRecord(message, service.assumptions);
		},
	},
	{
		method: 'GET',
		path: '/calls',
		run: ({ state, assumptions }) => state.calls.all().map((call) => callRecord(call, assumptions)),
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
				service.state.calls.all().find((one) => one.callId === id || one.id === id),
				'call',
			);
			const { callStatus, ...rest } = validate(callChangeSchema, body);
			if (callStatus) moveCall(service, call, callStatus);
			Object.assign(call, rest, { updatedAt: Date.now() });
			return callRecord(call, service.assumptions);
		},
	},
	{
		method: 'GET',
		path: '/emails',
		run: ({ state }) => state.emails,
	},
];
