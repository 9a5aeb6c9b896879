/** Names and numbers that docs/service.md states outright. What it leaves open is in assumptions.ts. */

/** Path prefix of the service root (docs/service.md, section 9.1). */
export const apiRoot = '/api/v1';

/** Permission scopes of an API key (docs/service.md, section 2.1). */
export const scopes = [
	'balance:read',
	'chat:send',
	'chat:send-template',
	'chat:bulk-send',
	'chat:campaigns',
	'email:send',
	'voice:calls',
] as const;
export type Scope = (typeof scopes)[number];

/** Message statuses as the polling endpoint writes them (docs/service.md, section 3.2). */
export const messageStatuses = ['Sent', 'Delivered', 'Read', 'Failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Event kinds of chat message webhooks (docs/service.md, section 6.1). */
export const webhookEvents = [
	'message.sent',
	'message.delivered',
	'message.read',
	'message.failed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Kinds of dashboard webhooks (docs/service.md, section 6.3). */
export const dashboardKinds = ['messageReceived', 'statusUpdate', 'emailStatus'] as const;
export type DashboardKind = (typeof dashboardKinds)[number];

/** Events of a registration that names none (docs/service.md, section 4.10). */
export const defaultWebhookEvents = webhookEvents.filter((event) => event !== 'message.read');

/** Header that carries the signature of an event (docs/service.md, section 6.2). */
export const signatureHeader = 'x-webhook-signature';

/** Normalized call statuses (docs/service.md, section 3.3). */
export const callStatuses = [
	'initiated',
	'in-progress',
	'answered',
	'success',
	'no-answer',
	'failed',
] as const;
export type CallStatus = (typeof callStatuses)[number];

/** Routes that carry a call (docs/service.md, section 4.13). */
export type CarrierRoute = 'carrier_in1' | 'carrier_us1' | 'carrier_in2';

/** Names of the routes in the call-log filter (docs/service.md, section 4.14). */
export const routeFilters: Record<string, CarrierRoute> = {
	...{ indian: 'carrier_in1', IN1: 'carrier_in1', carrier_in1: 'carrier_in1' },
	...{ us: 'carrier_us1', US1: 'carrier_us1', carrier_us1: 'carrier_us1' },
	...{ IN2: 'carrier_in2', carrier_in2: 'carrier_in2' },
};

/** Media kinds of POST /chat/send-media (docs/service.md, section 4.6). */
export const mediaKinds = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** MIME types of the formats of each kind; a document can be any file (docs/service.md, section 4.6). */
export const mediaFormats: Record<MediaKind, readonly string[]> = {
	image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
	video: ['video/mp4', 'video/x-matroska', 'video/x-msvideo', 'video/avi', 'video/vnd.avi'],
	audio: ['audio/mpeg', 'audio/wav', 'audio/x-wav', 'audio/ogg', 'audio/mp4', 'audio/x-m4a'],
	document: [],
};

export type TemplateCategory = 'marketing' | 'utility';

/** Credits and minutes that one unit costs (docs/service.md, section 8.2). */
export const costs = {
	template: { marketing: 3, utility: 1 } satisfies Record<TemplateCategory, number>,
	media: 1,
	callMinutes: 1,
	emailRecipient: 1,
} as const;

/** Limits of requests (docs/service.md, section 8.1). */
export const limits = {
	bulkRecipients: 10_000,
	campaigns: { default: 20, max: 100 },
	callLogs: { default: 10, max: 100 },
	callDigits: 10,
} as const;
