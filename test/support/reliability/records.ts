import { randomUUID } from 'node:crypto';

/** A request body of the service, as JSON. */
export type Body = Record<string, unknown>;

/** One message, call or email that the service accepted. */
export interface SentRecord {
	id: string;
	path: string;
	to: string;
	at: string;
	/** How many lists have shown it; its status moves on with each. */
	shown: number;
}

/** A billable endpoint: whom a request reaches, and what an accepted one is answered. */
interface Endpoint {
	recipients(body: Body): string[];
	answer(record: SentRecord, body: Body): Body;
}

const charged = { success: true, cost: 1, remainingBalance: 1_000 };
const recipientsOf = ({ recipients }: Body) => recipients as Array<{ phone: string }>;
const only = (field: string) => (body: Body) => [String(body[field])];

/** What the documentation shows of the answers (docs/service.md, section 4). */
export const allEndpoints: Record<string, Endpoint> = {
	'/chat/send': {
		recipients: only('phone'),
		answer: () => ({ ...charged, message: 'Sent' }),
	},
	'/chat/send-template': {
		recipients: only('phone'),
		answer: ({ id }) => ({ ...charged, message: 'Sent', providerMessageId: id }),
	},
	'/chat/send-media': {
		recipients: only('phone'),
		answer: ({ id }) => ({ ...charged, providerMessageId: id }),
	},
	'/chat/bulk-send': {
		recipients: (body) => recipientsOf(body).map(({ phone }) => phone),
		answer: (_, body) => ({
			success: true,
			campaignId: randomUUID(),
			total: recipientsOf(body).length,
			status: 'processing',
			message: 'Campaign started',
		}),
	},
	'/voice/call': {
		recipients: only('to'),
		answer: ({ id, to }) => ({
			success: true,
			callId: id,
			route: 'carrier_in1',
			from: '+14155550100',
			to,
			status: 'initiated',
			remainingVoiceMins: 100,
		}),
	},
	'/email/send': {
		recipients: only('to'),
		answer: ({ id }) => ({ ...charged, messageId: id }),
	},
};

/** An item of `GET /chat/campaigns` (docs/service.md, section 2). */
export const messageRecord = ({ id, to, at, path }: SentRecord, status: string): Body => ({
	id: `record-${id}`,
	to,
	status,
	providerMessageId: id,
	content: 'A message',
	type: path === '/chat/send-media' ? 'media' : 'template',
	sentAt: at,
	updatedAt: at,
});

/** An item of `GET /voice/call-logs` (docs/service.md, section 4). */
export const callLogEntry = ({ id, to, at }: SentRecord): Body => ({
	id,
	phone: to,
	type: 'API Voice Call',
	duration: 0,
	cost: 1,
	status: 'Started',
	callStatus: 'initiated',
	route: 'carrier_in1',
	campaignName: to,
	transcript: '',
	createdAt: at,
	updatedAt: at,
});
