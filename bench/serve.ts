import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of this machine that a case measures against. */
export interface Served {
	/** Address without a path. */
	url: string;
	close(): void;
}

/** Serves on any free port. */
export async function serve(listener: http.RequestListener): Promise<Served> {
	const server = http.createServer(listener);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
