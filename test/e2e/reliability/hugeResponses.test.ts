import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import {
	attachN8n,
	chain,
	manualTrigger,
	messagingService,
	waitFor,
	type Execution,
} from '../../../harness';
import { response, startStandIn, type Answering, type StandIn } from '../../support/raw/standIn';
import { sender } from '../../support/reliability/stage';

const n8n = attachN8n();
let standIn: StandIn;

beforeAll(async () => (standIn = await startStandIn()));
afterAll(async () => await standIn.close());

/** Sends one message that is answered so; no answer here needs the time that it has. */
async function send(answer: Answering): Promise<Execution> {
	standIn.answer = answer;
	const credential = await n8n.createCredential('Huge', { ...standIn.credential });
	const node = messagingService(
		{
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '919876543210',
			templateName: 'order_update',
			options: { timeout: 120_000 },
		},
		credential,
		{ name: sender },
	);
	return await n8n.run(await n8n.createWorkflow(chain('Huge', [manualTrigger(), node])));
}

/** Writes the same bytes for as long as somebody reads them. */
function writeForEver(socket: Socket, head: string, bytes: Buffer): void {
	const more = () => {
		while (!socket.destroyed && socket.write(bytes));
	};
	socket.on('drain', more);
	socket.write(head);
	more();
}

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
	const { status, error } = await send(answer);
	expect(status).toBe('error');
	expect(error?.message).toContain('more than 16 MB');
	expect(error?.context?.data).toMatchObject({ outcome: 'unknown', statusCode: 200 });
	await waitFor('the connection to be closed', () =>
		standIn.connections.size === 0 ? true : undefined,
	);
});
