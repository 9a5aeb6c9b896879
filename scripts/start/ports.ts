import { freePort, reserve } from '../../harness';
import { Trouble } from './trouble';

/**
 * The port for n8n: the wanted one or nothing; if none is wanted, n8n's usual one or a free one.
 * @throws Trouble when the wanted port is in use
 */
export async function choosePort(usual: number, wanted?: number): Promise<number> {
	if (await reserve(wanted ?? usual)) return wanted ?? usual;
	if (wanted === undefined) return await freePort();
	throw new Trouble(inUse(wanted, 'n8n', '--port'));
}

/**
 * What to do about a port that is taken.
 * @param what should have had it
 * @param option the command line option that chooses another one
 */
export const inUse = (port: number, what: string, option: string): string =>
	`Port ${port} for ${what} is in use: stop the program that uses it or choose another port with ${option}.`;
