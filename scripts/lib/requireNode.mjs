/**
 * Imported before everything else by the scripts of package.json: ends in one line when Node is too old
 * for what they start.
 */
const [major, minor] = process.versions.node.split('.').map(Number);

// 20.9 was the first Node 20 with long-term support; ESLint and tsx need it.
if (major < 20 || (major === 20 && minor < 9)) {
	process.stderr.write(
		`Node ${process.versions.node} is too old: install Node 20.9 or newer and run the command again.\n`,
	);
	process.exit(1);
}
