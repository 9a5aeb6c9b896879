import type { Socket } from 'node:net';

export interface Stats {
	requests: number;
	/** Most connections at once that have carried at least one request to the service. */
	peakConnections: number;
}

/** Counts connections and requests. Traffic of the control interface is left out. */
export class Traffic {
	private readonly sockets = new Set<Socket>();

	private counted: Stats = { requests: 0, peakConnections: 0 };

	/** Counts a request that came through a connection. */
	count(socket: Socket): void {
		if (!this.sockets.has(socket)) {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		}
		this.counted.requests += 1;
		this.counted.peakConnections = Math.max(this.counted.peakConnections, this.sockets.size);
	}

	stats(): Stats {
		return this.counted;
	}

	/** Starts counting anew; what is open stays counted as open. */
	reset(): void {
		this.counted = { requests: 0, peakConnections: this.sockets.size };
	}
}
