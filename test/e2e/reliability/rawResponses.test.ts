import type { Socket } from 'node:net';
import { attachN8n } from '../../../harness';
import { accepted } from '../../support/raw/runs';
import { send } from '../../support/raw/sending';
import { response, startStandIn, type Answering, type StandIn } from '../../support/raw/standIn';
import { idsOf, sender } from '../../support/reliability/stage';

const n8n = attachN8n();
let standIn: StandIn;

beforeAll(async () => (standIn = await startStandIn()));
afterAll(async () => await standIn.close());

const ends =
	(bytes: Buffer): Answering =>
	({ socket }) =>
		socket.end(bytes);
const refusal = (status: string) => ends(response({ error: 'Try again later' }, { status }));

/** Writes a space now and then until the connection is closed. */
function trickle(socket: Socket): void {
	const timer = setInterval(() => socket.write(' '), 50);
	socket.on('close', () => clearInterval(timer));
}

test.each<[string, Answering]>([
	[
		'nested 20,000 deep',
		ends(response(`{"success":true,"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)),
	],
	['408 with an error in JSON', refusal('408 Request Timeout')],
	['499 with an error in JSON', refusal('499 Client Closed Request')],
	['503 with an error in JSON', refusal('503 Service Unavailable')],
	['520 with an error in JSON', refusal('520 Unknown')],
	['524 with an error in JSON', refusal('524 A Timeout Occurred')],
	['cut in its last byte', ends(response(accepted).subarray(0, -1))],
	['that never came', ({ socket }) => socket.destroy()],
	[
		'that trickles',
		({ socket }) => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n{"success":true');
			trickle(socket);
		},
	],
	[
		'that switches protocols',
		({ socket }) =>
			socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n'),
	],
	['whose success is the word false', ends(response({ success: 'false', error: 'No credits' }))],
	[
		'whose headers are huge',
		ends(Buffer.from(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`)),
	],
])('after a response %s nothing is sent again', async (_name, answer) => {
	const { error } = await send(n8n, standIn, answer, { timeout: 1_500 });
	expect(error?.context?.data).toMatchObject({ outcome: 'unknown' });
	expect(error?.description).toContain('is not repeated by itself');
	expect(standIn.arrivals).toHaveLength(1);
});

test.each([
	['a refusal by status', refusal('400 Bad Request')],
	['too large', refusal('413 Content Too Large')],
	['too many', refusal('429 Too Many Requests')],
	['an error without success', ends(response({ error: 'No credits' }))],
])('%s is sent again', async (_name, answer) => {
	const { error } = await send(n8n, standIn, answer);
	expect(error?.context?.data).toMatchObject({ outcome: 'rejected' });
	expect(standIn.arrivals).toHaveLength(3);
});

test.each<[string, Answering]>([
	['of HTTP/1.0', ends(Buffer.from(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(accepted)}`))],
	[
		'followed by a reset',
		({ socket, raw }) =>
			socket.write(response(accepted), () => setTimeout(() => raw.resetAndDestroy(), 50)),
	],
	[
		'after early hints',
		ends(Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), response(accepted)])),
	],
	[
		'that comes twice',
		({ socket }) => socket.write(Buffer.concat([response(accepted), response(accepted)])),
	],
	['after which the connection stays open', ({ socket }) => socket.write(response(accepted))],
])('a response %s is a success', async (_name, answer) => {
	const execution = await send(n8n, standIn, answer);
	expect(execution.status).toBe('success');
	expect(execution.json(sender)).toEqual([accepted]);
	expect(standIn.arrivals).toHaveLength(1);
});

/** The response to the nth request, after which the connection stays open. */
const numbered = (n: number | string): Buffer =>
	response({ ...accepted, providerMessageId: `m${n}` }, { headers: { Connection: 'keep-alive' } });
const foreign = numbered('foreign');

test.each([
	['at once', [0]],
	['a moment later', [30]],
	['again and again', Array.from({ length: 40 }, (_, index) => 5 * index)],
])(
	'a response that nobody has asked for, %s on the same connection, is taken for no other',
	async (_name, delays) => {
		const surplus = (socket: Socket) => socket.writable && socket.write(foreign);
		const answer: Answering = ({ socket }) => {
			socket.write(numbered(standIn.arrivals.length));
			for (const delay of delays) setTimeout(surplus, delay, socket);
		};
		const execution = await send(n8n, standIn, answer, { count: 5 });
		expect(idsOf(execution)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
		expect(standIn.arrivals).toHaveLength(5);
	},
);
