import { z } from 'zod';
import { API_CALL_TYPE, CALL_STATUSES, CARRIER_ROUTES, MESSAGE_STATUSES } from '../documented';
import { validate } from '../http/validate';
import { moveCall, moveMessage } from '../lifecycle';
import type { Service } from '../service';
import { VOICE_NUMBERS, callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
import { found, type ControlRoute } from './route';

const count = z.number().int().min(0);
const time = z.string().datetime({ offset: true });

/** Most records that one request seeds. */
const MAX_RECORDS = 1_000_000;

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

const messageChangeSchema = z.object({ status: z.enum(MESSAGE_STATUSES) }).strict();

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

/** Recipient of the seeded record with this number, unless the template names one. */
function recipient(index: number): string {
	return String(919_100_000_000 + index);
}

/** Seeds messages that stay as they are and emit no event; gives their ids. */
function addMessages(
	{ state, clock }: Service,
	{ n, template }: z.output<typeof newMessagesSchema>,
): string[] {
	const { to, sentAt, everyMs, status, ...draft } = template;
	const start = sentAt === undefined ? clock.now() : Date.parse(sentAt);
	const from = state.chatNumbers.require(undefined).phoneNumber;
	return Array.from({ length: n }, (_, index) => {
		const message = { ...draft, from, to: to ?? recipient(index) };
		return state.messages.add(message, start + index * everyMs, status).id;
	});
}

/** Seeds calls that stay as they are; gives their ids. */
function addCalls(service: Service, { n, template }: z.output<typeof newCallsSchema>): string[] {
	const { to, createdAt, everyMs, callStatus, route, type, recipientName } = template;
	const start = createdAt === undefined ? service.clock.now() : Date.parse(createdAt);
	const from = VOICE_NUMBERS[route];
	return Array.from({ length: n }, (_, index) => {
		const draft = { to: to ?? recipient(index), from, route, recipientName, type, transcript: '' };
		const call = service.state.calls.add(draft, start + index * everyMs);
		moveCall(service, call, callStatus);
		call.updatedAt = call.createdAt;
		return call.callId;
	});
}

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
		run: (service, { body }) => ({
			ids: addMessages(service, validate(newMessagesSchema, body)),
		}),
	},
	{
		method: 'PATCH',
		path: '/messages/:id',
		run: (service, { id, body }) => {
			const message = found(service.state.messages.find(id), 'message');
			moveMessage(service, message, validate(messageChangeSchema, body).status);
			return messageRecord(message);
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
			const call = found(service.state.calls.find(id), 'call');
			const { callStatus, ...rest } = validate(callChangeSchema, body);
			if (callStatus) moveCall(service, call, callStatus);
			Object.assign(call, rest, { updatedAt: service.clock.now() });
			return callRecord(call, service.assumptions);
		},
	},
];
