import type { FastifyReply } from 'fastify';
import type { ServiceResponse } from '../http/endpoint';
import { addCalls, addMessages } from '../seeding';
import type { Service } from '../service';
import type { Fault, Faults } from './faults';

const PAGE =
	'<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Hello.</body></html>\n';

/** A fault that changes the response, not only its time. */
export type FaultyResponse = Exclude<Fault, { kind: 'latency' | 'grow' }>;

export function changesResponse(fault: Fault | undefined): fault is FaultyResponse {
	return fault !== undefined && fault.kind !== 'latency' && fault.kind !== 'grow';
}

/** Adds the records of a fault after the page that it hit. */
export function grow(
	service: Service,
	{ messages, calls }: Extract<Fault, { kind: 'grow' }>,
): void {
	if (messages) addMessages(service, messages);
	if (calls) addCalls(service, calls);
}

/** Whether a fault keeps the service from acting on the request. */
export function preventsProcessing(fault: Fault | undefined): fault is FaultyResponse {
	return fault !== undefined && 'when' in fault && fault.when === 'before';
}

/** Closes the connection without a response. */
export function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/**
 * Responds as the fault wants it. `response` is the service's own, if it has acted.
 * Gives the status that the caller gets, null when it gets no whole response.
 */
export function applyFault(
	fault: FaultyResponse,
	reply: FastifyReply,
	faults: Faults,
	response?: ServiceResponse,
): number | null {
	switch (fault.kind) {
		case 'status': {
			const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {});
			const plain = typeof fault.body === 'string' ? 'text/plain' : 'application/json';
			void reply
				.code(fault.status)
				.headers(fault.headers ?? {})
				.header('content-type', fault.contentType ?? plain)
				.send(text);
			return fault.status;
		}
		case 'html':
			void reply.code(fault.status).header('content-type', 'text/html; charset=utf-8').send(PAGE);
			return fault.status;
		case 'redirect':
			void reply.code(fault.status).header('location', fault.location).send('');
			return fault.status;
		case 'cut':
			cut(reply);
			return null;
		case 'silence':
			reply.hijack();
			faults.hold(reply.request.raw.socket);
			return null;
		case 'halfResponse': {
			reply.hijack();
			const whole = Buffer.from(JSON.stringify(response?.body ?? {}));
			reply.raw.writeHead(response?.status ?? 200, {
				'content-type': 'application/json; charset=utf-8',
				'content-length': whole.length,
			});
			const half = whole.subarray(0, Math.floor(whole.length / 2));
			reply.raw.write(half, () => reply.raw.destroy());
			return null;
		}
	}
}
