import axios from 'axios';
import { Command, waitFor } from '../../../harness';
import { runSandbox, sandboxArgs, served } from '../../support/core/sandboxProcess';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test('prints address and keys, serves, and ends cleanly', async () => {
	const run = runSandbox('--port', '0', '--seed', '5');
	const { baseUrl, keys, close } = await served(run);
	expect(keys.production).toMatch(/^msk_(?!test)\w+$/);
	expect(keys.test).toMatch(/^msk_test_\w+$/);
	for (const key of Object.values(keys)) {
		const headers = { 'x-api-key': key };
		expect((await axios.get(`${baseUrl}/balance`, { headers, proxy: false })).status).toBe(200);
	}
	await close();
	expect([await run.end(), run.stderr]).toEqual([0, '']);
});

test.each([
	['--port', () => fixture.sandbox.port, /^Port \d+ is in use.*--port \d+\n$/],
	['--port', () => 'x', /^--port: must be a whole number\n$/],
	['--assume', () => 'listOrder=x', /^--assume listOrder: .*newestFirst.*\n$/],
	['--nothing', () => '', /^Unknown option '--nothing'.*\n$/],
])('shows in one line what is wrong with %s (%#)', async (name, value, line) => {
	const run = runSandbox(name, String(value()));
	expect([await run.end(), run.stdout]).toEqual([1, '']);
	expect(run.stderr).toMatch(line);
});

test('ends when the process is killed that has started it', async () => {
	// As a shell does that waits for what it has started.
	const script = '"$0" "$@" & wait';
	const args = ['-c', script, process.execPath, ...sandboxArgs('--port', '0')];
	const parent = new Command(args, { program: 'sh' });
	const { url } = await served(parent);
	parent.signal('SIGKILL');
	const hasEnded = async () =>
		await fetch(url).then(
			() => false,
			() => true,
		);
	await waitFor('the sandbox to end', hasEnded);
});
