import { freePort, isFree } from '../../harness';
import { Trouble } from './trouble';

/**
 * The port to use for one of the demo's servers.
 * @param what named in the message
 * @param option the command line option that chooses the port
 * @param usual taken if it is free, else any free one
 * @param wanted taken or nothing
 * @throws Trouble when the wanted port is in use
 */
export async function choosePort(
	what: string,
	option: string,
	usual: number,
	wanted?: number,
): Promise<number> {
	if (await isFree(wanted ?? usual)) return wanted ?? usual;
	if (wanted === undefined) return await freePort();
	throw new Trouble(
		`Port ${wanted} for ${what} is in use: stop the program that uses it or choose another port with ${option}.`,
	);
}
