import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { map } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { clearRows, useDeduplicator } from '../core/deduplicator';
import { execute, failureOr, type Execution } from '../core/execute';

/** A private key and its certificate as PEM. */
interface Certificate {
	key: string;
	cert: string;
}

/** Of TLS, in which a client could send before it has verified. */
const minVersion = 'TLSv1.3';

/** A request as it arrived, and its connection. */
export interface Arrival {
	/** Request line, headers and body. */
	text: string;
	socket: Socket;
	/** The connection below TLS. */
	raw: Socket;
}

/** A send whose success has an id. */
export const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '447700900210',
	templateName: 'order_update',
};

/** The response of the service to `template`. */
export const accepted = {
	...{ success: true, message: 'Template message sent', providerMessageId: 'm1' },
	...{ cost: 1, remainingBalance: 9 },
};

/** Stands in for the service below HTTP, where responses break in ways that no server makes. */
export class StandIn {
	/** Requests whose body was complete. */
	readonly arrivals: string[] = [];
	/** Connections that are open. */
	readonly connections = new Set<Socket>();
	readonly credential = { baseUrl: '', apiKey: 'key of the stand-in' };
	/** Called with each request; the connection stays open unless this ends it. */
	respond: (arrival: Arrival) => unknown = ({ socket }) => socket.end();
	/** Whether a whole request has arrived. */
	isComplete = isWholeRequest;
	private readonly server = net.createServer((raw) => this.accept(raw));
	private secure?: Certificate;

	/**
	 * Starts it on a free port of this machine.
	 * @param secure key and certificate, for TLS
	 */
	async start(secure?: Certificate): Promise<this> {
		this.secure = secure;
		await once(this.server.listen(0, '127.0.0.1'), 'listening');
		const { port } = this.server.address() as AddressInfo;
		this.credential.baseUrl = `${secure ? 'https' : 'http'}://127.0.0.1:${port}/api/v1`;
		return this;
	}

	async close(): Promise<void> {
		for (const socket of this.connections) socket.destroy();
		await once(this.server.close(), 'close');
	}

	private accept(raw: Socket): void {
		const { secure } = this;
		const socket = secure ? new tls.TLSSocket(raw, { isServer: true, minVersion, ...secure }) : raw;
		this.connections.add(raw);
		raw.on('close', () => this.connections.delete(raw));
		for (const one of [raw, socket]) one.on('error', () => {});
		let text = '';
		socket.on('data', (chunk) => {
			text += chunk.toString('latin1');
			if (!this.isComplete(text)) return;
			this.arrivals.push(text);
			this.respond({ text, socket, raw });
			text = '';
		});
	}

	/** Runs the node with a timeout and returns the outcome of its item: `accepted`, or that of its failure. */
	async run(
		parameters: INodeParameters = template,
		{ timeout = 5_000, ...rest }: { timeout?: number } & Partial<Execution> = {},
	): Promise<{ outcome: string; message: string; description: string; json: IDataObject }> {
		const all = { options: { timeout }, ...parameters };
		const execution = execute({ credential: this.credential, parameters: all, ...rest });
		const result = await failureOr(execution);
		const none = { outcome: 'accepted', message: '', description: '' };
		if (!(result instanceof Error)) return { ...none, json: result[0]?.json ?? {} };
		const { message, description = '', context } = result;
		const { data: json = {} } = context ?? {};
		return { outcome: String(json.outcome), message, description, json };
	}
}

/** A stand-in for the tests of a file, with nothing arrived at the beginning of each. */
export function useStandIn(secure?: Promise<Certificate>): StandIn {
	const standIn = new StandIn();
	beforeAll(async () => {
		await useDeduplicator();
		await standIn.start(await secure);
	});
	beforeEach(() => {
		clearRows();
		standIn.arrivals.length = 0;
	});
	afterAll(async () => await standIn.close());
	return standIn;
}

/** The bytes of a response with its length; the body is bytes, a text, or anything else as JSON. */
export function response(
	body: unknown,
	{ status = '200 OK', headers = {} }: { status?: string; headers?: Record<string, string> } = {},
): Buffer {
	const isText = typeof body === 'string' || Buffer.isBuffer(body);
	const bytes = Buffer.from(isText ? body : JSON.stringify(body));
	const all = { 'Content-Length': bytes.length, ...headers };
	const lines = map(all, (value, name) => `${name}: ${value}\r\n`);
	return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), bytes]);
}

/** Whether a request has arrived to its announced end. */
function isWholeRequest(text: string): boolean {
	const head = text.indexOf('\r\n\r\n');
	const length = /^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? '0';
	return head !== -1 && text.length >= head + 4 + Number(length);
}

/** A record of TLS 1.2 and later. */
export const tlsRecord = (type: number, bytes: Buffer): Buffer =>
	Buffer.concat([Buffer.from([type, 3, 3, bytes.length >> 8, bytes.length & 255]), bytes]);
