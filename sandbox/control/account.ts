import { validate } from '../routes/validate';
import { info } from './info';
import { found, type ControlRoute } from './route';
import * as schemas from './schemas';

/** Control of the account and of how the service behaves. */
export const accountRoutes: ControlRoute[] = [
	{
		method: 'POST',
		path: '/reset',
		run: (world, { body }) => {
			world.reset(validate(schemas.resetSchema, body).seed);
			return info(world);
		},
	},
	{ method: 'GET', path: '/info', run: (world) => info(world) },
	{
		method: 'PATCH',
		path: '/settings',
		run: (world, { body }) => {
			const { smtp, voiceRoutes, chatSession, lifecycle, variants } = validate(
				schemas.settingsSchema,
				body,
			);
			if (smtp !== undefined) world.state.smtp = smtp;
			if (chatSession !== undefined) world.state.chatSession = chatSession;
			Object.assign(world.state.voiceRoutes, voiceRoutes);
			world.lifecycle = { ...world.lifecycle, ...lifecycle };
			world.variants = { ...world.variants, ...variants };
			return info(world);
		},
	},
	{
		method: 'POST',
		path: '/keys',
		run: ({ state }, { body }) => state.keys.create(validate(schemas.newKeySchema, body)),
	},
	{
		method: 'PATCH',
		path: '/keys/:id',
		run: ({ state }, { id, body }) =>
			Object.assign(found(state.keys.find(id), 'key'), validate(schemas.keyChangeSchema, body)),
	},
	{
		method: 'DELETE',
		path: '/keys/:id',
		run: ({ state }, { id }) => {
			state.keys.delete(found(state.keys.find(id), 'key').key);
		},
	},
	{ method: 'GET', path: '/account', run: ({ state }) => state.account },
	{
		method: 'PATCH',
		path: '/account',
		run: ({ state }, { body }) =>
			Object.assign(state.account, validate(schemas.accountChangeSchema, body)),
	},
	{
		method: 'POST',
		path: '/templates',
		run: ({ state }, { body }) => {
			const template = validate(schemas.templateSchema, body);
			state.templates.set(template);
			return template;
		},
	},
	{
		method: 'POST',
		path: '/chat-numbers',
		run: ({ state }, { body }) =>
			state.chatNumbers.add(validate(schemas.chatNumberSchema, body).phoneNumber),
	},
	{ method: 'GET', path: '/webhooks', run: ({ state }) => state.webhooks.list() },
	{
		method: 'PATCH',
		path: '/webhooks/:id',
		run: ({ state }, { id, body }) =>
			Object.assign(
				found(state.webhooks.find(id), 'webhook'),
				validate(schemas.webhookChangeSchema, body),
			),
	},
	{
		method: 'DELETE',
		path: '/webhooks/:id',
		run: ({ state }, { id }) => {
			state.webhooks.delete(found(state.webhooks.find(id), 'webhook').id);
		},
	},
];
