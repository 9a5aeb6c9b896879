import net, { type Server, type Socket } from 'node:net';
import { freePort, loopback } from '../../../harness/ports';

/** The way to a server, which can be shut: then connections break and new ones are refused. */
export class Gate {
	private readonly open = new Set<Socket>();
	private server: Server | undefined;

	private constructor(
		readonly port: number,
		private readonly targetPort: number,
	) {}

	/** A gate on a free port that leads to another port of this machine. */
	static async to(targetPort: number): Promise<Gate> {
		const gate = new Gate(await freePort(), targetPort);
		await gate.unlock();
		return gate;
	}

	async unlock(): Promise<void> {
		const server = net.createServer((incoming) => {
			const outgoing = net.connect(this.targetPort, loopback);
			for (const [from, to] of [
				[incoming, outgoing],
				[outgoing, incoming],
			] as const) {
				this.open.add(from);
				from.on('error', () => to.destroy());
				from.on('close', () => {
					this.open.delete(from);
					to.destroy();
				});
				from.pipe(to);
			}
		});
		await new Promise<void>((resolve) => server.listen(this.port, loopback, resolve));
		this.server = server;
	}

	/** Cuts every connection and refuses new ones. */
	async lock(): Promise<void> {
		const closed = new Promise((resolve) => this.server?.close(resolve));
		for (const socket of this.open) socket.destroy();
		await closed;
	}
}
