import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { setInterval as every } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { accepted, balance, fateOf, template } from '../support/raw/runs';
import { response, useStandIn } from '../support/raw/standIn';

const standIn = useStandIn();

/** Writes a byte now and then, so that the connection is never idle, until it is closed. */
async function trickle(socket: Socket, bytes: Buffer): Promise<void> {
	let next = 0;
	for await (const tick of every(10, true)) {
		if (tick && socket.destroyed) return;
		// Spaces in the middle of the headers or the body go on for ever.
		socket.write(next < bytes.length ? bytes.subarray(next, ++next) : ' ');
	}
}

const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
const ways: Array<[string, (socket: Socket) => unknown]> = [
	['says nothing', () => {}],
	[
		'trickles its headers',
		async (socket) => await trickle(socket, Buffer.from('HTTP/1.1 200 OK\r\nX-A: ')),
	],
	[
		'trickles its body',
		async (socket) => await trickle(socket, Buffer.from('HTTP/1.1 200 OK\r\n\r\n{"a":"')),
	],
	[
		'never ends its chunks',
		(socket) => socket.write(Buffer.concat([head, Buffer.from('5\r\n{"a":')])),
	],
	[
		'switches protocols',
		(socket) =>
			socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n'),
	],
	[
		'says 100 Continue for ever',
		async (socket) => {
			for await (const tick of every(10, true)) {
				if (tick && socket.destroyed) return;
				socket.write('HTTP/1.1 100 Continue\r\n\r\n');
			}
		},
	],
];

describe.each(ways)('a service that %s', (_name, answer) => {
	test('is given up at the deadline, and its connection closed', async () => {
		standIn().answer = ({ socket }) => answer(socket);
		const fate = await fateOf(standIn(), template, { timeout: 200 });
		expect(fate.message).toContain('did not answer within the timeout');
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
		expect(fate.message).toContain('was stopped before the answer came');
		await closed();
	});
});

/** Resolves when no connection is left. */
async function closed(): Promise<void> {
	for await (const tick of every(10, true)) if (tick && standIn().connections.size === 0) return;
}

test.each<[string, INodeParameters, IDataObject]>([
	['sends', template, accepted],
	[
		'reads',
		// Each asks for another number: identical reads are made once.
		{
			resource: 'voiceCall',
			operation: 'getMany',
			filters: { search: '={{ $itemIndex + 1000 }}' },
		},
		{ success: true, data: [], pagination: { total: 0 } },
	],
])('thousands of %s leave no timer and no listener behind', async (_name, parameters, body) => {
	const stop = new AbortController();
	const most = { listening: 0 };
	const add = jest.spyOn(stop.signal, 'addEventListener');
	const remove = jest.spyOn(stop.signal, 'removeEventListener');
	const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
	const before = timers();

	standIn().answer = ({ socket }) => {
		most.listening = Math.max(most.listening, add.mock.calls.length - remove.mock.calls.length);
		socket.end(response(body));
	};
	const items = Array.from({ length: 2_000 }, () => ({ json: {} }));
	const options = { timeout: 60_000, batching: { batch: { batchSize: 50 } } };
	const fate = await fateOf(standIn(), { ...parameters, options }, { items, signal: stop.signal });

	expect(fate.outcome).toBe('accepted');
	expect(standIn().arrivals).toHaveLength(items.length);
	expect(most.listening).toBeLessThanOrEqual(1);
	expect(remove.mock.calls.length).toBe(add.mock.calls.length);
	expect(timers() - before).toBeLessThan(items.length / 10);
});
