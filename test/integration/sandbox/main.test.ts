import axios from 'axios';
import { runSandbox, served } from '../../support/core/sandboxProcess';
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
	expect(await run.ended).toBe(0);
	expect(run.stderr).toBe('');
	for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThan(80);
});

test.each([
	[
		'a taken port',
		() => ['--port', String(fixture.sandbox.port)],
		/^Port \d+ is in use.*--port \d+\n$/,
	],
	['a port that is no number', () => ['--port', 'x'], /^--port must be a whole number\n$/],
	['an unknown option', () => ['--nothing'], /^Unknown option '--nothing'.*\n$/],
])(
	'says in one line what to do about %s',
	async (_case, args, line) => {
		const run = runSandbox(...args());
		expect(await run.ended).toBe(1);
		expect(run.stdout).toBe('');
		expect(run.stderr).toMatch(line);
	},
	30_000,
);
