/**
 * Everything that docs/service.md, section 10 leaves open, decided in one place.
 * Choices with a plausible alternative are switches (`Variants`); the rest are constants.
 */
import { z } from 'zod';
import type { CallStatus, CarrierRoute, MediaKind, TemplateCategory } from './documented';

const GIBIBYTE = 1024 ** 3;

/** The switches. Every default is the sandbox's answer to a question that the document leaves open. */
export const variantsSchema = z
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
		mediaAnswer: z.enum(['full', 'minimal']).default('full'),
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
		/** Tries per webhook delivery; a further try follows anything but a 2xx answer. */
		deliveryAttempts: z.number().int().min(1).max(20).default(1),
		/** Wait before the second try in milliseconds; doubled for every further one. */
		deliveryBackoffMs: z.number().int().min(0).default(1_000),
		/** Milliseconds that a webhook receiver has to answer. */
		deliveryTimeoutMs: z.number().int().positive().default(10_000),
		/** Not a question of the document: `summary` keeps counters and recent entries without bodies. */
		journal: z.enum(['full', 'summary']).default('full'),
	})
	.strict();
export type Variants = z.infer<typeof variantsSchema>;

/** Ending of a number that decides what becomes of a message or call. */
export const MAGIC_ENDINGS = { failed: '0000', noAnswer: '0001' } as const;

/** Shown keys start with this prefix, sandbox keys with it and `test_`. */
export const KEY_PREFIX = 'msk_';

/** Webhook secrets start with it, so that one that turns up somewhere is known as such. */
export const SECRET_PREFIX = 'whsec_';

/** Credits for POST /chat/send. */
export const CHAT_SEND_COST = 1;

/** Phone numbers for chat: digits, country code first. */
export const CHAT_PHONE = /^[1-9]\d{6,14}$/;

/** Calls of exactly ten digits are national Indian numbers. */
export const NATIONAL_DIGITS = 10;
export const INDIA = '91';

/** Webhook deliveries under way at once. */
export const DELIVERIES_AT_ONCE = 64;

/** Recipients that a campaign processes in one step. */
export const BULK_STEP = 500;

/** Dashboard labels of the call statuses. */
export const CALL_LABELS: Record<CallStatus, string> = {
	initiated: 'Started',
	'in-progress': 'Started',
	answered: 'Started',
	success: 'Success',
	'no-answer': 'Failed',
	failed: 'Failed',
};

/** Shortest and longest duration of a successful call in seconds. */
export const CALL_SECONDS = { min: 5, max: 90 } as const;

/** Supported file endings per media kind; a document may have any ending that is not listed here. */
export const MEDIA_ENDINGS: Record<Exclude<MediaKind, 'document'>, readonly string[]> = {
	image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
	video: ['mp4', 'mkv', 'avi'],
	audio: ['mp3', 'wav', 'ogg', 'm4a'],
};

/** Endings of media that are refused whatever they are sent as. */
export const REFUSED_ENDINGS = ['bmp', 'tif', 'tiff', 'svg', 'heic', 'mov', 'webm', 'flac', 'aiff'];

/** Supported MIME subtypes; `image/…`, `video/…` and `audio/…` with another one are refused. */
export const MEDIA_SUBTYPES: Record<Exclude<MediaKind, 'document'>, readonly string[]> = {
	image: ['jpeg', 'jpg', 'png', 'gif', 'webp'],
	video: ['mp4', 'x-matroska', 'mkv', 'x-msvideo', 'avi', 'vnd.avi'],
	audio: ['mpeg', 'mp3', 'wav', 'x-wav', 'wave', 'ogg', 'mp4', 'm4a', 'x-m4a', 'aac'],
};

/** A PNG of one pixel, the picture of the browser session. */
export const SCREENSHOT = {
	base64:
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	url: 'https://dashboard.example/screenshots/latest.png',
	null: null,
} as const;

