import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiRoot } from '../documented';
import type { Fault } from '../faults';
import type { RequestEntry } from '../journal';
import { authorize } from '../keys';
import type { Service } from '../service';
import { ServiceError, type Endpoint } from './endpoint';
import { Context, TextBody } from './request';

declare module 'fastify' {
	interface FastifyRequest {
		/** The journal's entry of a request to the service; null for control. */
		entry: RequestEntry | null;
	}
}

/** Puts a request into the journal as soon as its head has arrived. */
export function track(service: Service, request: FastifyRequest, reply: FastifyReply): void {
	const { method, originalUrl: url } = request;
	const [path = url] = url.split('?', 1);
	const entry: RequestEntry = {
		kind: 'request',
		at: Date.now(),
		method,
		path: path.startsWith(`${apiRoot}/`) ? path.slice(apiRoot.length) : path,
		url,
		body: null,
		status: null,
		processed: false,
		fault: null,
	};
	service.journal.request(entry, request.raw.socket);
	request.entry = entry;
	reply.raw.once('close', () => {
		if (!reply.raw.writableFinished) entry.status = null;
	});
}

/** Takes a request through faults, authentication, endpoint and response. */
export async function serve(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	endpoint: Endpoint | null,
): Promise<void> {
	const { entry, body } = request;
	const { state } = service;
	if (!entry) return sendError(reply, 404, notFound(request));
	if (body instanceof TextBody) service.journal.describe(entry, body.shown());
	const fault = service.faults.match(entry, body instanceof TextBody ? body.text : '');
	entry.fault = fault ? (fault.name ?? fault.kind) : null;
	if (fault && fault.latencyMs > 0) await sleep(fault.latencyMs, undefined, { ref: false });
	// A request from before a reset must not act on what came after it.
	if (service.state !== state) return cut(reply);
	const striking = fault && 'when' in fault ? fault : undefined;
	if (striking?.when === 'before') return await strike(striking, reply);
	const response = await process(service, request, endpoint);
	entry.processed = response.status < 300;
	if (striking) return await strike(striking, reply);
	await drain(request);
	send(reply, response.status, response.body);
}

/** Responds with a fault. */
async function strike(fault: Extract<Fault, { when: string }>, reply: FastifyReply): Promise<void> {
	await drain(reply.request);
	if (fault.kind === 'cut') return cut(reply);
	if (fault.kind === 'silence') return void reply.hijack();
	const { status, body = {}, headers } = fault;
	if (typeof body !== 'string') reply.type('application/json; charset=utf-8');
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	send(reply.headers(headers), status, text);
}

/** Closes the connection without a response. */
function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/** Sends a response and adds its status to the journal, unless the caller has gone. */
function send(reply: FastifyReply, status: number, body: unknown): void {
	const { entry } = reply.request;
	if (entry) entry.status = reply.raw.destroyed ? null : status;
	void reply.code(status).send(body);
}

/** Sends the single-field error body (docs/service.md, section 7.1). */
export function sendError(reply: FastifyReply, status: number, error: string): void {
	send(reply, status, { error });
}

function notFound({ method, originalUrl }: FastifyRequest): string {
	return `Not found: ${method} ${originalUrl}`;
}

async function process(
	service: Service,
	request: FastifyRequest,
	endpoint: Endpoint | null,
): Promise<{ status: number; body: object }> {
	try {
		if (!endpoint) throw new ServiceError(404, notFound(request));
		authorize(request.headers, service, endpoint.scope);
		const body = await endpoint.handle(new Context(service, request));
		return { status: endpoint.status ?? 200, body };
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return { status: error.status, body: { error: error.message } };
	}
}

/** Reads what is left of a form: a caller that is still sending might miss the response. */
async function drain(request: FastifyRequest): Promise<void> {
	const { raw } = request;
	if (!request.isMultipart() || raw.readableEnded || raw.destroyed) return;
	raw.resume();
	await finished(raw, { writable: false }).catch(() => undefined);
}
