import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fastify from 'fastify';
import { packageName, tarballPath, tempFolder } from '../../../harness';
import { hostNode } from '../../../harness/environment';
import { loopback } from '../../../harness/ports';

/** An npm registry on this machine that knows one package and asks no other registry. */
export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** Starts the registry: what npm reads of one, and nothing else. */
export async function startRegistry() {
	const app = fastify();
	const tarballs = new Map<string, { manifest: { version: string }; bytes: Buffer }>();
	const addressOf = (version: string) => `${url}/${packageName}/-/${packageName}-${version}.tgz`;

	app.get(`/${packageName}`, () => {
		const versions = [...tarballs.values()].map(({ manifest, bytes }) => {
			const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
			const dist = { tarball: addressOf(manifest.version), integrity };
			return [manifest.version, { ...manifest, dist }] as const;
		});
		const latest = versions.at(-1)?.[0];
		return { name: packageName, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
	});
	app.get<{ Params: { file: string } }>(`/${packageName}/-/:file`, (request, reply) => {
		const version = request.params.file.slice(packageName.length + 1, -'.tgz'.length);
		const found = tarballs.get(version);
		return found ? reply.type('application/octet-stream').send(found.bytes) : reply.callNotFound();
	});

	const url = await app.listen({ host: loopback, port: 0 });
	return {
		url,
		/** Publishes a tarball as the newest version. */
		publish: (tarball: string) => {
			const json = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
				encoding: 'utf8',
			});
			const manifest = JSON.parse(json) as { version: string };
			tarballs.set(manifest.version, { manifest, bytes: readFileSync(tarball) });
		},
		close: async () => await app.close(),
	};
}

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

/** Packs the package once more, under another version. @returns the new tarball */
export function packAs(version: string): string {
	const folder = mkdtempSync(path.join(tempFolder, 'package-'));
	execFileSync('tar', ['-xzf', tarballPath, '-C', folder]);
	const manifestFile = path.join(folder, 'package/package.json');
	const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as object;
	writeFileSync(manifestFile, JSON.stringify({ ...manifest, version }));
	const tarball = path.join(folder, `${version}.tgz`);
	execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
	return tarball;
}