/** The account at the start. */
export const INITIAL_ACCOUNT = {
	name: 'Sandbox Account',
	email: 'owner@sandbox.example',
	role: 'client',
	balance: 5_000,
	chatBalance: 100_000,
	emailBalance: 10_000,
	voiceMins: 1_000,
	leadBalance: 250,
	createdAt: '2024-01-15T09:00:00.000Z',
} as const;

/** Templates at the start. Without `language` any language does, without `parameterCount` any count. */
export const INITIAL_TEMPLATES: ReadonlyArray<{
	name: string;
	category: TemplateCategory;
	approved: boolean;
	language?: string;
	parameterCount?: number;
}> = [
	{ name: 'order_update', category: 'utility', approved: true },
	{
		name: 'appointment_reminder',
		category: 'utility',
		approved: true,
		language: 'en',
		parameterCount: 2,
	},
	{ name: 'seasonal_offer', category: 'marketing', approved: true },
	{ name: 'pending_review', category: 'utility', approved: false },
];

/** Connected chat numbers at the start; the first is the default. */
export const INITIAL_CHAT_NUMBERS = ['14155550100', '919812345670'] as const;

/** Outbound number of each voice route, all owned by the account. */
export const VOICE_NUMBERS: Record<CarrierRoute, string> = {
	carrier_in1: '918040001234',
	carrier_us1: '14155550123',
	carrier_in2: '918040005678',
};

/** Texts of answers whose wording the document does not give. */
export const TEXTS = {
	notFound: (method: string, path: string) => `Not found: ${method} ${path}`,
	webhookNotFound: 'Webhook not found',
	webhookDeleted: 'Webhook deleted',
	webhookId: "Query parameter 'id' is required",
	webhookUrl: 'must be a valid HTTPS URL',
	webhookDuplicate: 'A webhook with this url is already registered',
	invalidJson: 'Request body is not valid JSON',
	invalidForm: 'Request body is not a valid multipart form',
	contentType: 'Unsupported content type',
	bodyTooLarge: 'Request body is too large',
	phone: 'must be an E.164 number: digits only, country code first',
	template: (name: string) => `Template '${name}' does not exist or is not approved`,
	templateLanguage: (name: string, language: string) =>
		`Template '${name}' is not approved for language '${language}'`,
	parametersJson: 'parameters must be a JSON array of strings',
	templateParameters: (name: string, count: number) =>
		`Template '${name}' expects ${count} parameters`,
	config: (id: string) => `configId '${id}' does not match a connected number`,
	chatBalance: 'Insufficient chat balance',
	voiceBalance: 'Insufficient voice minutes',
	emailBalance: 'Insufficient email balance',
	recipients: 'must hold at most 10,000 items',
	mediaSource: 'Either mediaUrl or mediaId is required',
	mediaUrl: 'must be a publicly reachable HTTPS URL',
	mediaId: (id: string) => `mediaId '${id}' does not exist`,
	mediaType: 'Unsupported media type',
	fileRequired: 'file is required',
	fileTooLarge: (bytes: number) => `File exceeds the size limit of ${bytes} bytes`,
	browserSession: 'No active browser chat session. Connect one on the dashboard',
	callDigits: 'must have at least 10 digits',
	callContent: 'One of audioName, aiAgentId or xmlId is required',
	callRoute: (route: string) => `Unknown voiceRoute '${route}'`,
	callCredentials: (route: CarrierRoute) => `Credentials for route '${route}' are not configured`,
	emailFields: 'to, subject and either html or text are required',
	emailAddress: (address: string) => `'${address}' is not a valid e-mail address`,
	smtpMissing: 'SMTP is not configured for this account',
	smtpRejected: 'The SMTP provider rejected the message',
	routeFilter: 'unknown route',
	date: 'must be an ISO date',
	aboveLimit: (name: string, max: number) => `${name} must not exceed ${max}`,
	chatSent: 'Message sent',
	templateSent: 'Template message sent',
	mediaSent: 'Media message sent',
	fileUploaded: 'File uploaded',
	bulkStarted: (total: number) => `Campaign started for ${total} recipients`,
} as const;
