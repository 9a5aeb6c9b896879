import { Command } from '../../../harness';
import { endWithParent } from '../../../harness/supervised';
import { controlOf, type Sandbox } from '../../../sandbox';

/** What Node is given by `npm run sandbox -- …args`. */
export const sandboxArgs = (...args: string[]): string[] => [
	...['--import', endWithParent, '--import', 'tsx', 'sandbox/main.ts'],
	...args,
];

/** Runs `npm run sandbox -- …args`. */
export const runSandbox = (...args: string[]): Command => new Command(sandboxArgs(...args));

/**
 * Waits until the command has printed where it serves.
 *
 * @throws when it ends instead
 */
export async function served(command: Command): Promise<Sandbox> {
	await command.says('/__sandbox\n');
	const find = (pattern: RegExp) => pattern.exec(command.stdout)?.[1] ?? '';
	const baseUrl = find(/Sandbox: +(\S+)/);
	const { origin, port } = new URL(baseUrl);
	return {
		url: origin,
		baseUrl,
		port: Number(port),
		keys: { production: find(/Production key: +(\S+)/), test: find(/Test key: +(\S+)/) },
		control: controlOf(origin),
		close: async () => {
			command.signal('SIGTERM');
			await command.end();
		},
	};
}

/** A sandbox that takes none of this process's memory. */
export const startSandboxProcess = async (): Promise<Sandbox> =>
	await served(runSandbox('--port', '0'));
