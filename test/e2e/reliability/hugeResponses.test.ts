import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { attachN8n, waitFor } from '../../../harness';
import { send } from '../../support/raw/sending';
import { response, startStandIn, type Answering, type StandIn } from '../../support/raw/standIn';

const n8n = attachN8n();
let standIn: StandIn;

beforeAll(async () => (standIn = await startStandIn()));
afterAll(async () => await standIn.close());

/** Writes the same bytes for as long as somebody reads them. */
function writeForEver(socket: Socket, head: string, bytes: Buffer): void {
	const more = () => {
		while (!socket.destroyed && socket.write(bytes));
	};
	socket.on('drain', more);
	socket.write(head);
	more();
}

/** Milliseconds; no answer here needs as long. */
const patience = 120_000;

const million = Buffer.alloc(1_000_000, ' ');
const bomb = response(gzipSync(Buffer.alloc(425_000_000, ' ')), {
	headers: { 'Content-Encoding': 'gzip' },
});

test.each<[string, Answering]>([
	['a small response that unpacks to 425 MB', ({ socket }) => socket.write(bomb)],
	[
		'a packed response without an end',
		({ socket }) =>
			// A file of gzip may have any number of parts.
			writeForEver(socket, 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', gzipSync(million)),
	],
	[
		'a response without an end',
		({ socket }) => writeForEver(socket, 'HTTP/1.1 200 OK\r\n\r\n', million),
	],
])('%s is read to a bound and is unknown', async (_name, answer) => {
	const { status, error } = await send(n8n, standIn, answer, { timeout: patience });
	expect(status).toBe('error');
	expect(error?.message).toContain('more than 16 MB');
	expect(error?.context?.data).toMatchObject({ outcome: 'unknown', statusCode: 200 });
	await waitFor('the connection to be closed', () =>
		standIn.connections.size === 0 ? true : undefined,
	);
});
