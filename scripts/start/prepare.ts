import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { rootFolder } from '../../harness';
import { endWithParent } from '../../harness/supervised';
import { Trouble } from './trouble';

const script = path.join(rootFolder, 'scripts/lib/hostCommand.mjs');

/**
 * Installs n8n where it is missing, and builds the package; its progress goes to stdout. In a process
 * of its own, so that the sandbox answers meanwhile.
 * @throws Trouble that says what to do
 */
export async function prepareHost(): Promise<void> {
	const child = spawn(process.execPath, ['--import', endWithParent, script], {
		stdio: ['ignore', 'inherit', 'pipe'],
	});
	let complaint = '';
	child.stderr.on('data', (chunk) => (complaint += String(chunk)));
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== 0) throw new Trouble(complaint.trim() || 'n8n could not be prepared.');
}
