import { STATUS_CODES } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { ServiceResponse } from '../http/endpoint';

/** A response as it goes over the wire. */
export interface WireResponse {
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
export function wireResponse(content: Content, own?: ServiceResponse): WireResponse {
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
export function writeHead({ status, headers }: WireResponse): Buffer {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
	return Buffer.from([first, ...lines, '', ''].join('\r\n'));
}
