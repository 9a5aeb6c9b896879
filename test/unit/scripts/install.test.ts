import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Command, rootFolder, tempFolder, waitFor } from '../../../harness';

/**
 * Stands in for npm, which takes each package that has a package.json for whole. What happens while a package is
 * unpacked or built, is in a file.
 */
const npm = `#!${process.execPath}
const fs = require('node:fs');
const [command] = process.argv.slice(2);
const clone = process.env.CLONE;
if (command !== 'ping')
	fs.appendFileSync(clone + '/npm.log', command + ' ' + require('node:path').basename(process.cwd()) + '\\n');
const happens = async () => await eval('(async () => {' + fs.readFileSync(clone + '/' + command + '.js', 'utf8') + '})()');
const steps = {
	async ping() {
		await happens();
	},
	async install() {
		const isThere = fs.existsSync('node_modules/one/package.json');
		fs.mkdirSync('node_modules/one', { recursive: true });
		fs.writeFileSync('node_modules/one/package.json', '{}');
		await happens();
		if (!isThere) fs.writeFileSync('node_modules/one/index.js', '');
		fs.writeFileSync('node_modules/.package-lock.json', '{}');
	},
	async rebuild() {
		await happens();
		fs.mkdirSync('node_modules/node/bin', { recursive: true });
		fs.writeFileSync('node_modules/node/bin/node', '#!/bin/sh', { mode: 0o755 });
	},
	async pack() {
		fs.writeFileSync(process.argv.at(-1) + '/n8n-nodes-messaging-service-1.2.3.tgz', '');
	},
};
steps[command]?.();
`;

/** The scripts, in a folder where nothing is installed. */
let clone: string;
let commands: Command[];

const put = (name: string, content: string) => {
	const file = path.join(clone, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, content, { mode: 0o755 });
};
const isThere = (name: string) => existsSync(path.join(clone, name));

/** Makes the clone. @param name of its folder */
function prepare(name = 'clone'): void {
	mkdirSync(tempFolder, { recursive: true });
	clone = path.join(mkdtempSync(path.join(tempFolder, 'install-')), name);
	for (const copied of ['scripts', 'harness/endWithParent.mjs'])
		cpSync(path.join(rootFolder, copied), path.join(clone, copied), { recursive: true });
	put('package.json', '{"version":"1.2.3"}');
	for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'tsconfig.json']) put(file, '');
	for (const folder of ['nodes', 'credentials', 'icons']) put(`${folder}/any`, '');
	const lock = JSON.stringify({ packages: { '': {}, 'node_modules/one': {} } });
	for (const folder of ['', 'test/e2e/host/']) put(`${folder}package-lock.json`, lock);
	put('test/e2e/host/package.json', '{}');
	put('programs/npm', npm);
	for (const command of ['ping', 'install', 'rebuild']) put(`${command}.js`, '');
}

beforeEach(() => {
	commands = [];
	prepare();
});
afterEach(async () => {
	for (const command of commands) {
		command.signal('SIGKILL');
		await command.end();
	}
	rmSync(path.dirname(clone), { recursive: true, force: true });
});

type Ensure = 'ensureDevelopmentPackages' | 'ensureEverything' | 'ensureHost';

/**
 * Starts an installation.
 * @param options.before runs first, in the same process
 */
function start(
	ensure: Ensure = 'ensureDevelopmentPackages',
	{
		before = '',
		PATH = [path.join(clone, 'programs'), process.env.PATH].join(path.delimiter),
	} = {},
): Command {
	const main = `
		import fs from 'node:fs';
		import { runScript } from './scripts/lib/command.mjs';
		import * as installing from './scripts/lib/install.mjs';
		${before};
		await runScript(installing.${ensure});`;
	const args = ['--input-type=module', '-e', main];
	const command = new Command(args, { cwd: clone, env: { CLONE: clone, PATH } });
	commands.push(command);
	return command;
}

async function ended(command: Command) {
	const code = await command.end();
	const { stdout, stderr } = command;
	return { code, stdout, stderr };
}

/** Calls of npm, e.g. "install clone". */
const calls = () => readFileSync(path.join(clone, 'npm.log'), 'utf8').trim().split('\n');

