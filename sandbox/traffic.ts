import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Stats {
	requests: number;
	/** Most connections at once that have carried at least one request to the service. */
	peakConnections: number;
	/** Most requests at once that had no response yet. */
	peakConcurrentRequests: number;
}

/** Counts connections and requests. Traffic of the control interface is left out. */
export class Traffic {
	private readonly sockets = new Set<Socket>();

	private requests = 0;

	private concurrent = 0;

	private peakConnections = 0;

	private peakConcurrent = 0;

	/** Counts a request until its response ends. */
	begin(socket: Socket, response: ServerResponse): void {
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
		});
	}

	stats(): Stats {
		return {
			requests: this.requests,
			peakConnections: this.peakConnections,
			peakConcurrentRequests: this.peakConcurrent,
		};
	}

	/** Starts counting anew; what is open stays counted as open. */
	reset(): void {
		this.requests = 0;
		this.peakConnections = this.sockets.size;
		this.peakConcurrent = this.concurrent;
	}
}
