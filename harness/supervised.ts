import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from './waiting';

const supervisorPath = path.join(__dirname, 'supervisor.mjs');

/** For Node's `--import`: ends a process when the one that has started it is gone. */
export const endWithParent = path.join(__dirname, 'endWithParent.mjs');

/** A start is work of n8n's, not a wait for something: on a machine with far more to do it takes longer. */
const startMs = 180_000;
const tailLines = 30;

/** Environment variable: where throw-away folders go at the end, instead of being removed. */
export const keepFolders = 'N8N_FOLDERS_KEPT_IN';

/** What ends a server, as a crash or an operator would. */
export type Signal = 'SIGINT' | 'SIGKILL' | 'SIGTERM';

/** A server to run, and where. */
interface Program {
	/** How errors call it, e.g. "n8n". */
	name: string;
	/** The executable and its arguments. */
	command: string[];
	/** Its working directory; its log lies there as `<name>.log`. */
	folder: string;
	/** Whether the folder is removed at the end, also when this process is killed. */
	isThrowAway: boolean;
	env: Record<string, string>;
	/** Gives true once it serves. */
	isReady: () => Promise<boolean> | boolean;
}

/** One server process with its children. It ends when this process ends, whatever ends it. */
export class Supervised {
	private supervisor: ChildProcess | undefined;
	/** The server's own process id while it runs. */
	pid: number | undefined;
	private ended: Promise<void> = Promise.resolve();
	private exit: string | undefined;

	constructor(private readonly program: Program) {}

	get folder(): string {
		return this.program.folder;
	}

	get logFile(): string {
		return path.join(this.folder, `${this.program.name}.log`);
	}

	/**
	 * Starts the server and waits until it is ready.
	 * @throws when it exits or does not become ready
	 */
	async start(): Promise<void> {
		const { command, folder, isThrowAway, env } = this.program;
		this.exit = undefined;
		const args = [supervisorPath, isThrowAway ? folder : '', this.logFile, ...command];
		const supervisor = spawn(process.execPath, args, {
			cwd: folder,
			env,
			detached: true,
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		});
		this.supervisor = supervisor;
		this.ended = new Promise((resolve) => supervisor.once('exit', () => resolve()));
		supervisor.on('message', (message: { pid?: number; exit?: string | number }) => {
			this.pid = message.pid ?? this.pid;
			if (message.exit !== undefined) this.exit = String(message.exit);
		});
		await this.ready();
	}

	/** Waits until the server serves (again), e.g. after one that it needs was restarted. */
	async ready(): Promise<void> {
		const { name, isReady } = this.program;
		const look = async () => {
			if (this.exit === undefined) return await isReady();
			throw new Error(`${name} ended (${this.exit}) before it was ready`);
		};
		await waitFor(`${name} to become ready`, look, startMs);
	}

	/** Ends the server and everything it started; returns once all are gone. */
	async stop(): Promise<void> {
		this.supervisor?.kill('SIGTERM');
		await this.ended;
		this.supervisor = undefined;
		this.pid = undefined;
	}

	/** Stops the server for good: its throw-away folder goes too. */
	async end(): Promise<void> {
		await this.stop();
		if (!this.program.isThrowAway) return;
		const kept = process.env[keepFolders];
		if (kept === undefined) rmSync(this.folder, { recursive: true, force: true });
		else renameSync(this.folder, path.join(kept, path.basename(this.folder)));
	}

	/** Sends a signal to the server itself, as a crash (SIGKILL) or an operator would, and waits for its end. */
	async kill(signal: Signal): Promise<void> {
		if (this.pid !== undefined) process.kill(this.pid, signal);
		await this.ended;
		this.pid = undefined;
	}

	/** What the server has written so far, e.g. why a webhook could not be removed. */
	log(): string {
		return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
	}

	/** An error that shows what the server said last. */
	failure(message: string): Error {
		const tail = this.log().trimEnd().split('\n').slice(-tailLines).join('\n');
		return new Error(`${message}\n--- end of ${this.program.name}'s log ---\n${tail}`);
	}
}