const good = { code: 0, stderr: '' };
const whole = 'node_modules/one/index.js';
/** While the first package is unpacked, until the test lets it go on. */
const slow = `
	fs.writeFileSync(clone + '/unpacking', '');
	while (!fs.existsSync(clone + '/goOn')) await new Promise((resolve) => setTimeout(resolve, 50));`;
const unpacking = async () => await waitFor('the first package', () => isThere('unpacking'));

test('both installations and the package are made once', async () => {
	expect(await ended(start('ensureEverything'))).toMatchObject(good);
	const made = ['install clone', 'install host', 'pack clone', 'rebuild host', 'run clone'];
	expect(calls().sort()).toEqual(made);
	expect(isThere('.cache/package/n8n-nodes-messaging-service.tgz')).toBe(true);
	expect(await ended(start('ensureEverything'))).toEqual({ ...good, stdout: '' });
	expect(calls()).toHaveLength(made.length);
});

test('after Ctrl+C, an installation starts over', async () => {
	put('install.js', slow);
	const first = start();
	await unpacking();
	first.signal('SIGINT');
	expect(await ended(first)).toMatchObject({
		code: 1,
		stderr: 'Stopped. What was finished is kept: run the command again to go on.\n',
	});
	put('install.js', '');
	expect(await ended(start())).toMatchObject(good);
	expect(isThere(whole)).toBe(true);
});

test('after kill -9, the next one waits for an npm that goes on, and starts over', async () => {
	put('install.js', slow);
	const first = start();
	await unpacking();
	first.signal('SIGKILL');
	await first.end();
	const second = start();
	await second.says('Waiting for another command in this folder (process ');
	put('install.js', '');
	put('goOn', '');
	expect(await ended(second)).toMatchObject(good);
	expect(calls()).toEqual(['install clone', 'install clone']);
	expect(isThere(whole)).toBe(true);
});

test('another n8n that is installed meanwhile changes nothing about an unfinished one', async () => {
	put('install.js', 'process.exit(1)');
	expect((await ended(start('ensureHost'))).code).toBe(1);
	put('install.js', '');
	// As after an update that was interrupted.
	put('.cache/host/node_modules/.package-lock.json', '{}');
	const before = 'await installing.ensureHost(undefined, `${process.env.CLONE}/.cache/other`)';
	expect(await ended(start('ensureHost', { before }))).toMatchObject(good);
	expect(isThere(`.cache/host/${whole}`)).toBe(true);
});

test('of two at once, the second waits for the first', async () => {
	put('install.js', slow);
	const first = start();
	await unpacking();
	const second = start();
	await second.says('which prepares the development packages');
	put('goOn', '');
	for (const command of [first, second]) expect(await ended(command)).toMatchObject(good);
	expect(calls()).toEqual(['install clone']);
});

test('a wait for a process that is something else ends when the file that it names is deleted', async () => {
	put('.cache/making-node_modules-.installed', String(process.pid));
	const command = start();
	await command.says('run the command again.');
	const [, file = ''] = /delete "(.*)"/.exec(command.stdout) ?? [];
	expect(isThere('npm.log')).toBe(false);
	rmSync(file);
	expect(await ended(command)).toMatchObject(good);
});

test('if one installation fails, the other one is stopped', async () => {
	put('install.js', `if (process.cwd() === clone) process.exit(1);${slow}`);
	const { code, stderr } = await ended(start('ensureEverything'));
	expect(code).toBe(1);
	expect(stderr).toMatch(/^\nInstalling the development packages has failed/);
});

test("a contributor's own installation that was interrupted starts over", async () => {
	put('node_modules/one/package.json', '{}');
	expect(await ended(start())).toMatchObject(good);
	expect(isThere(whole)).toBe(true);
});

test.each([
	[
		'npm error code ENOTFOUND',
		1,
		"Check the network connection and npm's settings for registry, proxy and certificates",
	],
	[
		'npm error code EACCES\nnpm error path /home/.npm',
		1,
		"npm can't write to the folder named above",
	],
	['npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left', 0, 'The disk is full: free about 5 GB'],
	['npm error code EINTEGRITY', 1, 'npm writes above what is wrong: correct it'],
])('%j becomes advice, and the next start installs everything', async (output, code, advice) => {
	put(
		'install.js',
		`console.error(${JSON.stringify(output)}); if (${code}) process.exit(${code});`,
	);
	const { stderr, ...first } = await ended(start());
	expect(first.code).toBe(1);
	expect(stderr).toMatch(`${output}\nInstalling the development packages has failed. ${advice}`);
	put('install.js', '');
	expect(await ended(start())).toMatchObject(good);
	expect(isThere(whole)).toBe(true);
});

