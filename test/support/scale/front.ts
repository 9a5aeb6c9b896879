import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopback } from '../../../harness/ports';

/** A load balancer: spreads requests over several addresses in turn; where there is no response, it answers 502. */
export async function openFront() {
	/** How many requests each address has answered. */
	const answered = new Map<string, number>();
	let all: string[] = [];
	let next = 0;

	const server = http.createServer((request, response) => {
		const target = all[next++ % all.length] ?? '';
		const { method, url, headers } = request;
		const onward = http.request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
			answered.set(target, (answered.get(target) ?? 0) + 1);
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.on('error', () => response.destroy()).pipe(response);
		});
		onward.on('error', () => {
			if (!response.headersSent) response.writeHead(502).end();
		});
		request.pipe(onward);
	});
	await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
	return {
		url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
		answered,
		/** Says where requests go, by addresses without a path. */
		serve: (targets: string[]) => (all = targets),
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
