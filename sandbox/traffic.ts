import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Stats {
	requests: number;
	/** Connections that have carried at least one request to the service. */
	openConnections: number;
	peakConnections: number;
	/** Requests that have no response yet. */
	concurrentRequests: number;
	peakConcurrentRequests: number;
	/** How often each response was given, e.g. `POST /chat/send 200`; `cut` stands for no whole one. */
	responses: Record<string, number>;
	/** How often each outcome of a delivery came, e.g. `message.sent 200`. */
	deliveries: Record<string, number>;
}

/** Counts connections and requests. Traffic of the control interface is left out. */
export class Traffic {
	private readonly sockets = new Set<Socket>();

	private requests = 0;

	private concurrent = 0;

	private peakConnections = 0;

	private peakConcurrent = 0;

	private responses: Record<string, number> = {};

	private deliveries: Record<string, number> = {};

	/** Counts a request until its response ends; `finished` gives what to count it as. */
	begin(socket: Socket, response: ServerResponse, finished: () => string): void {
		if (!this.sockets.has(socket)) {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		}
		this.requests += 1;
		this.concurrent += 1;
		this.peakConnections = Math.max(this.peakConnections, this.sockets.size);
		this.peakConcurrent = Math.max(this.peakConcurrent, this.concurrent);
		response.once('close', () => {
			this.concurrent -= 1;
			const outcome = finished();
			this.responses[outcome] = (this.responses[outcome] ?? 0) + 1;
		});
	}

	delivered(outcome: string): void {
		this.deliveries[outcome] = (this.deliveries[outcome] ?? 0) + 1;
	}

	stats(): Stats {
		return {
			requests: this.requests,
			openConnections: this.sockets.size,
			peakConnections: this.peakConnections,
			concurrentRequests: this.concurrent,
			peakConcurrentRequests: this.peakConcurrent,
			responses: { ...this.responses },
			deliveries: { ...this.deliveries },
		};
	}

	/** Starts counting anew; what is open stays counted as open. */
	reset(): void {
		this.requests = 0;
		this.peakConnections = this.sockets.size;
		this.peakConcurrent = this.concurrent;
		this.responses = {};
		this.deliveries = {};
	}
}
