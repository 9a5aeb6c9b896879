import { spawn } from 'node:child_process';
import { rootFolder, tempFolder } from './paths';
import { longPatienceMs, waitFor } from './waiting';

export interface CommandOptions {
	/** What to run; this Node when left out. */
	program?: string;
	/** Working directory; the clone when left out. */
	cwd?: string;
	/** Added to this process's environment. */
	env?: Record<string, string>;
}

/** A program that runs, as a user has started it. */
export class Command {
	stdout = '';
	stderr = '';
	private code: number | null | undefined;

	/** Starts a program with the given arguments. */
	constructor(
		args: string[],
		{ program = process.execPath, cwd = rootFolder, env = {} }: CommandOptions = {},
	) {
		const child = spawn(program, args, {
			cwd,
			env: { ...process.env, TMPDIR: tempFolder, ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		child.stdout.on('data', (chunk) => (this.stdout += String(chunk)));
		child.stderr.on('data', (chunk) => (this.stderr += String(chunk)));
		child.on('close', (code) => (this.code = code));
		this.signal = (name) => child.kill(name);
	}

	readonly signal: (name: 'SIGINT' | 'SIGKILL' | 'SIGTERM') => void;

	/** What it wrote on stderr, line by line. */
	get complaints(): string[] {
		return this.stderr.split('\n').filter((line) => line !== '');
	}

	/** Waits until it has written a text on stdout. */
	async says(text: string): Promise<void> {
		const isSaid = () => {
			if (this.stdout.includes(text)) return true;
			if (this.code !== undefined) throw new Error(`Ended without "${text}": ${this.stderr}`);
			return false;
		};
		await waitFor(`"${text}"`, isSaid, longPatienceMs);
	}

	/** Waits for its end. @returns its exit code, null when a signal ended it */
	async end(): Promise<number | null> {
		const { code } = await waitFor(
			'the end of the command',
			() => (this.code === undefined ? undefined : { code: this.code }),
			longPatienceMs,
		);
		return code;
	}
}
