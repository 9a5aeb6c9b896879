import { z } from 'zod';
import { assumptionsSchema } from '../assumptions';
import { scopes } from '../documented';
import { validate } from '../http/validate';
import { lifecycleSchema } from '../lifecycle';
import type { Service } from '../service';
import { webhookRecord } from '../state/webhooks';
import { found, type ControlRoute } from './route';

const count = z.number().int().min(0);

export const newKeySchema = z
	.object({ scopes: z.array(z.enum(scopes)).default([...scopes]) })
	.strict();

export const keyChangeSchema = z
	.object({ scopes: z.array(z.enum(scopes)), revoked: z.boolean() })
	.partial()
	.strict();

export const accountChangeSchema = z
	.object({
		name: z.string(),
		email: z.string(),
		role: z.enum(['user', 'admin', 'client']),
		balance: z.number().int(),
		chatBalance: count,
		emailBalance: count,
		voiceMins: count,
		leadBalance: count,
	})
	.partial()
	.strict();

export const templateSchema = z
	.object({
		name: z.string().min(1),
		category: z.enum(['marketing', 'utility']).default('utility'),
		approved: z.boolean().default(true),
		language: z.string().optional(),
		parameterCount: count.optional(),
	})
	.strict();

const voiceRoute = z.boolean().optional();

/** Everything that is set rather than created. */
export const settingsSchema = z
	.object({
		smtp: z.enum(['working', 'none', 'rejecting']),
		voiceRoutes: z
			.object({ carrier_in1: voiceRoute, carrier_us1: voiceRoute, carrier_in2: voiceRoute })
			.strict(),
		chatSession: z.boolean(),
		lifecycle: lifecycleSchema.partial(),
		assumptions: assumptionsSchema,
	})
	.partial()
	.strict();

const chatNumberSchema = z.object({ phoneNumber: z.string().regex(/^[1-9]\d+$/) }).strict();

export const webhookChangeSchema = z.object({ isActive: z.boolean() }).strict();

/** What a test or a person wants to know first: keys, what is there, and how it is set. */
export function info({ state, assumptions, lifecycle, faults }: Service) {
	return {
		keys: { production: state.keys.production, test: state.keys.test },
		allKeys: state.keys.list(),
		account: state.account,
		chatNumbers: state.chatNumbers.list(),
		templates: state.templates.list(),
		smtp: state.smtp,
		voiceRoutes: state.voiceRoutes,
		chatSession: state.chatSession,
		lifecycle,
		assumptions,
		faults: faults.list(),
	};
}
export type Info = ReturnType<typeof info>;

/** Control of the account and of how the service behaves. */
export const accountRoutes: ControlRoute[] = [
	{
		method: 'POST',
		path: '/reset',
		run: (service) => {
			service.reset();
			return info(service);
		},
	},
	{ method: 'GET', path: '/info', run: (service) => info(service) },
	{
		method: 'PATCH',
		path: '/settings',
		run: (service, { body }) => {
			const settings = validate(settingsSchema, body);
			const { smtp, voiceRoutes, chatSession, lifecycle, assumptions } = settings;
			if (smtp !== undefined) service.state.smtp = smtp;
			if (chatSession !== undefined) service.state.chatSession = chatSession;
			Object.assign(service.state.voiceRoutes, voiceRoutes);
			service.lifecycle = { ...service.lifecycle, ...lifecycle };
			service.assumptions = { ...service.assumptions, ...assumptions };
			return info(service);
		},
	},
	{
		method: 'POST',
		path: '/keys',
		run: ({ state }, { body }) => state.keys.create(validate(newKeySchema, body).scopes),
	},
	{
		method: 'PATCH',
		path: '/keys/:id',
		run: ({ state }, { id, body }) =>
			Object.assign(found(state.keys.find(id), 'key'), validate(keyChangeSchema, body)),
	},
	{ method: 'GET', path: '/account', run: ({ state }) => state.account },
	{
		method: 'PATCH',
		path: '/account',
		run: ({ state }, { body }) => Object.assign(state.account, validate(accountChangeSchema, body)),
	},
	{
		method: 'POST',
		path: '/templates',
		run: ({ state }, { body }) => {
			const template = validate(templateSchema, body);
			state.templates.set(template);
			return template;
		},
	},
	{
		method: 'POST',
		path: '/chat-numbers',
		run: ({ state }, { body }) =>
			state.chatNumbers.add(validate(chatNumberSchema, body).phoneNumber),
	},
	{
		method: 'GET',
		path: '/webhooks',
		run: ({ state, assumptions }) =>
			state.webhooks.list().map((webhook) => webhookRecord(webhook, assumptions)),
	},
	{
		method: 'PATCH',
		path: '/webhooks/:id',
		run: ({ state, assumptions }, { id, body }) => {
			const known = state.webhooks.list().find((one) => one.id === id);
			const webhook = Object.assign(found(known, 'webhook'), validate(webhookChangeSchema, body));
			return webhookRecord(webhook, assumptions);
		},
	},
	{
		method: 'DELETE',
		path: '/webhooks/:id',
		run: ({ state }, { id }) => {
			found(state.webhooks.delete(id) || undefined, 'webhook');
		},
	},
];
