import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once, type EventEmitter } from 'node:events';
import { createServer } from 'node:net';

/** All servers of tests and demo listen here only. */
export const loopback = '127.0.0.1';

/** Below those that systems give to connections, and to programs that ask for any port. */
const firstNumber = 10_000;
const last = 32_000;

/**
 * A port for a program that cannot find one itself. Nobody listens there, and no other process of
 * tests and demo is given it while this one lives.
 */
export async function freePort(): Promise<number> {
	const port = randomInt(firstNumber, last);
	return (await reserve(port)) ? port : await freePort();
}

/**
 * Keeps a port for this process as long as it lives: between the look whether it is free and the
 * moment when a program listens there, seconds pass.
 * @returns whether nobody listens there and nobody else has it
 */
export async function reserve(port: number): Promise<boolean> {
	// A sign for others like us: UDP and TCP have ports of the same numbers, and each UDP port has one
	// owner. The system takes it away when the process ends, however it ends.
	const sign = createSocket('udp4').unref();
	const isOurs = await succeeds(sign, () => sign.bind(port, loopback));
	if (isOurs && (await isFree(port))) return true;
	sign.close();
	return false;
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	const isListening = await succeeds(server, () => server.listen(port, loopback));
	if (isListening) await new Promise((resolve) => server.close(resolve));
	return isListening;
}

async function succeeds(socket: EventEmitter, start: () => void): Promise<boolean> {
	start();
	return await once(socket, 'listening').then(
		() => true,
		() => false,
	);
}
