import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TEXTS } from '../choices';
import { cut, misbehave, preventsProcessing } from '../faults/misbehave';
import type { World } from '../world';
import type { Answer } from './answer';
import { authenticate, authorize } from './auth';
import { TextBody } from './body';
import { Context } from './context';
import type { Endpoint } from './endpoint';
import { ServiceError } from './serviceError';

/** Takes a request through faults, authentication, endpoint and answer. */
export async function serve(
	world: World,
	request: FastifyRequest,
	reply: FastifyReply,
	endpoint: Endpoint | null,
): Promise<void> {
	const { entry, body } = request;
	const { state } = world;
	if (!entry) return;
	if (body instanceof TextBody) world.journal.describe(entry, () => body.shown());
	const text = body instanceof TextBody ? body.text : '';
	const fault = world.faults.match({ method: entry.method, path: entry.path, text });
	entry.fault = fault ? (fault.name ?? fault.kind) : null;
	if (fault && fault.latencyMs > 0) await sleep(fault.latencyMs, undefined, { ref: false });
	// A request from before a reset must not act on what came after it.
	if (world.state !== state) return cut(reply);
	if (preventsProcessing(fault)) {
		await drain(request);
		note(reply, misbehave(fault, reply, world.faults));
		return;
	}
	const answer = await process(world, request, endpoint);
	entry.processed = answer.status < 300;
	await drain(request);
	if (fault && fault.kind !== 'latency') {
		note(reply, misbehave(fault, reply, world.faults, answer));
		return;
	}
	send(reply, answer);
}

/** Sends an answer and notes its status. */
export function send(reply: FastifyReply, { status, body }: Answer): void {
	note(reply, status);
	void reply.code(status).send(body);
}

/** A caller that has gone gets no answer, whatever was meant for it. */
function note(reply: FastifyReply, status: number | null): void {
	const { entry } = reply.request;
	if (entry) entry.status = reply.raw.destroyed ? null : status;
}

/** The single-field error body of docs/service.md, section 7.1. */
export function errorAnswer(status: number, error: string): Answer {
	return { status, body: { error } };
}

async function process(
	world: World,
	request: FastifyRequest,
	endpoint: Endpoint | null,
): Promise<Answer> {
	try {
		if (!endpoint) throw new ServiceError(404, TEXTS.notFound(request.method, request.url));
		const key = authenticate(request.headers, world.state.keys, world.clock.now());
		authorize(key, endpoint.scope(world.variants));
		return await endpoint.handle(new Context(world, request));
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return { status: error.status, body: { ...error.fields, error: error.message } };
	}
}

/** Reads what is left of a form: a caller that is still sending might miss the answer. */
async function drain(request: FastifyRequest): Promise<void> {
	const { raw } = request;
	if (!request.isMultipart() || raw.readableEnded || raw.destroyed) return;
	raw.resume();
	await finished(raw, { writable: false }).catch(() => undefined);
}
