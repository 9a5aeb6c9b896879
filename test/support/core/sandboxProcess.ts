import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { SandboxControl, type Sandbox } from '../../../sandbox';

const root = path.resolve(__dirname, '../../..');

/** The running command; `stdout` and `stderr` grow. */
export interface SandboxCommand {
	child: ChildProcess;
	stdout: string;
	stderr: string;
	/** The exit code. */
	ended: Promise<number | null>;
}

/** Runs `npm run sandbox -- …args`. */
export function runSandbox(...args: string[]): SandboxCommand {
	const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts', ...args], {
		cwd: root,
	});
	const command = {
		child,
		stdout: '',
		stderr: '',
		ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
	};
	child.stdout.on('data', (chunk: Buffer) => (command.stdout += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (command.stderr += chunk.toString()));
	return command;
}

/**
 * Waits until the command has printed where it serves.
 *
 * @throws when it ends instead
 */
export async function served(command: SandboxCommand): Promise<Sandbox> {
	while (!command.stdout.includes('/__sandbox/info\n')) {
		const more = new Promise((resolve) => command.child.stdout?.once('data', resolve));
		await Promise.race([command.ended, more]);
		if (command.child.exitCode !== null) throw new Error(`No sandbox: ${command.stderr}`);
	}
	const find = (pattern: RegExp) => pattern.exec(command.stdout)?.[1] ?? '';
	const baseUrl = find(/Sandbox: +(\S+)/);
	const { origin, port } = new URL(baseUrl);
	return {
		url: origin,
		baseUrl,
		port: Number(port),
		keys: { production: find(/Production key: +(\S+)/), test: find(/Test key: +(\S+)/) },
		control: new SandboxControl(origin),
		close: async () => {
			command.child.kill('SIGTERM');
			await command.ended;
		},
	};
}

/** A sandbox that takes none of this process's memory. */
export const startSandboxProcess = async (): Promise<Sandbox> =>
	await served(runSandbox('--port', '0'));
