import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { N8nApi } from './api';
import { signIn, type Session } from './client';
import { environment, hostN8n, hostNode } from './environment';
import { cacheFolder, packageName, tarballPath, tempFolder } from './paths';
import { freePort, loopback } from './ports';
import { Supervised } from './supervised';

export interface StartOptions {
	/** Environment variables that win over the harness's own. */
	env?: Record<string, string>;
	/** A free one by default. */
	port?: number;
	/** n8n's user folder, removed at the end; a fresh one by default. */
	userFolder?: string;
	/** Without the package, for those who install it themselves. */
	isBare?: boolean;
}

/** What an n8n process is for; only `start` has the editor's interface, the others need queue mode. */
type Role = 'start' | 'webhook' | 'worker';

/** One n8n process with its task runner. */
export type N8nProcess = Supervised & { url: string };

/** A running n8n with the package installed and an owner signed in. */
export class N8n extends N8nApi {
	constructor(
		/** Its process, to end or restart it as a crash or an operator would, and to read its log. */
		readonly process: N8nProcess,
		session: Session,
	) {
		super(session);
	}

	/** Ends n8n for good, with its folder. */
	async stop(): Promise<void> {
		await this.process.end();
	}
}

/**
 * Starts a real n8n with the package in it, headless, on free ports of this machine.
 * @returns once an owner is signed in
 * @throws in one line when the host or the package is missing, and with the end of n8n's log when
 * n8n does not start
 */
export async function startN8n(options: StartOptions = {}): Promise<N8n> {
	const n8nProcess = await prepareN8n('start', options);
	await n8nProcess.start();
	return new N8n(n8nProcess, await signIn(n8nProcess.url));
}

/**
 * Makes the folder of an n8n process with the package in it, and chooses its ports.
 * @throws in one line when the host or the package is missing
 */
export async function prepareN8n(role: Role, options: StartOptions = {}): Promise<N8nProcess> {
	for (const file of [hostN8n, hostNode, tarballPath]) {
		if (existsSync(file)) continue;
		throw new Error(
			`Run "npm run test:e2e", which prepares n8n and the package (missing: ${file})`,
		);
	}
	mkdirSync(tempFolder, { recursive: true });
	mkdirSync(path.join(cacheFolder, 'n8n'), { recursive: true });
	const folder = options.userFolder ?? mkdtempSync(path.join(cacheFolder, 'n8n/user-'));
	if (!options.isBare) installPackage(folder);

	const port = options.port ?? (await freePort());
	const url = `http://${loopback}:${port}`;
	const isReady = async () => {
		// /healthz answers before the database is migrated, and /rest/settings not at all if the editor is off.
		// "Who am I?" is answered with 401 as soon as everything is there. The other roles don't serve it.
		const [address, status] = role === 'start' ? ['/rest/login', 401] : ['/healthz/readiness', 200];
		const response = await fetch(`${url}${address}`).catch(() => undefined);
		return response?.status === status;
	};
	const env = environment({ folder, port, brokerPort: await freePort(), env: options.env });
	const command = [hostNode, hostN8n, role];
	return Object.assign(new Supervised({ name: 'n8n', command, folder, env, isReady }), { url });
}

/** Where n8n looks for the package. */
export const installedPackage = (userFolder: string): string =>
	path.join(userFolder, '.n8n/nodes/node_modules', packageName);

/** Extracts the tarball there, as an installation does. */
function installPackage(userFolder: string): void {
	const target = installedPackage(userFolder);
	mkdirSync(target, { recursive: true });
	execFileSync('tar', ['-xzf', tarballPath, '--strip-components=1', '-C', target]);
}
