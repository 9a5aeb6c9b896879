import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { exampleFiles } from '../../scripts/start/examples';
import {
	Command,
	N8nApi,
	packageName,
	pause,
	rootFolder,
	tempFolder,
	waitFor,
} from '../../harness';
import { signIn } from '../../harness/client';
import { longPatienceMs } from '../../harness/waiting';

let clone: string;
let command: Command;

beforeEach(() => {
	clone = mkdtempSync(path.join(tempFolder, 'startup-'));
});

afterEach(async () => {
	command.signal('SIGTERM');
	await command.end();
	rmSync(clone, { recursive: true, force: true });
});

/** Waits until both ports that the demo has named answer, or until none does. */
async function answers(isServed: boolean): Promise<void> {
	const named = command.stdout.matchAll(/(?:127\.0\.0\.1:|on port )(\d+)/g);
	const ports = [...new Set([...named].map(([, port]) => port))];
	expect(ports).toHaveLength(2);
	await waitFor(`ports ${ports.join()} to ${isServed ? 'answer' : 'be closed'}`, async () => {
		const asked = ports.map(async (port) => await fetch(`http://127.0.0.1:${port}/`));
		const status = isServed ? 'fulfilled' : 'rejected';
		return (await Promise.allSettled(asked)).every((one) => one.status === status);
	});
}

test('npm run dev sends a message as npm start does, loads the package again after a change, and goes on until Ctrl+C', async () => {
	// With its own sources, built already; what is installed is shared.
	const others = ['.cache', '.git', 'dist', 'node_modules'];
	const own = readdirSync(rootFolder).filter((entry) => !others.includes(entry));
	for (const name of [...own, '.cache/package']) {
		cpSync(path.join(rootFolder, name), path.join(clone, name), { recursive: true });
	}
	for (const shared of ['node_modules', '.cache/host']) {
		symlinkSync(path.join(rootFolder, shared), path.join(clone, shared));
	}
	command = new Command(['run', 'dev'], { program: 'npm', cwd: clone });
	// It waits itself, for n8n, for each execution and for the events, and names then what was missing.
	await command.says('Press Ctrl+C to stop', 3 * longPatienceMs);
	const said = (pattern: RegExp): string => pattern.exec(command.stdout)?.[1] ?? '';
	expect(command.stdout).toContain(` ${exampleFiles().length} example workflows`);
	const sent = said(/Sent .* id (\S+)\n/);
	expect(sent).not.toBe('');
	expect(command.stdout).toContain(`Received  message.delivered, id ${sent}\n`);
	await answers(true);
	const url = said(/Editor +(http:\/\/127\.0\.0\.1:\d+)\n/);
	const n8n = new N8nApi(await signIn(url, said(/Login +\S+ \/ (\S+)\n/)));
	// The demo installs no other package.
	const settings = await n8n.rest<Record<string, unknown>>('GET', '/module-settings');
	expect(settings['community-packages']).toMatchObject({ communityNodesEnabled: false });
	const shown = async () =>
		String((await n8n.nodeType(`${packageName}.messagingService`))?.description);
	await command.says('Watching for file changes');
	const file = path.join(clone, 'nodes/MessagingService/MessagingService.node.ts');
	const source = readFileSync(file, 'utf8').replace(await shown(), 'Changed');
	// n8n begins to watch a while after its start, and a busy one late: what it has missed is saved again.
	for (let saved = source, looks = 0; (await shown()) !== 'Changed'; looks++) {
		expect(looks).toBeLessThan(120);
		if (looks % 15 === 0) writeFileSync(file, (saved += '\n'));
		await pause(1_000);
	}
	command.signal('SIGINT');
	expect(await command.end()).toBe(0);
	await answers(false);
});
