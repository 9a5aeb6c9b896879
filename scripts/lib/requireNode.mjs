/**
 * Imported before everything else by the scripts of package.json: ends in one line when Node is too old
 * for what they start.
 */
// Development packages are loaded with `require`, and some are modules.
if (!process.features.require_module) {
	process.stderr.write(
		`Node ${process.versions.node} can't be used: install Node 20.19, 22.12 or newer and run the command again.\n`,
	);
	process.exit(1);
}
