import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopback } from '../../../harness/ports';

/** A load balancer before webhook processes. */
export interface Front {
	url: string;
	/** How many requests each address has answered. */
	answered: Map<string, number>;
	/** Says where requests go. @param targets addresses without a path */
	serve(targets: string[]): void;
	close(): Promise<void>;
}

/**
 * Spreads requests over several addresses in turn. One that refuses the connection is skipped; an
 * answer that breaks off becomes 502.
 */
export async function openFront(): Promise<Front> {
	const answered = new Map<string, number>();
	let all: string[] = [];
	let next = 0;

	function forward(
		[target, ...others]: string[],
		request: http.IncomingMessage,
		body: Buffer,
		response: http.ServerResponse,
	): void {
		if (target === undefined) return void response.writeHead(503).end();
		const { method, url, headers } = request;
		const onward = http.request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
			answered.set(target, (answered.get(target) ?? 0) + 1);
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.on('error', () => response.destroy()).pipe(response);
		});
		onward.on('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'ECONNREFUSED') forward(others, request, body, response);
			else if (!response.headersSent) response.writeHead(502).end();
		});
		onward.end(body);
	}

	const server = http.createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const first = next++ % all.length;
			const order = [...all.slice(first), ...all.slice(0, first)];
			forward(order, request, Buffer.concat(chunks), response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
	return {
		url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
		answered,
		serve: (targets) => (all = targets),
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
