import axios from 'axios';
import { Command } from '../../../harness';
import { endWithParent } from '../../../harness/supervised';
import { useService } from '../../support/core/useService';

const fixture = useService();

/** The arguments of Node in `npm run sandbox -- …args`. */
const sandboxArgs = (...args: string[]) => [
	...['--import', endWithParent, '--import', 'tsx', 'sandbox/main.ts'],
	...args,
];

/** Waits until the command has printed where it serves; returns the base URL. */
async function served(command: Command): Promise<string> {
	await command.says('/__sandbox\n');
	return /Sandbox: +(\S+)/.exec(command.stdout)?.[1] ?? '';
}

test('prints address and keys, serves, and ends cleanly', async () => {
	const run = new Command(sandboxArgs('--port', '0', '--seed', '5'));
	const baseUrl = await served(run);
	for (const pattern of [/Production key: +(msk_(?!test)\w+)\n/, /Test key: +(msk_test_\w+)\n/]) {
		const headers = { 'x-api-key': pattern.exec(run.stdout)?.[1] ?? '' };
		expect((await axios.get(`${baseUrl}/balance`, { headers, proxy: false })).status).toBe(200);
	}
	run.signal('SIGTERM');
	expect([await run.end(), run.stderr]).toEqual([0, '']);
});

const setting = /--assume listOrder: .*newestFirst.*/.source;

test.each([
	[() => ['--port', String(fixture.sandbox.port)], /^Port \d+ is in use.*--port \d+\n$/],
	[
		() => ['--port', 'x', '--assume', 'listOrder=x'],
		new RegExp(`^--port: must be a whole number\n${setting}\n$`),
	],
])('prints one line for each invalid option (%#)', async (args, lines) => {
	const run = new Command(sandboxArgs(...args()));
	expect([await run.end(), run.stdout]).toEqual([1, '']);
	expect(run.stderr).toMatch(lines);
});
