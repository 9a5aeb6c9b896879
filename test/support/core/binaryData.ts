import { createRequire } from 'node:module';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';

interface Container {
	get<T>(type: new (...args: never[]) => T): T;
}

// The copy that n8n-core itself uses: other packages bring other versions.
const { Container: container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
	Container: Container;
};

/**
 * Sets where n8n-core keeps files, as the server does when it starts.
 *
 * @param folder where filesystem mode writes
 */
export async function useBinaryMode(mode: 'default' | 'filesystem', folder: string): Promise<void> {
	const config = container.get(BinaryDataConfig);
	config.mode = mode;
	config.localStoragePath = folder;
	await keeper().init();
}

/** What n8n-core reads and writes files with. */
export const keeper = (): BinaryDataService => container.get(BinaryDataService);
