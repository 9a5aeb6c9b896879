/** Something the user can put right; its message is one line that says how. */
export class Trouble extends Error {}

/** Runs a script to its end: a `Trouble` becomes one line on stderr and exit code 1. */
export async function runScript(main) {
	try {
		process.exitCode = await main();
	} catch (error) {
		complain(error);
		process.exitCode = 1;
	}
}

/**
 * Says on stderr what the user can put right.
 * @throws everything else
 */
export function complain(error) {
	if (!(error instanceof Trouble)) throw error;
	process.stderr.write(`${error.message}\n`);
}
