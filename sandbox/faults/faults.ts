import type { Socket } from 'node:net';
import { z } from 'zod';
import { pathMatcher } from '../http/endpoint';
import { SeededRandom } from '../random';
import { newCallsSchema, newMessagesSchema } from '../seeding';

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

/** Whether the service acts on the request before the response goes wrong. */
const when = { when: z.enum(['before', 'after']).default('before') };

/** A way for a request to go wrong, and which requests it takes. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Only slow. */
	z
		.object({ kind: z.literal('latency'), ...anyFault, latencyMs: z.number().int().min(1) })
		.strict(),
	/** Any status with any body; objects are sent as JSON. */
	z
		.object({
			kind: z.literal('status'),
			...anyFault,
			...when,
			status: z.number().int().min(200).max(599),
			body: z.unknown(),
			contentType: z.string().optional(),
			headers: z.record(z.string()).optional(),
		})
		.strict(),
	/** A web page where JSON is expected. */
	z
		.object({
			kind: z.literal('html'),
			...anyFault,
			...when,
			status: z.number().int().min(200).max(599).default(200),
		})
		.strict(),
	/** The connection is cut without a response. */
	z.object({ kind: z.literal('cut'), ...anyFault, ...when }).strict(),
	/** The response breaks off half-way, after processing. */
	z.object({ kind: z.literal('halfResponse'), ...anyFault }).strict(),
	/** No response ever; the connection stays open until the caller, a reset or the end closes it. */
	z.object({ kind: z.literal('silence'), ...anyFault, ...when }).strict(),
	/** The list grows after a page of it was read; the response is the usual one. */
	z
		.object({
			kind: z.literal('grow'),
			...anyFault,
			messages: newMessagesSchema.optional(),
			calls: newCallsSchema.optional(),
		})
		.strict(),
	/** A redirect. */
	z
		.object({
			kind: z.literal('redirect'),
			...anyFault,
			...when,
			status: z.number().int().min(300).max(399).default(302),
			location: z.string().default('https://elsewhere.example/'),
		})
		.strict(),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;

export interface MatchedRequest {
	method: string;
	path: string;
	/** Text of the body; empty for forms. */
	text: string;
}

/** A fault that is set, with what it has done so far. */
export interface ActiveFault {
	id: number;
	fault: Fault;
	/** Matching requests seen. */
	seen: number;
	/** Requests hit. */
	hits: number;
}

/** The faults that are set. At most one of them hits a request: the first that was added. */
export class Faults {
	private faults: ActiveFault[] = [];

	private ids = 0;

	private random: SeededRandom;

	private readonly held = new Set<Socket>();

	constructor(seed: number) {
		this.random = new SeededRandom(seed, 'faults');
	}

	add(fault: Fault): ActiveFault {
		const active = { id: ++this.ids, fault, seen: 0, hits: 0 };
		this.faults.push(active);
		return active;
	}

	list(): ActiveFault[] {
		return this.faults;
	}

	clear(): void {
		this.faults = [];
	}

	reset(seed: number): void {
		this.clear();
		this.ids = 0;
		this.random = new SeededRandom(seed, 'faults');
	}

	/** The fault that hits this request; counts it. */
	match(request: MatchedRequest): Fault | undefined {
		return this.faults.find((active) => this.hits(active, request))?.fault;
	}

	/** Keeps a connection that gets no response until it is closed or released. */
	hold(socket: Socket): void {
		this.held.add(socket);
		socket.once('close', () => this.held.delete(socket));
	}

	/** Closes the connections that wait for a response in vain. */
	release(): void {
		for (const socket of this.held) socket.destroy();
	}

	private hits(active: ActiveFault, request: MatchedRequest): boolean {
		const { fault } = active;
		if (fault.count !== 'infinite' && active.hits >= fault.count) return false;
		if (fault.method && fault.method !== request.method) return false;
		if (!pathMatcher(fault.path)(request.path)) return false;
		if (fault.bodyContains && !request.text.includes(fault.bodyContains)) return false;
		active.seen += 1;
		if (active.seen <= fault.skip) return false;
		if (fault.probability < 1 && this.random.fraction() >= fault.probability) return false;
		active.hits += 1;
		return true;
	}
}
