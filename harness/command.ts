import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rootFolder, tempFolder } from './paths';
import { longPatienceMs, waitFor, within } from './waiting';

interface CommandOptions {
	/** What to run; this Node by default. */
	program?: string;
	/** Working directory; the clone by default. */
	cwd?: string;
	/** Added to this process's environment. */
	env?: Record<string, string>;
}

/** A program that runs, as a user has started it. */
export class Command {
	stdout = '';
	stderr = '';
	private readonly child: ChildProcess;
	private readonly closed: Promise<unknown[]>;

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
		this.child = child;
		this.closed = once(child, 'close');
	}

	signal(name: 'SIGINT' | 'SIGKILL' | 'SIGTERM'): void {
		this.child.kill(name);
	}

	/** Waits until it has written a text on stdout. */
	async says(text: string, timeoutMs = longPatienceMs): Promise<void> {
		const look = () => {
			if (this.stdout.includes(text)) return true;
			if (this.child.exitCode === null) return false;
			throw new Error(`Ended without "${text}": ${this.stderr}`);
		};
		await waitFor(`"${text}"`, look, timeoutMs);
	}

	/** Waits for its end. @returns its exit code, null when a signal ended it */
	async end(): Promise<number | null> {
		const [code] = await within('the end of the command', this.closed, longPatienceMs);
		return code as number | null;
	}
}
