import type { Socket } from 'node:net';

interface Stats {
	requests: number;
	/** Most connections at once that have carried at least one request to the service. */
	peakConnections: number;
}

/** Counts connections and requests. Traffic of the control interface is left out. */
export class Traffic {
	private readonly sockets = new Set<Socket>();

	stats: Stats = { requests: 0, peakConnections: 0 };

	/** Counts a request that came through a connection. */
	count(socket: Socket): void {
		if (!this.sockets.has(socket)) {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		}
		this.stats.requests += 1;
		this.stats.peakConnections = Math.max(this.stats.peakConnections, this.sockets.size);
	}

	/** Starts counting anew; what is open stays counted as open. */
	reset(): void {
		this.stats = { requests: 0, peakConnections: this.sockets.size };
	}
}
