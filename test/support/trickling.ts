import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';

/** Milliseconds between the bytes of a response that trickles. */
const pause = 20;

/** A service that shows an account, and whose responses do not end as long as they trickle. */
export interface TricklingService {
	readonly baseUrl: string;
	account: IDataObject;
	trickles: boolean;
	/** Requests since it was last set. */
	requests: number;
	/** Responses that have not ended. */
	open: number;
	close(): void;
}

/** Starts one on a free port of this machine. */
export async function startTrickling(account: IDataObject): Promise<TricklingService> {
	const server = createServer((_request, response) => {
		service.requests++;
		service.open++;
		response.once('close', () => service.open--);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.write(JSON.stringify({ success: true, user: service.account }));
		if (!service.trickles) return void response.end();
		const timer = setInterval(() => {
			if (service.trickles) response.write(' ');
			else response.end();
		}, pause);
		response.once('close', () => clearInterval(timer));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const service: TricklingService = {
		baseUrl: `http://127.0.0.1:${port}/api/v1`,
		account,
		trickles: false,
		requests: 0,
		open: 0,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
	return service;
}
