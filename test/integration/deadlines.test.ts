import { setInterval as every } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { accepted, response, template, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();

/** Writes more now and then, so that the connection is never idle, until it is closed. */
async function keepWriting(socket: Socket, start: string, more: string): Promise<void> {
	socket.write(start);
	for await (const tick of every(10, true)) {
		if (tick && socket.destroyed) return;
		socket.write(more);
	}
}

/** Resolves when no connection is left. */
async function closed(): Promise<void> {
	for await (const tick of every(10, true)) if (tick && standIn.connections.size === 0) return;
}

const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n';
const goesOn = 'HTTP/1.1 100 Continue\r\n\r\n';

describe.each<[string, (socket: Socket) => unknown]>([
	['sends nothing', () => {}],
	['trickles its body', (socket) => keepWriting(socket, 'HTTP/1.1 200 OK\r\n\r\n{"a":"', ' ')],
	['switches protocols', (socket) => socket.write(upgrade)],
	['sends 100 Continue for ever', (socket) => keepWriting(socket, '', goesOn)],
])('a service that %s', (_name, respond) => {
	test('is given up at the deadline, and its connection closed', async () => {
		standIn.respond = ({ socket }) => respond(socket);
		const result = await standIn.run(template, { timeout: 1_000 });
		expect(result.message).toContain('did not respond within the timeout');
		expect(result).toMatchObject({ outcome: 'unknown', json: { code: 'ECONNABORTED' } });
		expect(result.description).toContain('Get Many');
		await closed();
		expect(standIn.arrivals.length).toBeLessThanOrEqual(1);
	});

	test('ends with the execution, if it is read', async () => {
		const stop = new AbortController();
		standIn.respond = ({ socket }) => {
			void respond(socket);
			setTimeout(() => stop.abort(), 50);
		};
		const balance = { resource: 'account', operation: 'getBalance' };
		const { message } = await standIn.run(balance, { signal: stop.signal });
		expect(message).toContain('was stopped before the response arrived');
		await closed();
	});
});

test('a send goes on when the execution is stopped, because its outcome would be unknown', async () => {
	const stop = new AbortController();
	standIn.respond = ({ socket }) => {
		setTimeout(() => stop.abort(), 50);
		setTimeout(() => socket.end(response(accepted)), 300);
	};
	const { json } = await standIn.run(template, { signal: stop.signal });
	expect(json).toMatchObject(accepted);
});
