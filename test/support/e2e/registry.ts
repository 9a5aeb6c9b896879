import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fastify from 'fastify';
import { packageName, tarballPath, tempFolder } from '../../../harness';
import { hostNode } from '../../../harness/environment';
import { loopback } from '../../../harness/ports';

/** An npm registry on this machine that has one package and asks no other registry. */
export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** Starts the registry: what npm reads of one, and nothing else. */
export async function startRegistry() {
	const app = fastify();
	const versions: Record<string, object> = {};
	const tarballs = new Map<string, Buffer>();
	app.get(`/${packageName}`, () => {
		const latest = Object.keys(versions).at(-1);
		return { name: packageName, 'dist-tags': { latest }, versions };
	});
	app.get<{ Params: { version: string } }>('/tarballs/:version', ({ params }, reply) =>
		reply.type('application/octet-stream').send(tarballs.get(params.version)),
	);
	const url = await app.listen({ host: loopback, port: 0 });
	return {
		url,
		/** Publishes the package as its newest version, under another number if one is given. */
		publish: (version?: string) => {
			const folder = mkdtempSync(path.join(tempFolder, 'package-'));
			const [tarball, file] = ['package.tgz', 'package/package.json'];
			execFileSync('tar', ['-xzf', tarballPath], { cwd: folder });
			const manifestFile = path.join(folder, file);
			const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { version: string };
			manifest.version = version ?? manifest.version;
			writeFileSync(manifestFile, JSON.stringify(manifest));
			execFileSync('tar', ['-czf', tarball, 'package'], { cwd: folder });
			const bytes = readFileSync(path.join(folder, tarball));
			const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
			const dist = { tarball: `${url}/tarballs/${manifest.version}`, integrity };
			versions[manifest.version] = { ...manifest, dist };
			tarballs.set(manifest.version, bytes);
		},
		close: async () => await app.close(),
	};
}

/**
 * The environment of an n8n that installs packages from the tests' registry. n8n gives npm another
 * one and wants a license for more, so an npm of our own comes first in PATH and uses ours.
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
		// What n8n requests from the internet itself fails at once, and it goes on with npm.
		HTTPS_PROXY: 'http://127.0.0.1:9',
		NO_PROXY: '127.0.0.1',
	};
}
