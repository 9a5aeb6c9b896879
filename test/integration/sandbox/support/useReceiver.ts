import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedEvent {
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** A webhook receiver that keeps what it gets. */
export class Receiver {
	received: ReceivedEvent[] = [];

	/** Status of its answers. */
	status = 200;

	readonly server = createServer((request, response) => {
		void buffer(request).then((body) => {
			this.received.push({ headers: request.headers, body });
			response.writeHead(this.status).end('taken');
		});
	});

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
	}

	get events(): Array<{ event: string; timestamp: string; data: Record<string, string> }> {
		return this.received.map(({ body }) => JSON.parse(body.toString()));
	}
}

export function useReceiver(): Receiver {
	const receiver = new Receiver();
	beforeAll(async () => await once(receiver.server.listen(0, '127.0.0.1'), 'listening'));
	afterAll(() => {
		receiver.server.closeAllConnections();
		receiver.server.close();
	});
	beforeEach(() => Object.assign(receiver, { received: [], status: 200 }));
	return receiver;
}
