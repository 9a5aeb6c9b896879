import { z } from 'zod';

const GIBIBYTE = 1024 ** 3;

/** What the sandbox assumes wherever docs/service.md, section 10 leaves a question open. Each can be set at any time. */
export const assumptionsSchema = z
	.object({
		/** GET /balance: the documented `user` object, or the flat sample. */
		balance: z.enum(['nested', 'flat']).default('nested'),
		/** GET /chat/webhooks: `{webhooks}`, a bare array, or `{success, data}`. */
		webhookList: z.enum(['webhooks', 'array', 'data']).default('webhooks'),
		/** DELETE /chat/webhooks: `{success, message}`, or 200 without a body. */
		webhookDelete: z.enum(['message', 'empty']).default('message'),
		/** Registering a URL a second time: a further registration, or 400. */
		duplicateWebhookUrl: z.enum(['allow', 'reject']).default('allow'),
		/** How X-Webhook-Signature writes the HMAC; `prefixed…` puts `sha256=` before it. */
		signature: z.enum(['hex', 'base64', 'prefixedHex', 'prefixedBase64']).default('hex'),
		/** Whether GET /chat/configs checks `chat:send`. */
		configsScope: z.boolean().default(false),
		/** Whether POST /chat/upload checks `chat:send`. */
		uploadScope: z.boolean().default(false),
		/** POST /chat/send-media: like send-template, or `{success}` alone. */
		mediaResponse: z.enum(['full', 'minimal']).default('full'),
		/** Type of `screenshot` in a failed POST /chat/send. */
		screenshot: z.enum(['base64', 'url', 'null']).default('base64'),
		/** Whether the `id` of a call-log entry is the call's `callId`, or an id of its own. */
		callLogId: z.enum(['callId', 'own']).default('callId'),
		/** How voice numbers are written: `+` and digits, or digits alone. */
		voiceNumbers: z.enum(['plus', 'digits']).default('plus'),
		/** Order of both lists. */
		listOrder: z.enum(['newestFirst', 'oldestFirst']).default('newestFirst'),
		/** A `limit` or `pageSize` above the maximum: lowered to it, or 400. */
		overLimit: z.enum(['clamp', 'reject']).default('clamp'),
		/** Largest uploaded file in bytes. */
		maxFileBytes: z.number().int().positive().default(GIBIBYTE),
		/** Tries per webhook delivery; a further try follows anything but a 2xx response. */
		deliveryAttempts: z.number().int().min(1).max(20).default(1),
		/** Wait before the second try in milliseconds; doubled for every further one. */
		deliveryBackoffMs: z.number().int().min(0).default(1_000),
		/** Milliseconds that a webhook receiver has to respond. */
		deliveryTimeoutMs: z.number().int().positive().default(10_000),
	})
	.strict();
export type Assumptions = z.infer<typeof assumptionsSchema>;
