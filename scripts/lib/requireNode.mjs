/**
 * Imported before everything else by the scripts of package.json: ends in one line when Node is
 * too old. It must itself run on any Node that knows ES modules, so it imports nothing.
 */
const NEEDED = 20;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
	process.stderr.write(
		`Node ${process.versions.node} is too old: install Node ${NEEDED} or newer and run the command again.\n`,
	);
	process.exit(1);
}
