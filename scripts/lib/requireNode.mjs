/**
 * Imported before everything else by the scripts of package.json: ends in one line when Node is too old
 * for what they start.
 */
const [major, minor] = process.versions.node.split('.').map(Number);

// knip and @eslint/markdown need it.
if (major < 20 || (major === 20 && minor < 19)) {
	process.stderr.write(
		`Node ${process.versions.node} is too old: install Node 20.19 or newer and run the command again.\n`,
	);
	process.exit(1);
}
