import { moveCall } from '../lifecycle/calls';
import { moveMessage } from '../lifecycle/messages';
import { validate } from '../routes/validate';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
import { found, type ControlRoute } from './route';
import * as schemas from './schemas';
import { addCalls, addMessages } from './seeding';

/** Control of messages and calls. */
export const recordRoutes: ControlRoute[] = [
	{
		method: 'GET',
		path: '/messages',
		run: ({ state }) => state.messages.all().map(messageRecord),
	},
	{
		method: 'POST',
		path: '/messages',
		run: (world, { body }) => ({
			ids: addMessages(world, validate(schemas.newMessagesSchema, body)),
		}),
	},
	{
		method: 'PATCH',
		path: '/messages/:id',
		run: (world, { id, body }) => {
			const message = found(world.state.messages.find(id), 'message');
			moveMessage(world, message, validate(schemas.messageChangeSchema, body).status);
			return messageRecord(message);
		},
	},
	{
		method: 'GET',
		path: '/calls',
		run: ({ state, variants }) => state.calls.all().map((call) => callRecord(call, variants)),
	},
	{
		method: 'POST',
		path: '/calls',
		run: (world, { body }) => ({ ids: addCalls(world, validate(schemas.newCallsSchema, body)) }),
	},
	{
		method: 'PATCH',
		path: '/calls/:id',
		run: (world, { id, body }) => {
			const call = found(world.state.calls.find(id), 'call');
			const { callStatus, ...rest } = validate(schemas.callChangeSchema, body);
			if (callStatus) moveCall(world, call, callStatus);
			Object.assign(call, rest, { updatedAt: world.clock.now() });
			return callRecord(call, world.variants);
		},
	},
];
