import { z } from 'zod';
import { callStatuses, messageStatuses } from '../documented';
import { newCallsSchema, newMessagesSchema } from '../seeding';

/** Which requests a fault takes. */
const anyFault = {
	/** Shown in the journal; the kind when absent. */
	name: z.string().min(1).optional(),
	/** Any method when absent. */
	method: z.string().toUpperCase().optional(),
	/** Path below the service root, e.g. `/chat/send` or `/contacts/:id`, or `*` for every path. */
	path: z.string().min(1),
	/** How many requests it hits. */
	count: z.union([z.number().int().positive(), z.literal('infinite')]).default(1),
	/** How many matching requests pass first. */
	skip: z.number().int().min(0).default(0),
	/** Chance that a matching request is hit. */
	probability: z.number().min(0).max(1).default(1),
	/** Text that a JSON body must contain; forms never match. */
	bodyContains: z.string().min(1).optional(),
	/** Milliseconds to wait before anything else happens. */
	latencyMs: z.number().int().min(0).default(0),
};

const before = z.enum(['before', 'after']).default('before');
const after = z.enum(['before', 'after']).default('after');

const status = z.number().int().min(200).max(999);

/** What is in the response; the service's own, or `{}` where it has not acted, for all that is absent. */
const content = {
	status: status.optional(),
	/** A text, or anything else as JSON. */
	body: z.unknown(),
	/** Any bytes. */
	bodyBase64: z.string().optional(),
	/** As many bytes of filling. */
	fill: z
		.number()
		.int()
		.min(0)
		.max(2 ** 30)
		.optional(),
	contentType: z.string().optional(),
	/** How the body is compressed. */
	encoding: z.enum(['gzip', 'deflate', 'br']).optional(),
	/** Further headers; they replace those that the response would have. */
	headers: z.record(z.string()).optional(),
};

/** A way for a request to go wrong; `when` says whether the service acts on it before or after that. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Only slow. */
	z
		.object({ kind: z.literal('latency'), ...anyFault, latencyMs: z.number().int().min(1) })
		.strict(),
	/** Any status with any body. */
	z.object({ kind: z.literal('status'), ...anyFault, when: before, ...content, status }).strict(),
	/** A web page where JSON is expected. */
	z
		.object({
			kind: z.literal('html'),
			...anyFault,
			when: before,
			status: status.default(200),
		})
		.strict(),
	/** A redirect. */
	z
		.object({
			kind: z.literal('redirect'),
			...anyFault,
			when: before,
			status: z.number().int().min(300).max(399).default(302),
			location: z.string().default('https://elsewhere.example/'),
		})
		.strict(),
	/** The connection is cut: without a response, or at a byte of the response. */
	z
		.object({
			kind: z.literal('cut'),
			...anyFault,
			when: before,
			/** How much of it is sent. */
			atByte: z.number().int().min(0).optional(),
			/** Whether bytes are counted from the first of the body, or of the status line. */
			within: z.enum(['body', 'response']).default('body'),
			...content,
		})
		.strict(),
	/** The response breaks off half-way, after processing. */
	z.object({ kind: z.literal('halfResponse'), ...anyFault }).strict(),
	/** No response ever; the connection stays open until the caller, a reset or the end closes it. */
	z.object({ kind: z.literal('silence'), ...anyFault, when: before }).strict(),
	/** The response comes only after the caller has gone. */
	z.object({ kind: z.literal('late'), ...anyFault, when: after }).strict(),
	/** The body comes slowly. */
	z
		.object({
			kind: z.literal('trickle'),
			...anyFault,
			when: after,
			bytesPerSecond: z.number().positive(),
			...content,
		})
		.strict(),
	/** The body comes in chunks of these sizes, without a length; the last size holds for the rest. */
	z
		.object({
			kind: z.literal('chunked'),
			...anyFault,
			when: after,
			sizes: z.array(z.number().int().positive()).min(1),
			/** Milliseconds between two chunks. */
			everyMs: z.number().int().min(0).default(0),
			...content,
		})
		.strict(),
	/** The same response twice on one connection. */
	z.object({ kind: z.literal('twice'), ...anyFault, when: after, ...content }).strict(),
	/** 101, and then nothing. */
	z.object({ kind: z.literal('switchingProtocols'), ...anyFault, when: before }).strict(),
	/** Any bytes in place of a response. */
	z
		.object({
			kind: z.literal('raw'),
			...anyFault,
			when: before,
			text: z.string().default(''),
			base64: z.string().optional(),
			/** Whether the connection is closed after them. */
			close: z.boolean().default(true),
		})
		.strict(),
	/** The list changes after a page of it was read; the response is the usual one. */
	z
		.object({
			kind: z.literal('grow'),
			...anyFault,
			messages: newMessagesSchema.optional(),
			calls: newCallsSchema.optional(),
			/** New statuses by id: with a status asked for, the records leave one list for another. */
			messageStatuses: z.record(z.enum(messageStatuses)).default({}),
			callStatuses: z.record(z.enum(callStatuses)).default({}),
		})
		.strict(),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;
