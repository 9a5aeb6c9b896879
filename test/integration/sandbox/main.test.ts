/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs on the developer's machine, never inside n8n */
import { spawn } from 'node:child_process';
import path from 'node:path';
import axios from 'axios';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const root = path.resolve(__dirname, '../../..');

/** Starts the command; `stdout` and `stderr` grow, `ended` gives the exit code. */
function start(...args: string[]) {
	const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts', ...args], {
		cwd: root,
	});
	const run = {
		child,
		stdout: '',
		stderr: '',
		ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
	};
	child.stdout.on('data', (chunk: Buffer) => (run.stdout += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (run.stderr += chunk.toString()));
	return run;
}

test('prints address and keys, serves, and ends cleanly', async () => {
	const run = start('--port', '0', '--seed', '5');
	try {
		while (!run.stdout.includes('Control:')) {
			await Promise.race([
				run.ended,
				new Promise((resolve) => run.child.stdout.once('data', resolve)),
			]);
			expect(run.child.exitCode).toBeNull();
		}
		const baseUrl = /http:\S+\/api\/v1/.exec(run.stdout)?.[0];
		const keys = run.stdout.match(/msk_\w+/g);
		expect(keys).toEqual([expect.not.stringContaining('test'), expect.stringContaining('_test_')]);
		for (const key of keys ?? []) {
			const headers = { 'x-api-key': key };
			expect((await axios.get(`${baseUrl}/balance`, { headers, proxy: false })).status).toBe(200);
		}
	} finally {
		run.child.kill('SIGTERM');
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
		const run = start(...args());
		expect(await run.ended).toBe(1);
		expect(run.stdout).toBe('');
		expect(run.stderr).toMatch(line);
	},
	30_000,
);
