import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Command, rootFolder, tempFolder } from '../../../harness';

/** A clone of the scripts; all programs in PATH are stand-ins in its folder `programs`. */
let clone: string;

const put = (name: string, content: string) => {
	const file = path.join(clone, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, content, { mode: 0o755 });
};
const isThere = (name: string) => existsSync(path.join(clone, name));
const program = (name: string, script = '') => put(`programs/${name}`, `#!/bin/sh\n${script}\n`);

/** An apt-get that removes programs, and fails in what it is not able to do. */
const aptGet = (failing = 'nothing') =>
	program(
		'apt-get',
		`echo "$*" >>'${clone}/apt.log'
case "$*" in *" ${failing}"*) exit 100 ;; *" purge chromium") rm '${clone}/programs/chromium' ;; esac`,
	);

beforeEach(() => {
	mkdirSync(tempFolder, { recursive: true });
	clone = mkdtempSync(path.join(tempFolder, 'as-new-'));
	for (const copied of ['.ci', 'scripts', 'harness/endWithParent.mjs'])
		cpSync(path.join(rootFolder, copied), path.join(clone, copied), { recursive: true });
	for (const name of ['chromium', 'google-chrome']) program(name);
	for (const file of ['node_modules/one', '.cache/host/one', '.cache/package/built']) put(file, '');
	for (const file of ['bash', 'dirname', 'env', 'mkdir', 'rm', 'sh'])
		symlinkSync(`/bin/${file}`, path.join(clone, 'programs', file));
	program(
		'npm',
		`case "$1" in
	test) echo "$HOME $NPM_CONFIG_USERCONFIG $NPM_CONFIG_CACHE \${CHROMIUM-none}" ;;
	*) echo "/own/$3" ;;
esac`,
	);
});
afterEach(() => rmSync(clone, { recursive: true }));

/** Runs CI. @param uid of its user */
async function ran({ CI = 'true', uid = 0 } = {}) {
	const isUser = `--import 'data:text/javascript,process.getuid=()=>${uid}'`;
	program('node', `exec '${process.execPath}' ${isUser} "$@"`);
	const env = {
		...{ CI, PATH: path.join(clone, 'programs'), HOME: '/own', CHROMIUM: '/own/chromium' },
		// Those of a CI that runs this test.
		...{ NPM_CONFIG_USERCONFIG: '', NPM_CONFIG_CACHE: '' },
	};
	const command = new Command(['.ci/run'], { program: '/bin/bash', cwd: clone, env });
	expect(await command.end()).toBe(0);
	return command.stdout.trim().split('\n');
}

test('as root on Debian, CI begins without what npm test installs, and with a clean home', async () => {
	aptGet();
	const chrome = path.join(clone, 'programs/google-chrome');
	const home = path.join(clone, '.cache/home');
	expect(await ran()).toEqual([
		`Left from earlier: ${chrome}`,
		`${home} /own/userconfig /own/cache none`,
	]);
	const removed = ['programs/chromium', 'node_modules', '.cache/host'];
	expect(removed.filter(isThere)).toEqual([]);
	expect(isThere('.cache/package/built')).toBe(true);
	expect(readFileSync(path.join(clone, 'apt.log'), 'utf8')).toMatch(
		/ update\n.* install --reinstall --download-only chromium\n.* purge chromium\n$/,
	);
});

test.each(['update', 'install'])('if apt-get %s fails, Chromium is left', async (failing) => {
	aptGet(failing);
	const chromium = path.join(clone, 'programs/chromium');
	expect((await ran())[0]).toBe(`Left from earlier: ${chromium}`);
	expect(isThere('programs/chromium')).toBe(true);
});

test.each([
	['without CI=true', { CI: '' }, true],
	['as somebody other than root', { uid: 1000 }, true],
	['where no apt-get is', {}, false],
])('%s, nothing is removed, but named', async (_where, options, hasAptGet) => {
	if (hasAptGet) aptGet();
	const left = ['programs/chromium', '.cache/host', 'node_modules'];
	const paths = left.map((name) => path.join(clone, name));
	expect(await ran(options)).toEqual([
		`Left from earlier: ${paths.join(', ')}`,
		'/own   /own/chromium',
	]);
	expect(left.filter(isThere)).toEqual(left);
	expect(isThere('apt.log')).toBe(false);
});
