import { setInterval as every } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { balance, fateOf, template } from '../support/raw/runs';
import { useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();

/** Writes more now and then, so that the connection is never idle, until it is closed. */
async function keepWriting(socket: Socket, start: string, more: string): Promise<void> {
	socket.write(start);
	for await (const tick of every(10, true)) {
		if (tick && socket.destroyed) return;
		socket.write(more);
	}
}

const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n';
const ways: Array<[string, (socket: Socket) => unknown]> = [
	['says nothing', () => {}],
	[
		'trickles its body',
		async (socket) => await keepWriting(socket, 'HTTP/1.1 200 OK\r\n\r\n{"a":"', ' '),
	],
	['switches protocols', (socket) => socket.write(upgrade)],
	[
		'says 100 Continue for ever',
		async (socket) => await keepWriting(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
	],
];

describe.each(ways)('a service that %s', (_name, answer) => {
	test('is given up at the deadline, and its connection closed', async () => {
		standIn().answer = ({ socket }) => answer(socket);
		const fate = await fateOf(standIn(), template, { timeout: 1_000 });
		expect(fate.message).toContain('did not respond within the timeout');
		expect(fate).toMatchObject({ outcome: 'unknown', json: { code: 'ECONNABORTED' } });
		expect(fate.description).toContain('Get Many');
		await closed();
		expect(standIn().arrivals.length).toBeLessThanOrEqual(1);
	});

	test('ends with the execution, if it is read', async () => {
		const stop = new AbortController();
		standIn().answer = ({ socket }) => {
			void answer(socket);
			setTimeout(() => stop.abort(), 50);
		};
		const fate = await fateOf(standIn(), balance, { signal: stop.signal });
		expect(fate.message).toContain('was stopped before the response arrived');
		await closed();
	});
});

/** Resolves when no connection is left. */
async function closed(): Promise<void> {
	for await (const tick of every(10, true)) if (tick && standIn().connections.size === 0) return;
}
