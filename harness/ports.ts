import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** All servers of tests and demo listen here only. */
export const loopback = '127.0.0.1';

/** Below those that systems give to connections, and to programs that ask for any port. */
const firstNumber = 10_000;
const last = 32_000;

/** A port for a program that cannot find one itself; nobody listens there. */
export async function freePort(): Promise<number> {
	const port = randomInt(firstNumber, last);
	return (await isFree(port)) ? port : await freePort();
}

/** Whether nobody listens on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, loopback);
	const isListening = await once(server, 'listening').then(
		() => true,
		() => false,
	);
	if (isListening) await new Promise((resolve) => server.close(resolve));
	return isListening;
}
