import { createServer, type AddressInfo } from 'node:net';

/** All servers of tests and demo listen here only. */
export const LOOPBACK = '127.0.0.1';

/** Whether nothing listens on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
	return (await tryPort(port)) !== undefined;
}

/** Some port on which nothing listens. */
export async function freePort(): Promise<number> {
	const port = await tryPort(0);
	if (port === undefined) throw new Error('This machine has no free port');
	return port;
}

/** Listens for a moment. @returns the port, `undefined` when it is taken */
async function tryPort(port: number): Promise<number | undefined> {
	const server = createServer();
	return await new Promise((resolve) => {
		server.once('error', () => resolve(undefined));
		server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
			const { port: found } = server.address() as AddressInfo;
			server.close(() => resolve(found));
		});
	});
}
