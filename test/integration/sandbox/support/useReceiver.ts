import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
	path: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** A webhook receiver that keeps what it gets. */
export class Receiver {
	received: ReceivedEvent[] = [];

	/** Statuses of the next answers, then 200; null for none. */
	statuses: Array<number | null> = [];

	/** Milliseconds that the other responses wait. */
	delayMs = 20;

	/** How many requests must be open before any of them is answered. */
	gather = 1;

	/** Most requests that were open at once. */
	peak = 0;

	private open: Array<() => void> = [];

	private readonly server: Server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { url = '', headers } = request;
			this.received.push({ path: url, headers, body: Buffer.concat(chunks) });
			const status = this.statuses.length > 0 ? this.statuses.shift() : 200;
			if (status) this.open.push(() => response.writeHead(status).end('taken'));
			this.peak = Math.max(this.peak, this.open.length);
			// Answering later leaves room for more requests than the awaited ones.
			if (this.open.length === this.gather) setTimeout(() => this.answer(), this.delayMs);
		});
	});

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
	}

	get events(): Array<{ event: string; timestamp: string; data: Record<string, string> }> {
		return this.received.map(({ body }) => JSON.parse(body.toString()));
	}

	clear(): void {
		this.received = [];
		this.statuses = [];
		this.gather = 1;
		this.delayMs = 20;
		this.peak = 0;
	}

	start(): Promise<void> {
		return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
	}

	private answer(): void {
		const open = this.open;
		this.open = [];
		for (const answer of open) answer();
	}

	stop(): Promise<void> {
		this.server.closeAllConnections();
		return new Promise((resolve) => this.server.close(() => resolve()));
	}
}

export function useReceiver(): Receiver {
	const receiver = new Receiver();
	beforeAll(() => receiver.start());
	afterAll(() => receiver.stop());
	beforeEach(() => receiver.clear());
	return receiver;
}
