import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageName, tempFolder } from '../../../harness';
import { hostNode } from '../../../harness/environment';

/**
 * The environment of an n8n that installs packages from the tests' registry. n8n tells npm another
 * one and wants a licence for more, so an npm of our own comes first in PATH and takes ours.
 */
export function npmFrom(registryUrl: string): Record<string, string> {
	const folder = mkdtempSync(path.join(tempFolder, 'npm-'));
	const script = [
		'#!/bin/sh',
		'for argument do',
		'	shift',
		'	case "$argument" in --registry=*) ;; *) set -- "$@" "$argument" ;; esac',
		'done',
		`PATH="\${PATH#*:}" exec npm "$@" --registry=${registryUrl}`,
		'',
	];
	writeFileSync(path.join(folder, 'npm'), script.join('\n'), { mode: 0o755 });
	const folders = [folder, path.dirname(hostNode), process.env.PATH ?? ''];
	return {
		PATH: folders.join(path.delimiter),
		// What n8n asks the internet itself fails at once, and it goes on with npm.
		HTTPS_PROXY: 'http://127.0.0.1:9',
		NO_PROXY: '127.0.0.1',
	};
}

/** `npm install` of the package in the folder where n8n looks for packages. */
export async function npmInstall(userFolder: string, registryUrl: string): Promise<void> {
	const folder = path.join(userFolder, '.n8n/nodes');
	mkdirSync(folder, { recursive: true });
	// The package's only peer is n8n-workflow, which n8n itself brings along.
	const options = ['--legacy-peer-deps', '--no-audit', '--no-fund', `--registry=${registryUrl}`];
	await promisify(execFile)('npm', ['install', packageName, ...options], {
		cwd: folder,
		env: { ...process.env, HOME: userFolder },
	});
}
