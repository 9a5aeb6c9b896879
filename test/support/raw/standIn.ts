import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { map } from 'lodash';
import { clearRows, useDeduplicator } from '../core/deduplicator';

/** A private key and its certificate as PEM. */
export interface Certificate {
	key: string;
	cert: string;
}

/** Of TLS, in which a client could send before it has verified. */
const minVersion = 'TLSv1.3';

/** A request as it arrived, and the connection to do with as one likes. */
export interface Arrival {
	/** Request line, headers and body. */
	text: string;
	socket: Socket;
	/** The connection below TLS. */
	raw: Socket;
}

/** What a stand-in does about a request; the connection stays open unless it ends it. */
export type Answering = (arrival: Arrival) => unknown;

/** Stands in for the service below HTTP, where answers go wrong in ways that no server makes. */
export interface StandIn {
	/** Requests whose body was complete. */
	arrivals: string[];
	/** Connections that are open. */
	connections: Set<Socket>;
	credential: { baseUrl: string; apiKey: string };
	answer: Answering;
	/** Whether what has arrived is a whole request. */
	isComplete(text: string): boolean;
	close(): Promise<void>;
}

/**
 * Starts a stand-in on a free port of this machine.
 *
 * @param secure key and certificate, for TLS
 */
export async function startStandIn(secure?: Certificate): Promise<StandIn> {
	const server = net.createServer();
	const standIn: StandIn = {
		arrivals: [],
		connections: new Set(),
		credential: { baseUrl: '', apiKey: 'key of the stand-in' },
		answer: ({ socket }) => socket.end(),
		isComplete: isWholeRequest,
		close: async () => {
			for (const socket of standIn.connections) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	server.on('connection', (raw) => {
		const socket = secure ? new tls.TLSSocket(raw, { isServer: true, minVersion, ...secure }) : raw;
		standIn.connections.add(raw);
		raw.on('close', () => standIn.connections.delete(raw));
		raw.on('error', () => {});
		socket.on('error', () => {});
		let text = '';
		socket.on('data', (chunk) => {
			text += chunk.toString('latin1');
			if (!standIn.isComplete(text)) return;
			standIn.arrivals.push(text);
			standIn.answer({ text, socket, raw });
			text = '';
		});
	});
	server.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as AddressInfo;
	const scheme = secure ? 'https' : 'http';
	standIn.credential.baseUrl = `${scheme}://127.0.0.1:${port}/api/v1`;
	return standIn;
}

/** Starts a stand-in for the tests of a file, with nothing arrived at the beginning of each. */
export function useStandIn(secure?: Promise<Certificate>): () => StandIn {
	let standIn: StandIn;
	beforeAll(async () => {
		await useDeduplicator();
		standIn = await startStandIn(await secure);
	});
	beforeEach(() => {
		clearRows();
		standIn.arrivals.length = 0;
	});
	afterAll(async () => await standIn.close());
	return () => standIn;
}

/** The bytes of a response with its length; the body is bytes, a text, or anything else as JSON. */
export function response(
	body: unknown,
	{ status = '200 OK', headers = {} }: { status?: string; headers?: Record<string, string> } = {},
): Buffer {
	const isText = typeof body === 'string' || Buffer.isBuffer(body);
	const bytes = Buffer.from(isText ? body : JSON.stringify(body));
	const lines = map({ 'Content-Length': bytes.length, ...headers }, (value, name) => {
		return `${name}: ${value}\r\n`;
	});
	return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), bytes]);
}

/** Whether a request is there to its announced end. */
function isWholeRequest(text: string): boolean {
	const head = text.indexOf('\r\n\r\n');
	if (head === -1) return false;
	const length = /^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? '0';
	return text.length >= head + 4 + Number(length);
}

/** A record of TLS 1.2 and later. */
export const tlsRecord = (type: number, bytes: Buffer): Buffer =>
	Buffer.concat([Buffer.from([type, 3, 3, bytes.length >> 8, bytes.length & 255]), bytes]);
