import { existsSync } from 'node:fs';
import { Command, waitFor } from '../../harness';

const isRunning = (pid: number): boolean => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

test('a test bed whose process is killed leaves no server and no folder behind', async () => {
	const command = new Command(['--import', 'tsx', 'test/support/scale/main.ts']);
	await command.says('}\n');
	const { pids, folders } = JSON.parse(command.stdout) as { pids: number[]; folders: string[] };
	expect(pids.filter(isRunning)).toHaveLength(7);
	expect(folders.filter((folder) => existsSync(folder))).toHaveLength(7);
	command.signal('SIGKILL');
	await command.end();
	await waitFor('all servers to end', () =>
		pids.some(isRunning) || folders.some((folder) => existsSync(folder)) ? undefined : true,
	);
	expect(pids.filter(isRunning)).toEqual([]);
});
