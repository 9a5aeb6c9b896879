import type { FastifyReply } from 'fastify';
import type { Answer } from '../http/answer';
import type { Fault } from './fault';
import type { Faults } from './faults';

const PAGE =
	'<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Hello.</body></html>\n';

/** A fault that changes the answer, not only its time. */
export type BadAnswer = Exclude<Fault, { kind: 'latency' }>;

/** Whether a fault keeps the service from acting on the request. */
export function preventsProcessing(fault: Fault | undefined): fault is BadAnswer {
	return fault !== undefined && 'when' in fault && fault.when === 'before';
}

/** Closes the connection without an answer. */
export function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/**
 * Answers as the fault wants it. `answer` is what the service would have said, if it has acted.
 * Gives the status that the caller gets, null when it gets no whole answer.
 */
export function misbehave(
	fault: BadAnswer,
	reply: FastifyReply,
	faults: Faults,
	answer?: Answer,
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
			const whole = Buffer.from(JSON.stringify(answer?.body ?? {}));
			reply.raw.writeHead(answer?.status ?? 200, {
				'content-type': 'application/json; charset=utf-8',
				'content-length': whole.length,
			});
			const half = whole.subarray(0, Math.floor(whole.length / 2));
			reply.raw.write(half, () => reply.raw.destroy());
			return null;
		}
	}
}
