/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- runs on the developer's machine, never inside n8n */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from './waiting';
import { HOST_N8N, HOST_NODE } from './environment';

const SUPERVISOR = path.join(__dirname, 'supervisor.mjs');
const START_MS = 180_000;
const TAIL_LINES = 30;

/** Environment variable: where throw-away folders go at the end, instead of being removed. */
export const KEEP_FOLDERS = 'N8N_FOLDERS_KEPT_IN';

/** One n8n process with its task runner. It ends when this process ends, whatever ends it. */
export class N8nProcess {
	private supervisor: ChildProcess | undefined;
	/** n8n's own process id while it runs. */
	pid: number | undefined;
	private ended: Promise<void> = Promise.resolve();
	private exit: string | undefined;

	/**
	 * @param folder n8n's user folder
	 * @param isThrowAway whether the folder is removed at the end, also when this process is killed
	 */
	constructor(
		readonly url: string,
		readonly folder: string,
		readonly isThrowAway: boolean,
		private readonly env: Record<string, string>,
	) {}

	get logFile(): string {
		return path.join(this.folder, 'n8n.log');
	}

	/**
	 * Starts n8n and waits until its HTTP interface answers.
	 * @throws when it exits or does not become ready
	 */
	async start(): Promise<void> {
		this.exit = undefined;
		const folder = this.isThrowAway ? this.folder : '';
		const command = [HOST_NODE, HOST_N8N, 'start'];
		const supervisor = spawn(process.execPath, [SUPERVISOR, folder, this.logFile, ...command], {
			// The user folder as working directory: n8n reads a `.env` file from there.
			cwd: this.folder,
			env: this.env,
			detached: true,
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		});
		this.supervisor = supervisor;
		this.ended = new Promise((resolve) => supervisor.once('exit', () => resolve()));
		supervisor.on('message', (message: { pid?: number; exit?: string | number }) => {
			this.pid = message.pid ?? this.pid;
			if (message.exit !== undefined) this.exit = String(message.exit);
		});
		await waitFor('n8n to become ready', async () => await this.isReady(), START_MS);
	}

	/** Ends n8n and everything it started; returns once all are gone. */
	async stop(): Promise<void> {
		this.supervisor?.kill('SIGTERM');
		await this.ended;
		this.supervisor = undefined;
		this.pid = undefined;
	}

	/** Stops n8n for good: its throw-away folder goes too. */
	async end(): Promise<void> {
		await this.stop();
		if (!this.isThrowAway) return;
		const kept = process.env[KEEP_FOLDERS];
		if (kept === undefined) rmSync(this.folder, { recursive: true, force: true });
		else renameSync(this.folder, path.join(kept, path.basename(this.folder)));
	}

	/** Sends a signal to n8n itself, as a crash (SIGKILL) or an operator would, and waits for its end. */
	async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
		if (this.pid !== undefined) process.kill(this.pid, signal);
		await this.ended;
		this.pid = undefined;
	}

	/** What n8n has written so far, e.g. why a webhook could not be removed. */
	log(): string {
		return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
	}

	/** An error that shows what n8n said last. */
	failure(message: string): Error {
		const tail = this.log().trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
		return new Error(`${message}\n--- end of n8n's log ---\n${tail}`);
	}

	private async isReady(): Promise<true | undefined> {
		if (this.exit !== undefined) throw new Error(`n8n ended (${this.exit}) before it was ready`);
		// /healthz answers before the database is migrated, and /rest/settings not at all when the
		// editor is off. "Who am I?" is answered with 401 as soon as everything is there.
		const response = await fetch(`${this.url}/rest/login`).catch(() => undefined);
		return response?.status === 401 ? true : undefined;
	}
}
