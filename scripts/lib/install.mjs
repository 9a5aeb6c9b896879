import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { foreground, Trouble } from './command.mjs';
import { cacheFolder, hostFolder, hostSource, newestHost, rootFolder } from './paths.mjs';

/** `--no-save`: an npm with other settings than ours must not rewrite the lock file. */
const install = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'];

/** Installs the development packages, unless exactly these are there. */
export async function ensureDevelopmentPackages() {
	await installedFor(rootFolder, rootFolder, async () => {
		await npm('The development packages', install, 'about 2 minutes');
	});
}

/** Installs the real n8n of a folder and the Node it needs, unless exactly these are there. */
export async function ensureHost(source = hostSource, host = hostFolder) {
	await installedFor(source, host, async () => {
		mkdirSync(host, { recursive: true });
		for (const name of manifests(source)) {
			copyFileSync(path.join(source, name), path.join(host, name));
		}
		await npm('n8n', install, 'once, about 5 minutes and 3 GB', host);
		// The only packages of n8n that need a script: its Node.js and its database driver. All other native
		// parts come ready made, or are not needed here. Everything that runs comes from the lock file.
		const rebuild = ['rebuild', '--ignore-scripts=false', 'node', 'sqlite3'];
		await npm('The native parts of n8n', rebuild, 'about 2 minutes', host);
		const node = path.join(host, 'node_modules/node/bin/node');
		const { status } = spawnSync(node, ['-e', "require('sqlite3')"], { cwd: host });
		if (status !== 0) throw new Trouble('The database driver of n8n cannot be loaded.');
	});
}

/** Installs the newest n8n that can be installed, if it is newer than the tested one; false if there is none. */
export async function ensureNewestHost() {
	const source = `${newestHost}-source`;
	const manifest = JSON.parse(readFileSync(path.join(hostSource, 'package.json'), 'utf8'));
	const limits = { encoding: 'utf8', timeout: 60_000 };
	const { stdout } = spawnSync('npm', ['view', 'n8n', 'versions', '--json'], limits);
	if (!stdout) throw new Trouble('npm returned no list of n8n versions.');
	const all = JSON.parse(stdout).filter((version) => !version.includes('-'));
	for (const folder of [source, newestHost]) mkdirSync(folder, { recursive: true });
	for (const n8n of all.slice(all.indexOf(manifest.dependencies.n8n) + 1).reverse()) {
		const dependencies = { ...manifest.dependencies, n8n };
		writeFileSync(path.join(source, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
		// With a lock file to start from, npm finds out in minutes that a package is missing, otherwise in a quarter of an hour.
		copyFileSync(path.join(hostSource, lock), path.join(newestHost, lock));
		console.log(`Trying n8n ${n8n}`);
		try {
			await ensureHost(source, newestHost);
			return true;
		} catch (error) {
			console.log(String(error));
		}
	}
	console.log(`No n8n newer than ${manifest.dependencies.n8n} can be installed`);
	return false;
}

/** Everything that the package is made of. */
const sources = [
	...['nodes', 'credentials', 'icons', 'package.json', 'tsconfig.json'],
	...['README.md', 'LICENSE', 'CHANGELOG.md'],
];

/** Builds the package and packs it as a user gets it, unless the sources are as they were. */
export async function ensureTarball() {
	const folder = path.join(cacheFolder, 'package');
	const name = 'n8n-nodes-messaging-service';
	await onceFor(path.join(folder, 'sources.sha256'), fingerprint(rootFolder, sources), async () => {
		mkdirSync(folder, { recursive: true });
		const { version } = JSON.parse(readFileSync(path.join(rootFolder, 'package.json'), 'utf8'));
		const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
		console.log('Building and packing the package');
		for (const args of [['run', 'build'], pack]) {
			const options = { cwd: rootFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
			const { status, stdout } = spawnSync('npm', args, options);
			if (status !== 0) throw new Trouble(`The package does not build:\n${stdout}`);
		}
		// The same file as `tarballPath` in `harness/paths.ts`.
		const file = path.join(folder, `${name}.tgz`);
		copyFileSync(path.join(folder, `${name}-${version}.tgz`), file);
	});
}

const lock = 'package-lock.json';

/** Without a lock file, npm uses the newest packages that fit. */
const manifests = (source) =>
	['package.json', lock].filter((name) => existsSync(path.join(source, name)));

/** Beside the packages stands which lock file (without one, which package.json), and which kind of machine, they come from. */
const installedFor = async (source, target, make) =>
	await onceFor(
		path.join(target, 'node_modules/.installed'),
		`${fingerprint(source, manifests(source).slice(-1))} ${process.platform} ${process.arch}`,
		make,
	);

/** @throws if npm fails, after it has said why */
async function npm(what, args, duration, cwd) {
	console.log(`Installing: ${what} (${duration})`);
	if ((await foreground('npm', [...args, '--loglevel=error'], { cwd })) === 0) return;
	throw new Trouble(
		`${what} could not be installed. Check the network connection and npm's settings, then run the command again.`,
	);
}

/** A fingerprint of files and folders with their names. */
function fingerprint(root, names) {
	const hash = createHash('sha256');
	const add = (name) => {
		const file = path.join(root, name);
		if (statSync(file).isDirectory()) {
			for (const entry of readdirSync(file).sort()) add(path.join(name, entry));
		} else {
			hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
		}
	};
	names.forEach(add);
	return hash.digest('hex');
}

/** Makes something, unless a file says that it was made of the same; then the file says so. */
async function onceFor(file, value, make) {
	if (existsSync(file) && readFileSync(file, 'utf8') === value) return;
	await make();
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, value);
}
