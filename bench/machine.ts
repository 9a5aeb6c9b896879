import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hostFolder } from '../harness';

/** What a measurement was made on, in one line. */
export function machine(): string {
	const cpus = os.cpus();
	const version = (name: string) =>
		(
			JSON.parse(
				readFileSync(path.join(hostFolder, 'node_modules', name, 'package.json'), 'utf8'),
			) as { version: string }
		).version;
	return [
		`${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}`,
		`${Math.round(os.totalmem() / 2 ** 30)} GiB`,
		`${os.type()} ${os.arch()}`,
		`n8n ${version('n8n')}`,
		`Node.js ${version('node')}`,
	].join(', ');
}
