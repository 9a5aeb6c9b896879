import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, rootFolder, tempFolder } from '../../../harness';

/** The only folder in PATH: its programs stand in for those of a machine. */
let folder: string;

beforeEach(() => {
	mkdirSync(tempFolder, { recursive: true });
	folder = realpathSync(mkdtempSync(path.join(tempFolder, 'programs-')));
	symlinkSync('/bin/sh', path.join(folder, 'sh'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes a program of a shell script. @returns its path */
function program(name: string, script = 'exit 0'): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return file;
}

/** An apt-get that writes down its calls and installs empty programs. */
function aptGet(...installs: string[]): void {
	const files = installs.map((name) => `"${path.join(folder, name)}"`).join(' ');
	const make = `for file in ${files}; do echo '#!/bin/sh' >"$file"; /bin/chmod +x "$file"; done`;
	program('apt-get', `echo "$DEBIAN_FRONTEND $*" >&2\ncase "$*" in *" install "*) ${make} ;; esac`);
}

const scripts = pathToFileURL(path.join(rootFolder, 'scripts/lib')).href;

interface Machine {
	env?: object;
	uid?: number;
	ensure?: 'ensureChromium' | 'ensureServers';
}

/** Looks for programs as `npm test` does on a machine that has those of the folder. */
async function looked({ env = {}, uid = 0, ensure = 'ensureChromium' }: Machine = {}) {
	const main = `
		import { runScript } from '${scripts}/command.mjs';
		import { ${ensure} } from '${scripts}/programs.mjs';
		process.getuid = () => ${uid};
		await runScript(async () => {
			await ${ensure}();
			console.log('CHROMIUM=' + process.env.CHROMIUM);
		});`;
	const command = new Command(['--input-type=module', '-e', main], {
		env: { CHROMIUM: '', HOME: folder, PATH: folder, ...env },
	});
	const code = await command.end();
	const found = /^CHROMIUM=(.*)$/m.exec(command.stdout)?.[1];
	return { code, found, stderr: command.stderr };
}

const advice = /^The editor tests need Chromium\. Install the package "chromium" [^\n]+\n$/;

test.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])(
	'%s is found, and nothing is installed',
	async (name) => {
		aptGet();
		const file = program(name);
		expect(await looked()).toMatchObject({ code: 0, found: file, stderr: '' });
	},
);

test('Google Chrome of macOS is found, which is not in PATH', async () => {
	const file = program('Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
	expect(await looked({ uid: 501 })).toMatchObject({ code: 0, found: file });
});

test('a folder and a file that is no program are not taken for Chromium', async () => {
	mkdirSync(path.join(folder, 'chromium'));
	writeFileSync(path.join(folder, 'google-chrome'), '');
	expect(await looked()).toMatchObject({ code: 1, stderr: expect.stringMatching(advice) });
});

test('as root on Debian, what is missing is installed and then found', async () => {
	aptGet('chromium');
	const { code, found, stderr } = await looked();
	expect({ code, found }).toEqual({ code: 0, found: path.join(folder, 'chromium') });
	expect(stderr).toMatch(
		/^noninteractive --yes .* update\nnoninteractive --yes .* install chromium\n$/,
	);
});

test.each([
	['as somebody other than root', 1000, ['chromium']],
	['where apt-get installs nothing', 0, []],
])('%s, the message says what to install', async (_where, uid, installs) => {
	aptGet(...installs);
	const { code, stderr } = await looked({ uid });
	expect(code).toBe(1);
	expect(stderr.replace(/^noninteractive .*\n/gm, '')).toMatch(advice);
	expect(stderr.includes('noninteractive')).toBe(uid === 0);
});

test('as root without apt-get, the message says what to install', async () => {
	expect(await looked()).toMatchObject({ code: 1, stderr: expect.stringMatching(advice) });
});

test('what the variable CHROMIUM names is used, by its path or its name in PATH', async () => {
	program('chromium');
	const other = program('other/chrome');
	const named = program('named');
	for (const [CHROMIUM, found] of [
		[other, other],
		['named', named],
	])
		expect(await looked({ env: { CHROMIUM } })).toMatchObject({ code: 0, found });
});

test('a variable CHROMIUM that names no program is reported, and nothing is installed', async () => {
	program('chromium');
	aptGet('chromium');
	const { code, stderr } = await looked({ env: { CHROMIUM: '/nowhere/chrome' } });
	expect(code).toBe(1);
	expect(stderr).toBe(
		'CHROMIUM is set to /nowhere/chrome, where no program is. Correct or unset it, and run the command again.\n',
	);
});

describe('PostgreSQL and Redis', () => {
	const ensure = 'ensureServers';
	const programs = ['initdb', 'postgres', 'pg_isready', 'redis-server', 'redis-cli'];

	test('are found, and nothing is installed', async () => {
		aptGet();
		for (const name of programs) program(name);
		expect(await looked({ ensure })).toMatchObject({ code: 0, stderr: '' });
	});

	test('are installed as root on Debian if one program is missing', async () => {
		aptGet(...programs);
		program('redis-server');
		const { code, stderr } = await looked({ ensure });
		expect(code).toBe(0);
		expect(stderr).toMatch(/ install postgresql redis\n$/);
	});

	test('are named in the message where they cannot be installed', async () => {
		program('redis-server');
		const { code, stderr } = await looked({ ensure, uid: 1000 });
		expect(code).toBe(1);
		expect(stderr).toMatch(/^The scale tests need PostgreSQL and Redis\. Install both [^\n]+\n$/);
	});
});
