import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { hostFolder, rootFolder } from '../harness';

/**
 * Runs a script of `bench/bare` with the Node that n8n uses, in a process of its own as n8n is, and
 * gives what it prints: the physical limit of a piece of work.
 *
 * @param input handed to the script as JSON
 */
export async function bare<Result>(name: string, input: object): Promise<Result> {
	const { stdout } = await promisify(execFile)(
		path.join(hostFolder, 'node_modules/node/bin/node'),
		[
			'--max-old-space-size=16384',
			path.join(rootFolder, `bench/bare/${name}.mjs`),
			JSON.stringify(input),
		],
		{ env: { ...process.env, HOST: hostFolder } },
	);
	return JSON.parse(stdout) as Result;
}
