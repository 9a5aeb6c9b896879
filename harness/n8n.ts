import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { N8nApi } from './api';
import { signIn, type Session } from './client';
import { environment, hostN8n, hostNode } from './environment';
import { cacheFolder, packageName, tarballPath, tempFolder } from './paths';
import { freePort, loopback } from './ports';
import { endWithParent, Supervised, type Signal } from './supervised';

export interface StartOptions {
	/** Environment variables that win over the harness's own. */
	env?: Record<string, string>;
	/** A free one when left out. */
	port?: number;
	/** A folder to use again, e.g. with the state of an earlier run; a fresh one when left out. */
	userFolder?: string;
	/** Without the package, for those who install it themselves. */
	isBare?: boolean;
}

/** What an n8n process is for; only `start` has the editor's interface, the others need queue mode. */
type Role = 'start' | 'webhook' | 'worker';

/**
 * What each role answers once it serves. /healthz answers before the database is migrated, and
 * /rest/settings not at all when the editor is off. "Who am I?" is answered with 401 as soon as
 * everything is there; the others have an address for it.
 */
const ready: Record<Role, { path: string; status: number }> = {
	start: { path: '/rest/login', status: 401 },
	webhook: { path: '/healthz/readiness', status: 200 },
	worker: { path: '/healthz/readiness', status: 200 },
};

/** One n8n process with its task runner. It ends when this process ends, whatever ends it. */
export class N8nProcess extends Supervised {
	/**
	 * @param folder n8n's user folder, also its working directory: n8n reads a `.env` file from there
	 * @param isThrowAway whether the folder is removed at the end, also when this process is killed
	 */
	constructor(
		readonly url: string,
		folder: string,
		isThrowAway: boolean,
		env: Record<string, string>,
		role: Role,
	) {
		const { path: asked, status } = ready[role];
		super({
			name: 'n8n',
			command: [hostNode, '--import', endWithParent, hostN8n, role],
			folder,
			isThrowAway,
			env,
			isReady: async () => {
				const response = await fetch(`${url}${asked}`).catch(() => undefined);
				return response?.status === status;
			},
		});
	}
}

/** A running n8n with the package installed and an owner signed in. */
export class N8n extends N8nApi {
	constructor(
		private readonly process: N8nProcess,
		session: Session,
	) {
		super(session);
	}

	get userFolder(): string {
		return this.process.folder;
	}

	/** What n8n has written so far. */
	readonly log = () => this.process.log();

	/** Waits until n8n serves (again), e.g. after its database was restarted. */
	readonly ready = async () => await this.process.ready();

	/** Ends n8n with a signal, e.g. SIGKILL as a crash does; `restart()` brings it back. */
	readonly kill = async (signal: Signal) => await this.process.kill(signal);

	/** Ends n8n, its task runner and its folder. */
	readonly stop = async () => await this.process.end();

	/** Stops n8n in good order and starts it again with the same port, folder and settings. */
	async restart(): Promise<void> {
		await this.process.stop();
		await this.process.start();
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
	return await startProcess(
		n8nProcess,
		async () => new N8n(n8nProcess, await signIn(n8nProcess.url)),
	);
}

/**
 * Makes the folder of an n8n process with the package in it, and chooses its ports.
 * @throws in one line when the host or the package is missing
 */
export async function prepareN8n(role: Role, options: StartOptions = {}): Promise<N8nProcess> {
	requireFile(hostN8n, 'n8n is not installed');
	requireFile(hostNode, 'n8n is not installed');
	requireFile(tarballPath, 'The package is not packed');

	const port = options.port ?? (await freePort());
	const brokerPort = await freePort();
	const folder = options.userFolder ?? freshFolder();
	if (!options.isBare) installPackage(folder);

	const env = environment({ userFolder: folder, port, brokerPort, env: options.env });
	const isThrowAway = !options.userFolder;
	return new N8nProcess(`http://${loopback}:${port}`, folder, isThrowAway, env, role);
}

/**
 * Starts a process and does what comes next; a failure of either ends it for good.
 * @throws with the end of its log
 */
export async function startProcess<T>(started: Supervised, next: () => Promise<T> | T): Promise<T> {
	try {
		await started.start();
		return await next();
	} catch (error) {
		const failure = started.failure(error instanceof Error ? error.message : String(error));
		await started.end();
		throw failure;
	}
}

/** Where n8n looks for the package. */
export const installedPackage = (userFolder: string): string =>
	path.join(userFolder, '.n8n/nodes/node_modules', packageName);

/** Extracts the tarball there, as an installation does. */
function installPackage(userFolder: string): void {
	const target = installedPackage(userFolder);
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	execFileSync('tar', ['-xzf', tarballPath, '--strip-components=1', '-C', target]);
}

function freshFolder(): string {
	mkdirSync(tempFolder, { recursive: true });
	mkdirSync(path.join(cacheFolder, 'n8n'), { recursive: true });
	return mkdtempSync(path.join(cacheFolder, 'n8n/user-'));
}

function requireFile(file: string, what: string): void {
	if (existsSync(file)) return;
	throw new Error(`${what}: run "npm run test:e2e", which prepares it (missing: ${file})`);
}
