import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { ServiceResponse } from '../http/endpoint';
import { moveCall, moveMessage } from '../lifecycle';
import { addCalls, addMessages } from '../seeding';
import type { Service } from '../service';
import type { Fault, FaultOf } from './kinds';

const page =
	'<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Hello.</body></html>\n';

/** Shortest pause between two pieces of a slow body in milliseconds. */
const shortestPause = 50;

/** A fault that changes the response, not only its time. */
export type FaultyResponse = Exclude<Fault, { kind: 'latency' | 'grow' | 'late' }>;

export function changesResponse(fault: Fault | undefined): fault is FaultyResponse {
	return fault !== undefined && !['latency', 'grow', 'late'].includes(fault.kind);
}

/** Whether a fault keeps the service from acting on the request. */
export function preventsProcessing(fault: Fault | undefined): fault is FaultyResponse {
	return changesResponse(fault) && 'when' in fault && fault.when === 'before';
}

/** Adds the records of a fault after the page that it hit, and gives others another status. */
export function grow(
	service: Service,
	{ messages, calls, messageStatuses, callStatuses }: FaultOf<'grow'>,
): void {
	if (messages) addMessages(service, messages);
	if (calls) addCalls(service, calls);
	for (const environment of service.state.environments) {
		for (const message of environment.messages.all()) {
			const status = messageStatuses[message.id];
			if (status) moveMessage(service, message, status);
		}
		for (const call of environment.calls.all()) {
			const status = callStatuses[call.callId];
			if (status) moveCall(service, call, status);
		}
	}
}

/** Closes the connection without a response. */
export function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/** Waits until the caller has gone. */
export async function callerGone({ raw, request }: FastifyReply, { faults }: Service) {
	faults.hold(request.raw.socket);
	if (!raw.destroyed) await once(raw, 'close');
}

/** How a fault goes about a response. */
interface Attempt {
	reply: FastifyReply;
	service: Service;
	/** The service's own response, if it has acted. */
	own: ServiceResponse | undefined;
	/** Notes the status that the caller is about to get; null when it gets no whole response. */
	note: (status: number | null) => void;
}

/** Responds as the fault wants it. */
export async function applyFault(fault: FaultyResponse, attempt: Attempt): Promise<void> {
	const { reply, service, own, note } = attempt;
	const { socket } = reply.request.raw;
	reply.hijack();
	switch (fault.kind) {
		case 'status':
			return end(attempt, wireResponse(fault));
		case 'html':
			return end(
				attempt,
				wireResponse({ ...fault, body: page, contentType: 'text/html; charset=utf-8' }),
			);
		case 'redirect': {
			const { status, location } = fault;
			return end(attempt, wireResponse({ status, body: '', headers: { location } }));
		}
		case 'trickle':
			return await trickle(fault, attempt);
		case 'chunked':
			return await sendChunks(fault, attempt);
		case 'twice': {
			const response = wireResponse(fault, own);
			end(attempt, response);
			await once(reply.raw, 'close');
			socket.write(Buffer.concat([writeHead(response), response.body]));
			return;
		}
		case 'cut':
			note(null);
			if (fault.atByte === undefined) reply.raw.destroy();
			else cutAt(attempt, wireResponse(fault, own), fault.atByte, fault.within);
			return;
		case 'halfResponse': {
			note(null);
			const response = wireResponse({}, own);
			cutAt(attempt, response, Math.floor(response.body.length / 2), 'body');
			return;
		}
		case 'silence':
			note(null);
			service.faults.hold(socket);
			return;
		case 'switchingProtocols':
			note(101);
			socket.write(
				'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: none\r\n\r\n',
			);
			service.faults.hold(socket);
			return;
		case 'raw':
			note(null);
			socket.write(Buffer.from(fault.base64 ?? fault.text, fault.base64 ? 'base64' : 'utf8'));
			if (fault.close) socket.end();
			else service.faults.hold(socket);
	}
}

function end({ reply, note }: Attempt, { status, headers, body }: WireResponse): void {
	note(status);
	reply.raw.writeHead(status, headers).end(body);
}

function cutAt(
	{ reply }: Attempt,
	response: WireResponse,
	atByte: number,
	within: 'body' | 'response',
): void {
	const { socket } = reply.request.raw;
	const head = writeHead(response);
	const length = within === 'body' ? head.length + atByte : atByte;
	const part = Buffer.concat([head, response.body]).subarray(0, length);
	socket.write(part, () => socket.destroy());
}

/** Sends a body piece by piece, so slowly that a caller may lose its patience. */
async function trickle(fault: FaultOf<'trickle'>, { reply, note, own }: Attempt): Promise<void> {
	const { status, headers, body } = wireResponse(fault, own);
	const { raw } = reply;
	const pause = Math.max(shortestPause, 1_000 / fault.bytesPerSecond);
	const size = Math.round((fault.bytesPerSecond * pause) / 1_000);
	raw.writeHead(status, headers).flushHeaders();
	for (let at = 0; at < body.length && !raw.destroyed; at += size) {
		await sleep(pause, undefined, { ref: false });
		raw.write(body.subarray(at, at + size));
	}
	note(status);
	raw.end();
}

async function sendChunks(fault: FaultOf<'chunked'>, { reply, note, own }: Attempt): Promise<void> {
	const { status, headers, body } = wireResponse(fault, own);
	const withoutLength = { ...headers, 'transfer-encoding': 'chunked' };
	delete (withoutLength as Record<string, string>)['content-length'];
	const { raw } = reply;
	raw.writeHead(status, withoutLength).flushHeaders();
	let size = 0;
	for (let at = 0, turn = 0; at < body.length && !raw.destroyed; at += size, turn++) {
		size = fault.sizes[turn] ?? size;
		// Each chunk is written by itself, for the caller to see it by itself.
		await new Promise((resolve) => raw.write(body.subarray(at, at + size), resolve));
		await sleep(fault.everyMs, undefined, { ref: false });
	}
	note(status);
	raw.end();
}

/** A response as it goes over the wire. */
interface WireResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

/** What a fault wants of a response. */
interface Content {
	status?: number | undefined;
	body?: unknown;
	bodyBase64?: string | undefined;
	fill?: number | undefined;
	contentType?: string | undefined;
	encoding?: 'gzip' | 'deflate' | 'br' | undefined;
	headers?: Record<string, string> | undefined;
}

const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

function bytesOf(content: Content, own: unknown): Buffer {
	if (content.bodyBase64 !== undefined) return Buffer.from(content.bodyBase64, 'base64');
	if (content.fill !== undefined) return Buffer.alloc(content.fill, 'x');
	const body = content.body ?? own;
	return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The response that a fault wants; the service's own for all that it does not name. */
function wireResponse(content: Content, own?: ServiceResponse): WireResponse {
	const plain = bytesOf(content, own ? (own.body ?? '') : {});
	const { encoding, headers = {} } = content;
	const body = encoding ? compress[encoding](plain) : plain;
	const isText = typeof content.body === 'string' || content.fill !== undefined;
	const type = content.contentType ?? (isText ? 'text/plain' : 'application/json; charset=utf-8');
	return {
		status: content.status ?? own?.status ?? 200,
		headers: {
			'content-type': type,
			'content-length': String(body.length),
			...(encoding ? { 'content-encoding': encoding } : {}),
			...Object.fromEntries(
				Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
			),
		},
		body,
	};
}

/** Status line and headers, written by hand. */
function writeHead({ status, headers }: WireResponse): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
	return Buffer.from([first, ...lines, '', ''].join('\r\n'));
}
