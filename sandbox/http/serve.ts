import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiRoot } from '../documented';
import type { Fault, FaultOf } from '../faults/kinds';
import type { RequestEntry } from '../journal';
import { authenticate, authorize } from '../keys';
import type { Service } from '../service';
import { ServiceError, errorResponse, type Endpoint, type ServiceResponse } from './endpoint';
import { Context, TextBody } from './request';

declare module 'fastify' {
	interface FastifyRequest {
		/** The journal's entry of a request to the service; null for control. */
		entry: RequestEntry | null;
	}
}

/** The path below the service root, without the query; the whole path of a request elsewhere. */
function servicePath(url: string): string {
	const path = url.split('?', 1)[0] ?? url;
	return path.startsWith(`${apiRoot}/`) ? path.slice(apiRoot.length) : path;
}

/** Puts a request into the journal and the counters as soon as its head has arrived. */
export function track(service: Service, request: FastifyRequest, reply: FastifyReply): void {
	const { headers, method, originalUrl: url } = request;
	const length = headers['content-length'];
	const entry = service.journal.request({
		at: Date.now(),
		method,
		path: servicePath(url),
		url,
		contentLength: length === undefined ? null : Number(length),
		body: null,
		status: null,
		processed: false,
		fault: null,
	});
	request.entry = entry;
	reply.raw.once('close', () => {
		if (!reply.raw.writableFinished) entry.status = null;
	});
	service.traffic.count(request.raw.socket);
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
	if (!entry) return send(reply, errorResponse(404, notFound(request)));
	if (body instanceof TextBody) service.journal.describe(entry, body.shown());
	const text = body instanceof TextBody ? body.text : '';
	const fault = service.faults.match({ method: entry.method, path: entry.path, text });
	entry.fault = fault ? (fault.name ?? fault.kind) : null;
	if (fault && fault.latencyMs > 0) await sleep(fault.latencyMs, undefined, { ref: false });
	// A request from before a reset must not act on what came after it.
	if (service.state !== state) return cut(reply);
	if (isStriking(fault) && fault.when === 'before') return await strike(fault, service, reply);
	const response = await process(service, request, endpoint);
	entry.processed = response.status < 300;
	if (isStriking(fault)) return await strike(fault, service, reply);
	await drain(request);
	send(reply, response);
}

/** A fault that takes the response's place. */
type Striking = FaultOf<'status' | 'cut' | 'silence'>;

const isStriking = (fault: Fault | undefined): fault is Striking =>
	fault !== undefined && 'when' in fault;

async function strike(fault: Striking, { faults }: Service, reply: FastifyReply): Promise<void> {
	await drain(reply.request);
	if (fault.kind === 'status') {
		const { status, body = {}, headers } = fault;
		if (typeof body !== 'string') reply.type('application/json; charset=utf-8');
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		return send(reply.headers(headers), { status, body: text });
	}
	note(reply, null);
	if (fault.kind === 'cut') return cut(reply);
	reply.hijack();
	faults.hold(reply.request.raw.socket);
}

/** Closes the connection without a response. */
function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/** Sends a response and notes its status. */
export function send(reply: FastifyReply, { status, body }: ServiceResponse): void {
	note(reply, status);
	void reply.code(status).send(body);
}

/** A caller that has gone gets no response, whatever was meant for it. */
function note(reply: FastifyReply, status: number | null): void {
	const { entry } = reply.request;
	if (entry) entry.status = reply.raw.destroyed ? null : status;
}

function notFound({ method, originalUrl }: FastifyRequest): string {
	return `Not found: ${method} ${originalUrl}`;
}

async function process(
	service: Service,
	request: FastifyRequest,
	endpoint: Endpoint | null,
): Promise<ServiceResponse> {
	try {
		if (!endpoint) throw new ServiceError(404, notFound(request));
		authorize(authenticate(request.headers, service), endpoint.scope);
		return await endpoint.handle(new Context(service, request));
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return errorResponse(error.status, error.message);
	}
}

/** Reads what is left of a form: a caller that is still sending might miss the response. */
async function drain(request: FastifyRequest): Promise<void> {
	const { raw } = request;
	if (!request.isMultipart() || raw.readableEnded || raw.destroyed) return;
	raw.resume();
	await finished(raw, { writable: false }).catch(() => undefined);
}
