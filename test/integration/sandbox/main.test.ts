import axios from 'axios';
import { Command, waitFor } from '../../../harness';
import { runSandbox, sandboxArgs, served } from '../../support/core/sandboxProcess';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test('prints address and keys, serves, and ends cleanly', async () => {
	const run = runSandbox('--port', '0', '--seed', '5');
	const { baseUrl, keys, close } = await served(run);
	try {
		expect([keys.production, keys.test]).toEqual([
			expect.stringMatching(/^msk_(?!test)\w+$/),
			expect.stringMatching(/^msk_test_\w+$/),
		]);
		for (const key of Object.values(keys)) {
			const headers = { 'x-api-key': key };
			expect((await axios.get(`${baseUrl}/balance`, { headers, proxy: false })).status).toBe(200);
		}
	} finally {
		await close();
	}
	expect(await run.end()).toBe(0);
	expect(run.stderr).toBe('');
	for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThan(80);
});

test.each([
	[
		'a taken port',
		() => ['--port', String(fixture.sandbox.port)],
		/^Port \d+ is in use.*--port \d+\n$/,
	],
	['a port that is no number', () => ['--port', 'x'], /^--port: must be a whole number\n$/],
	[
		'a setting that is none',
		() => ['--assume', 'listOrder=x'],
		/^--assume listOrder: .*newestFirst.*\n$/,
	],
	['an unknown option', () => ['--nothing'], /^Unknown option '--nothing'.*\n$/],
])('says in one line what to do about %s', async (_case, args, line) => {
	const run = runSandbox(...args());
	expect(await run.end()).toBe(1);
	expect(run.stdout).toBe('');
	expect(run.stderr).toMatch(line);
});

test('ends when the process is killed that has started it', async () => {
	// As a shell does that waits for what it has started.
	const script = '"$0" "$@" & wait';
	const parent = new Command(['-c', script, process.execPath, ...sandboxArgs('--port', '0')], {
		program: 'sh',
	});
	const { url } = await served(parent);
	parent.signal('SIGKILL');
	await waitFor(
		'the sandbox to end',
		async () =>
			await fetch(url).then(
				() => false,
				() => true,
			),
	);
});
