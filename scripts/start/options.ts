import { parseArgs } from 'node:util';
import { reasonOf, Trouble } from './trouble';

export interface DemoOptions {
	/** Stop after the first message instead of waiting for Ctrl+C. */
	once: boolean;
	/** Rebuild the package at every change of its sources, and let n8n load it again. */
	watch: boolean;
	/** A certain port for n8n; 5678 or a free one when left out. */
	port?: number;
	/** A certain port for the sandbox; 4010 or a free one when left out. */
	sandboxPort?: number;
}

/**
 * Reads the command line of `npm start`.
 * @throws Trouble naming the argument that is wrong
 */
export function readOptions(args: string[]): DemoOptions {
	const { values } = parse(args);
	return {
		once: values.once ?? false,
		watch: values.watch ?? false,
		port: portOf('--port', values.port),
		sandboxPort: portOf('--sandbox-port', values['sandbox-port']),
	};
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				once: { type: 'boolean' },
				watch: { type: 'boolean' },
				port: { type: 'string' },
				'sandbox-port': { type: 'string' },
			},
		});
	} catch (error) {
		// Node adds advice about arguments that begin with a dash, which does not help here.
		const [reason] = reasonOf(error).split('. ');
		throw new Trouble(
			`${reason}. Use: npm start -- [--once] [--watch] [--port N] [--sandbox-port N]`,
		);
	}
}

function portOf(name: string, value: string | undefined): number | undefined {
	if (value === undefined) return undefined;
	const port = Number(value);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new Trouble(`${name} ${value} is not a port: give a number from 1 to 65535.`);
}
