import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopback } from '../../../harness/ports';

/**
 * Spreads requests over several addresses in turn, as a load balancer before webhook processes
 * does. One that refuses the connection is skipped; an answer that breaks off becomes 502.
 */
export class Front {
	/** How many requests each address has answered. */
	readonly answered = new Map<string, number>();

	private next = 0;

	private constructor(
		private readonly server: http.Server,
		readonly url: string,
	) {}

	/** Starts on a free port; `serve` says where requests go. */
	static async open(): Promise<Front> {
		const server = http.createServer();
		await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
		const { port } = server.address() as AddressInfo;
		return new Front(server, `http://${loopback}:${port}`);
	}

	/** @param targets addresses without a path */
	serve(targets: string[]): void {
		this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
			void readAll(request).then((body) => {
				const first = this.next++ % targets.length;
				const order = [...targets.slice(first), ...targets.slice(0, first)];
				this.forward(order, request, body, response);
			});
		});
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private forward(
		[target, ...others]: string[],
		request: IncomingMessage,
		body: Buffer,
		response: ServerResponse,
	): void {
		if (target === undefined) return void response.writeHead(503).end();
		const { method, url = '/', headers } = request;
		const onward = http.request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
			this.answered.set(target, (this.answered.get(target) ?? 0) + 1);
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.on('error', () => response.destroy()).pipe(response);
		});
		onward.on('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'ECONNREFUSED') this.forward(others, request, body, response);
			else if (!response.headersSent) response.writeHead(502).end();
		});
		onward.end(body);
	}
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}
