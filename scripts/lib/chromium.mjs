import { existsSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './command.mjs';
import { Trouble } from './trouble.mjs';

/** Under these names systems know the browser; any of them will do. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Finds Chromium, or installs Debian's where that is possible, and names it to the tests. */
export async function ensureChromium() {
	process.env.CHROMIUM ||= find() ?? (await install());
}

/** The first of the programs that PATH leads to. */
function find() {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
	return files.find((file) => existsSync(file));
}

async function install() {
	if (process.getuid?.() !== 0) throw trouble('only root may install it');
	console.log('Installing the package "chromium" of this Debian (once, about 2 minutes)');
	const failure =
		(await quietly('apt-get update', 'apt-get', ['update'])) ??
		(await quietly('apt-get install', 'apt-get', ['install', '--yes', 'chromium']));
	const found = find();
	if (failure || !found) throw trouble(failure ?? 'apt-get installed none');
	return found;
}

const trouble = (reason) =>
	new Trouble(
		`The tests of the editor need Chromium, and ${reason}. Install the package "chromium" (Debian: apt-get install chromium) or Google Chrome, or set CHROMIUM to the path of the program, and run the command again.`,
	);
