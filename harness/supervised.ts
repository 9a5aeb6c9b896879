import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { longPatienceMs, waitFor, within } from './waiting';

const supervisorPath = path.join(__dirname, 'supervisor.mjs');

/** For Node's `--import`: ends a process when the one that has started it is gone. */
export const endWithParent = path.join(__dirname, 'endWithParent.mjs');

const tailLines = 30;

/** Environment variable: where folders go at the end, instead of being removed. */
export const keepFolders = 'N8N_FOLDERS_KEPT_IN';

type Signal = 'SIGINT' | 'SIGKILL' | 'SIGTERM';

/** A server to run, and where. */
interface Program {
	/** How errors call it, e.g. "n8n". */
	name: string;
	/** The executable and its arguments. */
	command: string[];
	/** Its working directory with its log, removed at the end, even if this process is killed. */
	folder: string;
	env: Record<string, string>;
	/** Returns true once it serves. */
	isReady: () => Promise<boolean> | boolean;
}

/** One server process with its children. It ends when this process ends, whatever ends it. */
export class Supervised {
	private supervisor: ChildProcess | undefined;

	constructor(private readonly program: Program) {}

	get folder(): string {
		return this.program.folder;
	}

	private get logFile(): string {
		return path.join(this.folder, `${this.program.name}.log`);
	}

	private get isRunning(): boolean {
		return this.supervisor?.exitCode === null && this.supervisor.signalCode === null;
	}

	/**
	 * Starts the server and waits until it is ready.
	 * @throws with the end of its log if it exits or doesn't become ready; it has ended for good then
	 */
	async start(): Promise<void> {
		const { name, command, folder, env } = this.program;
		this.supervisor = spawn(process.execPath, [supervisorPath, folder, this.logFile, ...command], {
			cwd: folder,
			env,
			detached: true,
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		});
		try {
			await this.ready();
		} catch (error) {
			const tail = this.log().trimEnd().split('\n').slice(-tailLines).join('\n');
			await this.end();
			throw new Error(`${(error as Error).message}\n--- end of ${name}'s log ---\n${tail}`);
		}
	}

	/** Waits until the server serves (again), e.g. after one that it needs was restarted. */
	async ready(): Promise<void> {
		const { name, isReady } = this.program;
		const look = async () => {
			if (this.isRunning) return await isReady();
			throw new Error(`${name} ended before it was ready`);
		};
		await waitFor(`${name} to become ready`, look);
	}

	/** Ends the server with a signal, as a crash (SIGKILL) or an operator would, and then everything it started. */
	async kill(signal: Signal = 'SIGTERM'): Promise<void> {
		if (!this.supervisor || !this.isRunning) return;
		this.supervisor.send(signal);
		await within(`${this.program.name} to end`, once(this.supervisor, 'exit'), longPatienceMs);
	}

	/** Ends the server, unless it has ended, and starts it again with the same settings. */
	async restart(signal?: Signal): Promise<void> {
		await this.kill(signal);
		await this.start();
	}

	/** Ends the server for good. */
	async end(): Promise<void> {
		await this.kill();
		const kept = process.env[keepFolders];
		if (kept === undefined) rmSync(this.folder, { recursive: true, force: true });
		else renameSync(this.folder, path.join(kept, path.basename(this.folder)));
	}

	/** What the server has written so far, e.g. why a webhook couldn't be removed. */
	log(): string {
		return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
	}
}
