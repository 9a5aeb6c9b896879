import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { exampleFiles } from '../../scripts/start/examples';
import {
	Command,
	longPatienceMs,
	N8nApi,
	packageName,
	rootFolder,
	tempFolder,
	waitFor,
	type CommandOptions,
} from '../../harness';
import { signIn } from '../../harness/client';

const startScript = 'scripts/start.mjs';
const testScript = 'scripts/test.mjs';

let folder: string;
let commands: Command[];

beforeEach(() => {
	mkdirSync(tempFolder, { recursive: true });
	folder = mkdtempSync(path.join(tempFolder, 'startup-'));
	commands = [];
});

afterEach(async () => {
	for (const command of commands) {
		command.signal('SIGTERM');
		await command.end();
	}
	rmSync(folder, { recursive: true, force: true });
});

function run(args: string[], options?: CommandOptions): Command {
	const command = new Command(args, options);
	commands.push(command);
	return command;
}

/** A file to load before a script, with something of Node replaced. */
function preload(code: string): string[] {
	const file = path.join(folder, 'preload.cjs');
	writeFileSync(file, code);
	return ['--require', file];
}

/** A program in PATH before all others. @returns the environment that has it */
function fakeProgram(name: string, script: string): Record<string, string> {
	writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return { PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` };
}

function copyInto(clone: string, names: string[]): void {
	for (const name of names) {
		cpSync(path.join(rootFolder, name), path.join(clone, name), { recursive: true });
	}
}

/** The scripts as in a clone in which nothing is installed. */
function freshClone(): string {
	const clone = path.join(folder, 'clone');
	const manifests = ['package.json', 'package-lock.json'];
	copyInto(clone, ['scripts', 'harness/endWithParent.mjs', 'test/e2e/host', ...manifests]);
	return clone;
}

/** The clone with its own sources, built already; what is installed is shared. */
function cloneWithPackages(installed = ['node_modules', '.cache/host']): string {
	const clone = path.join(folder, 'clone');
	const others = ['.cache', '.git', 'dist', 'node_modules'];
	copyInto(
		clone,
		readdirSync(rootFolder).filter((entry) => !others.includes(entry)),
	);
	copyInto(clone, ['.cache/package']);
	for (const shared of installed) {
		symlinkSync(path.join(rootFolder, shared), path.join(clone, shared));
	}
	return clone;
}

/** Expects exit code 1 and nothing on stderr but one line. @returns the line */
async function complaintOf(command: Command): Promise<string> {
	expect(await command.end()).toBe(1);
	const [line = '', ...others] = command.complaints;
	expect(others).toEqual([]);
	return line;
}

describe('trouble ends in one line that says what to do', () => {
	it.each([startScript, testScript])('a Node that is too old for %s', async (script) => {
		const old = preload(
			"Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
		);
		const line = await complaintOf(run([...old, script]));
		expect(line).toBe(
			'Node 18.20.8 is too old: install Node 20.9 or newer and run the command again.',
		);
	});

	it.each([startScript, testScript])('an installation that fails for %s', async (script) => {
		const env = fakeProgram('npm', 'echo "npm error code ENOTFOUND" >&2; exit 1');
		const line = await complaintOf(run([script], { cwd: freshClone(), env }));
		expect(line).toBe(
			"The development packages could not be installed: npm error code ENOTFOUND (details: .cache/logs/npm-install.log). Check the network connection and npm's settings, then run the command again.",
		);
	});

	it('an installation of n8n that fails, beside which the sandbox answers', async () => {
		const inHost =
			'echo "$PWD" >> "$OUT"; case "$PWD" in */.cache/host) sleep 5; echo "npm error ENOSPC" >&2; exit 1;; esac';
		const cwd = cloneWithPackages(['node_modules']);
		const out = path.join(folder, 'npm-calls');
		const options = { cwd, env: { ...fakeProgram('npm', inHost), OUT: out } };
		const command = run([startScript], options);
		await command.says('Installing n8n');
		const [, page = ''] = /in a browser: (\S+)/.exec(command.stdout) ?? [];
		expect((await fetch(page, { headers: { accept: 'text/html' } })).status).toBe(200);
		const line = await complaintOf(command);
		expect(line).toBe(
			"n8n could not be installed: npm error ENOSPC (details: .cache/logs/npm-install-of-n8n.log). Check the network connection and npm's settings, then run the command again.",
		);
		// Nothing is installed without a lock file: npm runs only where there is one.
		const places = readFileSync(out, 'utf8').trim().split('\n');
		const locked = [cwd, path.join(cwd, '.cache/host')].map((place) => realpathSync(place));
		expect(locked).toEqual(expect.arrayContaining(places));
	});
});

describe('npm test', () => {
	it('goes on after a part that fails, shows all, and exits with 1', async () => {
		const code = `
			import { runParts } from './scripts/lib/parts.mjs';
			import { Trouble } from './scripts/lib/trouble.mjs';
			const part = (name, run) => ({ name, run: async () => await run() });
			process.exitCode = await runParts([
				part('first', () => ({ passed: 0, failed: 1, isCheck: true })),
				part('second', () => ({ passed: 3, failed: 2 })),
				part('third', () => { throw new Trouble('Install it.'); }),
				part('fourth', () => ({ passed: 4, failed: 0 })),
			], []);`;
		const command = run(['--input-type=module', '--eval', code]);
		expect(await complaintOf(command)).toBe('Install it.');
		const summary = command.stdout.split('\n\n').at(-1)?.trim().split(/ *\n/);
		expect(summary).toEqual([
			expect.stringMatching(/^first +failed +\d+ s$/),
			expect.stringMatching(/^second +3 passed, 2 failed +\d+ s$/),
			expect.stringMatching(/^third +failed +\d+ s$/),
			expect.stringMatching(/^fourth +4 passed, 0 failed +\d+ s$/),
			'7 passed, 4 failed',
		]);
	});
});

describe('npm start', () => {
	/** Waits until both ports that the demo has named answer, or until none does. */
	async function answers({ stdout }: Command, isServed: boolean): Promise<void> {
		const ports = [...stdout.matchAll(/(?:127\.0\.0\.1:|on port )(\d+)/g)].map(([, port]) => port);
		expect(new Set(ports).size).toBe(2);
		await waitFor(`ports ${ports.join()} to ${isServed ? 'answer' : 'be closed'}`, async () => {
			const asked = ports.map(async (port) => await fetch(`http://127.0.0.1:${port}/`));
			const status = isServed ? 'fulfilled' : 'rejected';
			return (await Promise.allSettled(asked)).every((one) => one.status === status);
		});
	}

	it('ends with all it has started when npm is killed', async () => {
		const command = run(['start'], { program: 'npm' });
		await command.says('Setting up the credentials');
		await answers(command, true);
		command.signal('SIGKILL');
		await answers(command, false);
	});

	it('sends a message, as npm run dev loads the package again after a change, and goes on until Ctrl+C', async () => {
		const clone = cloneWithPackages();
		const command = run(['run', 'dev'], { program: 'npm', cwd: clone });
		await command.says('Press Ctrl+C to stop');
		expect(command.stdout).toContain(` ${exampleFiles().length} example workflows`);
		const [, sent] = /Sent .* id (\S+)\n/.exec(command.stdout) ?? [];
		expect(sent).toBeDefined();
		expect(command.stdout).toContain(`Received  message.delivered, id ${sent}\n`);
		await answers(command, true);
		const [, url = ''] = /Editor +(http:\/\/localhost:\d+)\n/.exec(command.stdout) ?? [];
		const [, password = ''] = /Login +\S+ \/ (\S+)\n/.exec(command.stdout) ?? [];
		const n8n = new N8nApi(await signIn(url, password));
		// The demo installs no other package.
		const settings = await n8n.rest<Record<string, unknown>>('GET', '/module-settings');
		expect(settings['community-packages']).toMatchObject({ communityNodesEnabled: false });
		const shown = async () =>
			String((await n8n.nodeType(`${packageName}.messagingService`))?.description);
		const file = path.join(clone, 'nodes/MessagingService/MessagingService.node.ts');
		await command.says('Watching for file changes');
		const source = readFileSync(file, 'utf8').replace(await shown(), 'Changed');
		const start = Date.now();
		// n8n begins to watch a while after its start, and a busy one late: what it has missed is saved again.
		const isShown = async () => {
			const times = Math.floor((Date.now() - start) / 15_000);
			const saved = `${source}${'\n'.repeat(times)}`;
			if (readFileSync(file, 'utf8') !== saved) writeFileSync(file, saved);
			return (await shown()) === 'Changed';
		};
		await waitFor('n8n to show the change', isShown, longPatienceMs);
		command.signal('SIGINT');
		expect(await command.end()).toBe(0);
		await answers(command, false);
	});
});
