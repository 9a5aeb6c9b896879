import { existsSync } from 'node:fs';
import { Command, stillRunning, waitFor } from '../../harness';

test('a test bed whose process is killed leaves no server and no folder behind', async () => {
	const command = new Command(['--import', 'tsx', 'test/support/scale/main.ts']);
	await command.says('}\n');
	const { pids, folders } = JSON.parse(command.stdout) as { pids: number[]; folders: string[] };
	expect(stillRunning(pids)).toHaveLength(7);
	expect(folders.filter((folder) => existsSync(folder))).toHaveLength(7);
	command.signal('SIGKILL');
	await command.end();
	await waitFor('all servers to end', () =>
		stillRunning(pids).length > 0 || folders.some((folder) => existsSync(folder))
			? undefined
			: true,
	);
	expect(stillRunning(pids)).toEqual([]);
});
