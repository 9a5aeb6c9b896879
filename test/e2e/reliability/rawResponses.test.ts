import type { Socket } from 'node:net';
import {
	attachN8n,
	chain,
	manualTrigger,
	messagingService,
	type Execution,
} from '../../../harness';
import { accepted } from '../../support/raw/runs';
import { response, startStandIn, type Answering, type StandIn } from '../../support/raw/standIn';
import { sender } from '../../support/reliability/stage';

const n8n = attachN8n();
let standIn: StandIn;

beforeAll(async () => (standIn = await startStandIn()));
beforeEach(() => (standIn.arrivals.length = 0));
afterAll(async () => await standIn.close());

/** Sends one message with three tries, each of which would be answered in the same way. */
async function send(answer: Answering, timeout = 10_000): Promise<Execution> {
	standIn.answer = answer;
	const credential = await n8n.createCredential('Raw', { ...standIn.credential });
	const node = messagingService(
		{
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '919876543210',
			templateName: 'order_update',
			options: { timeout },
		},
		credential,
		{ name: sender, retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
	);
	return await n8n.run(await n8n.createWorkflow(chain('Raw', [manualTrigger(), node])));
}

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
	[
		'whose headers are huge',
		ends(Buffer.from(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`)),
	],
])('after a response %s nothing is sent again', async (_name, answer) => {
	const { error } = await send(answer, 1_500);
	expect(error?.context?.data).toMatchObject({ outcome: 'unknown' });
	expect(error?.description).toContain('is not repeated by itself');
	expect(standIn.arrivals).toHaveLength(1);
});

test.each([
	['a refusal by status', refusal('400 Bad Request')],
	['too large', refusal('413 Content Too Large')],
	['too many', refusal('429 Too Many Requests')],
	['success that is the word false', ends(response({ success: 'false', error: 'No credits' }))],
	['an error without success', ends(response({ error: 'No credits' }))],
])('%s is sent again', async (_name, answer) => {
	const { error } = await send(answer);
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
	const execution = await send(answer);
	expect(execution.status).toBe('success');
	expect(execution.json(sender)).toEqual([accepted]);
	expect(standIn.arrivals).toHaveLength(1);
});
