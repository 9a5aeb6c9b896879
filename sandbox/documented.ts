/** Names and numbers that service-api.md states outright. What it leaves open is in choices.ts. */

/** Path prefix of the service root (service-api.md, section 9). */
export const API_ROOT = '/api/v1';

/** Permission scopes of an API key (section 2). */
export const SCOPES = [
	'balance:read',
	'chat:send',
	'chat:send-template',
	'chat:bulk-send',
	'chat:campaigns',
	'email:send',
	'voice:calls',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Message statuses as the polling endpoint writes them (section 3). */
export const MESSAGE_STATUSES = ['Sent', 'Delivered', 'Read', 'Failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Event kinds of chat message webhooks (section 6). */
export const WEBHOOK_EVENTS = [
	'message.sent',
	'message.delivered',
	'message.read',
	'message.failed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Events of a registration that names none (section 4, POST /chat/webhooks). */
export const DEFAULT_WEBHOOK_EVENTS: readonly WebhookEvent[] = [
	'message.sent',
	'message.delivered',
	'message.failed',
];

/** Header that carries the signature of an event (section 6). */
export const SIGNATURE_HEADER = 'x-webhook-signature';

/** Normalized call statuses (section 3). */
export const CALL_STATUSES = [
	'initiated',
	'in-progress',
	'answered',
	'success',
	'no-answer',
	'failed',
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** Routes that carry a call (section 4, POST /voice/call). */
export const CARRIER_ROUTES = ['carrier_in1', 'carrier_us1', 'carrier_in2'] as const;
export type CarrierRoute = (typeof CARRIER_ROUTES)[number];

/** Names of the routes in the call-log filter (section 4, GET /voice/call-logs). */
export const ROUTE_FILTERS: ReadonlyMap<string, CarrierRoute> = new Map([
	['indian', 'carrier_in1'],
	['IN1', 'carrier_in1'],
	['carrier_in1', 'carrier_in1'],
	['us', 'carrier_us1'],
	['US1', 'carrier_us1'],
	['carrier_us1', 'carrier_us1'],
	['IN2', 'carrier_in2'],
	['carrier_in2', 'carrier_in2'],
]);

/** The only call type that the call log returns (section 4, GET /voice/call-logs). */
export const API_CALL_TYPE = 'API Voice Call';

/** Media kinds of POST /chat/send-media (section 4). */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export type TemplateCategory = 'marketing' | 'utility';

/** Credits and minutes that one unit costs (section 8). */
export const COSTS = {
	template: { marketing: 3, utility: 1 } satisfies Record<TemplateCategory, number>,
	media: 1,
	callMinutes: 1,
	emailRecipient: 1,
} as const;

/** Limits of requests (section 8). */
export const LIMITS = {
	bulkRecipients: 10_000,
	campaigns: { default: 20, max: 100 },
	callLogs: { default: 10, max: 100 },
	callDigits: 10,
} as const;

export const UNAUTHORIZED = 'Unauthorized: Invalid or missing API key';

/** The 403 text (section 7). */
export function forbiddenText(scope: Scope): string {
	return `Forbidden: This API key does not have the '${scope}' permission.`;
}
