import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
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

/** A clone with some files of this one. */
function cloneOf(names: string[]): string {
	const clone = path.join(folder, 'clone');
	for (const name of names) {
		cpSync(path.join(rootFolder, name), path.join(clone, name), { recursive: true });
	}
	return clone;
}

/** The clone with its own sources, built already; what is installed is shared. */
function cloneWithPackages(): string {
	const others = ['.cache', '.git', 'dist', 'node_modules'];
	const own = readdirSync(rootFolder).filter((entry) => !others.includes(entry));
	const clone = cloneOf([...own, '.cache/package']);
	for (const shared of ['node_modules', '.cache/host']) {
		symlinkSync(path.join(rootFolder, shared), path.join(clone, shared));
	}
	return clone;
}

test('an installation that fails ends in one line that says what to do', async () => {
	const npm = '#!/bin/sh\necho "npm error code ENOTFOUND" >&2; exit 1\n';
	writeFileSync(path.join(folder, 'npm'), npm, { mode: 0o755 });
	const PATH = `${folder}${path.delimiter}${process.env.PATH ?? ''}`;
	const cwd = cloneOf([
		'scripts',
		'harness/endWithParent.mjs',
		'package.json',
		'package-lock.json',
	]);
	const command = run(['scripts/start.mjs'], { cwd, env: { PATH } });
	expect(await command.end()).toBe(1);
	expect(command.complaints).toEqual([
		"The development packages could not be installed: npm error code ENOTFOUND (details: .cache/logs/npm-install.log). Check the network connection and npm's settings, then run the command again.",
	]);
});

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

test('npm run dev sends a message as npm start does, loads the package again after a change, and goes on until Ctrl+C', async () => {
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
