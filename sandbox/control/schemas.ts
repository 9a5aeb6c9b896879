import { z } from 'zod';
import { variantsSchema } from '../choices';
import {
	API_CALL_TYPE,
	CALL_STATUSES,
	CARRIER_ROUTES,
	MESSAGE_STATUSES,
	SCOPES,
	WEBHOOK_EVENTS,
} from '../documented';
import { lifecycleSchema } from '../lifecycle/lifecycle';

const count = z.number().int().min(0);
const time = z.string().datetime({ offset: true });

/** Most records that one request seeds. */
const MAX_RECORDS = 1_000_000;

export const resetSchema = z.object({ seed: z.number().int().optional() }).strict();

export const newKeySchema = z
	.object({
		name: z.string().optional(),
		scopes: z.array(z.enum(SCOPES)).default([...SCOPES]),
		test: z.boolean().default(false),
	})
	.strict();

export const keyChangeSchema = z
	.object({ scopes: z.array(z.enum(SCOPES)), revoked: z.boolean() })
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
		variants: variantsSchema.partial(),
	})
	.partial()
	.strict();

export const chatNumberSchema = z.object({ phoneNumber: z.string().regex(/^[1-9]\d+$/) }).strict();

export const webhookChangeSchema = z
	.object({
		url: z.string().url(),
		events: z.array(z.enum(WEBHOOK_EVENTS)),
		isActive: z.boolean(),
	})
	.partial()
	.strict();

export const newMessagesSchema = z
	.object({
		n: count.max(MAX_RECORDS),
		template: z
			.object({
				to: z.string().optional(),
				content: z.string().default('Seeded message'),
				type: z.string().default('template'),
				templateName: z.string().default('order_update'),
				status: z.enum(MESSAGE_STATUSES).default('Sent'),
				/** When the first was sent; the present by default. */
				sentAt: time.optional(),
				/** Milliseconds from one to the next. */
				everyMs: count.default(1),
			})
			.strict()
			.default({}),
	})
	.strict();

export const messageChangeSchema = z.object({ status: z.enum(MESSAGE_STATUSES) }).strict();

export const newCallsSchema = z
	.object({
		n: count.max(MAX_RECORDS),
		template: z
			.object({
				to: z.string().regex(/^\d+$/).optional(),
				route: z.enum(CARRIER_ROUTES).default('carrier_in1'),
				recipientName: z.string().optional(),
				callStatus: z.enum(CALL_STATUSES).default('success'),
				/** Another type than the API's stands for a call of a dashboard campaign. */
				type: z.string().default(API_CALL_TYPE),
				createdAt: time.optional(),
				everyMs: count.default(1),
			})
			.strict()
			.default({}),
	})
	.strict();

export const callChangeSchema = z
	.object({ callStatus: z.enum(CALL_STATUSES), duration: count, transcript: z.string() })
	.partial()
	.strict();

export const journalFilterSchema = z
	.object({
		kind: z.enum(['request', 'delivery']),
		method: z.string().toUpperCase(),
		path: z.string(),
	})
	.partial()
	.strict();

export const advanceSchema = z.object({ ms: count }).strict();

export const settleSchema = z.object({ timeoutMs: count.default(30_000) }).strict();