test.each([
	[
		'npm error code ENOTFOUND\\nnpm error network request to https://registry.example/-/ping failed, reason: getaddrinfo ENOTFOUND registry.example',
		{
			code: 1,
			stdout: '',
			stderr:
				"npm can't reach its registry: getaddrinfo ENOTFOUND registry.example. Check the network connection and npm's settings for registry, proxy and certificates, then run the command again.\n",
		},
	],
	['npm error code E404', { code: 0 }],
	['npm error code ENEEDAUTH', { code: 0 }],
])('before an installation, npm looks for its registry: %s', async (output, expected) => {
	put('ping.js', `console.error('${output}'); process.exit(1)`);
	expect(await ended(start())).toMatchObject(expected);
	expect(isThere('node_modules')).toBe(expected.code === 0);
});

test('a small disk is reported before anything is downloaded', async () => {
	const before = 'fs.statfsSync = () => ({ bavail: 4_900_000, bsize: 1_000 })';
	expect(await ended(start('ensureEverything', { before }))).toEqual({
		code: 1,
		stdout: '',
		stderr:
			'The packages need about 5 GB of the disk, and 4.9 GB are free. Free more, then run the command again.\n',
	});
});

test("a clone that is somebody else's is reported in one line", async () => {
	const before = `
		fs.mkdirSync = () => { throw Object.assign(new Error(), { code: 'EACCES', path: '/clone/.cache' }); };
		(await import('node:module')).syncBuiltinESMExports()`;
	expect(await ended(start('ensureEverything', { before }))).toEqual({
		code: 1,
		stdout: '',
		stderr:
			'This user can\'t write to "/clone/.cache". Make the folder and what is in it yours (it may belong to root after sudo), then run the command again.\n',
	});
});

describe('a driver that does not compile', () => {
	const compilers = ['python3', 'make', 'g++'];

	test.each([
		[
			'a missing compiler',
			'clone',
			compilers.slice(1),
			'install Python 3, make and a C++ compiler',
		],
		['a path with a space', 'my clone', compilers, 'to a path without one'],
		['something else', 'clone', compilers, 'npm writes above what is wrong'],
	])('because of %s', async (_what, name, programs, advice) => {
		rmSync(path.dirname(clone), { recursive: true });
		prepare(name);
		put('rebuild.js', 'process.exit(1)');
		for (const program of programs) put(`programs/${program}`, '');
		const PATH = path.join(clone, 'programs');
		const { code, stderr } = await ended(start('ensureHost', { PATH }));
		expect(code).toBe(1);
		expect(stderr).toMatch('Installing the native parts of n8n has failed. ');
		expect(stderr).toMatch(advice);
		// What was unpacked is kept.
		put('rebuild.js', '');
		expect(await ended(start('ensureHost', { PATH }))).toMatchObject(good);
		expect(calls()).toEqual(['install host', 'rebuild host', 'rebuild host']);
	});
});

test.each(['start', 'test'])(
	'%s: a Node that is too old is reported in one line',
	async (script) => {
		put('scripts/lib/command.mjs', 'syntax that it does not know');
		const args = ['--no-experimental-require-module', `scripts/${script}.mjs`];
		const command = new Command(args, { cwd: clone });
		commands.push(command);
		expect(await ended(command)).toEqual({
			code: 1,
			stdout: '',
			stderr: `Node ${process.versions.node} can't be used: install Node 20.19, 22.12 or newer and run the command again.\n`,
		});
	},
);

test('programs reach servers of this machine directly, and others as the user has set it', async () => {
	const main = `
		import { foreground } from './scripts/lib/command.mjs';
		await foreground(process.execPath, ['-p', 'process.env.NO_PROXY + " " + process.env.no_proxy']);`;
	const direct = async (env: Record<string, string>) => {
		const args = ['--input-type=module', '-e', main];
		return (await ended(new Command(args, { cwd: clone, env }))).stdout.trim();
	};
	const own = 'localhost,127.0.0.1,::1';
	expect(await direct({ NO_PROXY: 'a.example', no_proxy: '' })).toBe(
		`a.example,${own} a.example,${own}`,
	);
});
