import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { packageName } from '../../../harness';
import { loopback } from '../../../harness/ports';

/** An npm registry on this machine that knows one package and asks no other registry. */
export interface Registry {
	url: string;
	/** Publishes a tarball as the newest version. */
	publish(tarball: string): void;
	close(): Promise<void>;
}

/** Starts the registry: what npm reads of one, and nothing else. */
export async function startRegistry(): Promise<Registry> {
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
		publish: (tarball) => {
			const json = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
				encoding: 'utf8',
			});
			const manifest = JSON.parse(json) as { version: string };
			tarballs.set(manifest.version, { manifest, bytes: readFileSync(tarball) });
		},
		close: async () => await app.close(),
	};
}
