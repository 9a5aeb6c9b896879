import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import { isArray } from 'lodash';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { controlRoot } from '../control/client';
import { written } from '../dialect';
import { apiRoot } from '../documented';
import type { Fault } from '../faults';
import type { RequestEntry } from '../journal';
import { authorize } from '../keys';
import type { Service } from '../service';
import type { Endpoint } from './endpoint';
import { ServiceError } from './error';
import { Context, TextBody } from './request';

declare module 'fastify' {
	interface FastifyRequest {
		/** The journal's entry of a request to the service; null for control. */
		entry: RequestEntry | null;
		/** The fault that changes the response. */
		fault: Extract<Fault, { when: string }> | null;
	}
}

/** Serves endpoints: each request goes through the journal, faults, authentication and its endpoint. */
export function serve(
	app: FastifyInstance,
	service: Service,
	endpoints: readonly Endpoint[],
): void {
	app.removeAllContentTypeParsers();
	// Every body is accepted, so that authentication comes first.
	for (const type of ['application/json', '*']) {
		app.addContentTypeParser(type, { parseAs: 'string' }, (_request, text, done) =>
			done(null, new TextBody(String(text), type !== '*')),
		);
	}
	app.decorateRequest('entry', null);
	app.decorateRequest('fault', null);

	app.addHook('onRequest', async (request, reply) => {
		if (request.url.startsWith(controlRoot)) return;
		request.entry = entryOf(request);
		service.journal.request(request.entry, request.raw.socket);
		// Node.js adds no other `Date`.
		reply.raw.sendDate = service.assumptions.clock !== 'unknown';
		if (reply.raw.sendDate) reply.header('date', new Date(service.now()).toUTCString());
	});

	app.addHook('preHandler', async (request, reply) => {
		const { entry, body } = request;
		if (!entry) return;
		const { state } = service;
		const sent = body instanceof TextBody ? body : undefined;
		if (sent) service.journal.describe(entry, sent.shown());
		const fault = service.faults.match(entry, sent?.text ?? '');
		if (!fault) return;
		entry.fault = fault.name ?? fault.kind;
		if (fault.latencyMs > 0) await sleep(fault.latencyMs, undefined, { ref: false });
		// A request from before a reset must not act on the state after it.
		if (service.state !== state) return void reply.hijack().raw.destroy();
		if (!('when' in fault)) return;
		request.fault = fault;
		if (fault.when === 'after') return;
		await drain(request);
		// `onSend` writes the response of the fault.
		if (fault.kind === 'status') return reply.send('');
		reply.hijack();
		if (fault.kind === 'cut') reply.raw.destroy();
	});

	app.addHook('onSend', async (request, reply, payload) => {
		await drain(request);
		const { fault } = request;
		if (fault?.kind === 'cut') reply.raw.destroy();
		if (fault?.kind === 'silence') return await new Promise(() => {});
		if (fault?.kind !== 'status') return payload;
		const { status, body = {}, headers } = fault;
		const [type, text] =
			typeof body === 'string' ? ['text/plain', body] : ['application/json', JSON.stringify(body)];
		reply.code(status).type(`${type}; charset=utf-8`).headers(headers);
		return text;
	});

	// Without a complete response, there is no status.
	app.addHook('onResponse', async ({ entry }, reply) => {
		if (entry) entry.status = reply.statusCode;
	});

	for (const endpoint of endpoints) {
		const { method, path, scope, openScope, status = 200 } = endpoint;
		app.route({
			method,
			url: `${apiRoot}${path}`,
			handler: async (request, reply) => {
				const { assumptions } = service;
				const needed = scope ?? (assumptions.chatScopes === 'checked' ? openScope : null);
				authorize(request.headers, service.state.keys, needed ?? null);
				const body = await endpoint.handle(new Context(service, request));
				if (request.entry) request.entry.processed = true;
				if (assumptions.eventOrder === 'beforeResponse') await service.deliveries.sent();
				if (body === undefined) return await reply.code(204).send();
				const success = assumptions.successField === 'present';
				const shown = {
					...(success && { success }),
					...body,
					...(assumptions.fields === 'nulls' && { error: null }),
				};
				return await reply.code(status).send(written(isArray(body) ? body : shown, assumptions));
			},
		});
	}
	app.setNotFoundHandler(({ method, originalUrl }) => {
		throw new ServiceError(404, `Not found: ${method} ${originalUrl}`);
	});
	// The body of an error has a single field (docs/service.md, section 7.1).
	app.setErrorHandler<FastifyError>((error, _request, reply) => {
		const { statusCode = 500, message } = error;
		if (error instanceof ServiceError) {
			// docs/service.md, section 10.40
			const isOk = service.assumptions.failures === 'success' && [400, 402].includes(statusCode);
			const body = isOk ? { success: false, error: message } : { error: message };
			return reply.code(isOk ? 200 : statusCode).send(body);
		}
		// The documented statuses have no 413 or 415 (docs/service.md, section 7.3).
		const text = statusCode === 413 ? 'Request body is too large' : message;
		return reply.code(statusCode < 500 ? 400 : 500).send({ error: text });
	});
}

function entryOf({ method, originalUrl: url }: FastifyRequest): RequestEntry {
	const [path = url] = url.split('?', 1);
	return {
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
}

/** Reads the rest of a form: a caller that is still sending might miss the response. */
async function drain(request: FastifyRequest): Promise<void> {
	const { raw } = request;
	if (!request.isMultipart() || raw.readableEnded || raw.destroyed) return;
	raw.resume();
	await finished(raw, { writable: false }).catch(() => undefined);
}
