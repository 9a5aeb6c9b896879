import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_ROOT } from '../documented';
import { applyFault, cut, preventsProcessing } from '../faults/apply';
import type { RequestEntry } from '../journal';
import { authenticate, authorize, redactedHeaders } from '../keys';
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
	return path.startsWith(`${API_ROOT}/`) ? path.slice(API_ROOT.length) : path;
}

/** Puts a request into the journal and the counters as soon as its head has arrived. */
export function track(service: Service, request: FastifyRequest, reply: FastifyReply): void {
	const { headers, method, url, is404, routeOptions } = request;
	const length = headers['content-length'];
	const entry = service.journal.request({
		at: service.clock.now(),
		method,
		path: servicePath(url),
		url,
		query: { ...(request.query as Record<string, unknown>) },
		headers: redactedHeaders(headers, service.state.keys),
		contentType: headers['content-type'] ?? null,
		contentLength: length === undefined ? null : Number(length),
		body: null,
		status: null,
		processed: false,
		fault: null,
	});
	request.entry = entry;
	const counted = is404 ? entry.path : servicePath(routeOptions.url ?? url);
	service.traffic.begin(request.raw.socket, reply.raw, () => {
		if (!reply.raw.writableFinished) entry.status = null;
		return `${method} ${counted} ${entry.status ?? 'cut'}`;
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
	if (!entry) return send(reply, errorResponse(404, notFound(request)));
	if (body instanceof TextBody) service.journal.describe(entry, () => body.shown());
	const text = body instanceof TextBody ? body.text : '';
	const fault = service.faults.match({ method: entry.method, path: entry.path, text });
	entry.fault = fault ? (fault.name ?? fault.kind) : null;
	if (fault && fault.latencyMs > 0) await sleep(fault.latencyMs, undefined, { ref: false });
	// A request from before a reset must not act on what came after it.
	if (service.state !== state) return cut(reply);
	if (preventsProcessing(fault)) {
		await drain(request);
		note(reply, applyFault(fault, reply, service.faults));
		return;
	}
	const response = await process(service, request, endpoint);
	entry.processed = response.status < 300;
	await drain(request);
	if (fault && fault.kind !== 'latency') {
		note(reply, applyFault(fault, reply, service.faults, response));
		return;
	}
	send(reply, response);
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

function notFound({ method, url }: FastifyRequest): string {
	return `Not found: ${method} ${url}`;
}

async function process(
	service: Service,
	request: FastifyRequest,
	endpoint: Endpoint | null,
): Promise<ServiceResponse> {
	try {
		if (!endpoint) throw new ServiceError(404, notFound(request));
		const key = authenticate(request.headers, service.state.keys, service.clock.now());
		const { scope } = endpoint;
		authorize(key, typeof scope === 'function' ? scope(service.assumptions) : scope);
		return await endpoint.handle(new Context(service, request));
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return { status: error.status, body: { ...error.fields, error: error.message } };
	}
}

/** Reads what is left of a form: a caller that is still sending might miss the response. */
async function drain(request: FastifyRequest): Promise<void> {
	const { raw } = request;
	if (!request.isMultipart() || raw.readableEnded || raw.destroyed) return;
	raw.resume();
	await finished(raw, { writable: false }).catch(() => undefined);
}
