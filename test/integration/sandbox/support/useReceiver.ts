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

	/** How many requests must be open before any of them is answered. */
	gather = 1;

	/** Most requests that were open at once. */
	peak = 0;

	private open: Array<() => void> = [];

	readonly server = createServer((request, response) => {
		void buffer(request).then((body) => {
			this.received.push({ headers: request.headers, body });
			this.open.push(() => response.writeHead(this.status).end('taken'));
			this.peak = Math.max(this.peak, this.open.length);
			// Answering later leaves room for more requests than the awaited ones.
			if (this.open.length === this.gather) setTimeout(() => this.answer(), 20);
		});
	});

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
	}

	get events(): Array<{ event: string; timestamp: string; data: Record<string, string> }> {
		return this.received.map(({ body }) => JSON.parse(body.toString()));
	}

	private answer(): void {
		for (const answer of this.open.splice(0)) answer();
	}
}

export function useReceiver(): Receiver {
	const receiver = new Receiver();
	beforeAll(async () => await once(receiver.server.listen(0, '127.0.0.1'), 'listening'));
	afterAll(() => {
		receiver.server.closeAllConnections();
		receiver.server.close();
	});
	beforeEach(() => Object.assign(receiver, { received: [], status: 200, gather: 1, peak: 0 }));
	return receiver;
}
