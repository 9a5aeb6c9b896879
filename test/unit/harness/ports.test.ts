import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Command, freePort, reserve } from '../../../harness';

async function listen(port: number) {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	return server;
}

test('a free port can be listened on, and is given to one caller only', async () => {
	const ports = await Promise.all(Array.from({ length: 200 }, freePort));
	expect(new Set(ports).size).toBe(ports.length);
	for (const port of ports) (await listen(port)).close();
});

test('a reserved port is given to no other process, until this one ends', async () => {
	const code = `
		const { freePort } = require('./harness');
		freePort().then((port) => { console.log(port + ' reserved'); setInterval(() => {}, 1_000); });`;
	const other = new Command(['--import', 'tsx', '--eval', code]);
	await other.says('reserved');
	const port = Number.parseInt(other.stdout);
	expect(await reserve(port)).toBe(false);
	other.signal('SIGKILL');
	await other.end();
	expect(await reserve(port)).toBe(true);
	expect(await reserve(port)).toBe(false);
});

test('a port on which somebody listens is reserved for nobody', async () => {
	const server = await listen(0);
	const { port } = server.address() as AddressInfo;
	expect(await reserve(port)).toBe(false);
	server.close();
});
