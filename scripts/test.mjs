import './lib/requireNode.mjs';

/** `npm test`, and each part of it alone: `[part] [arguments for Jest]`. */
async function main() {
	// Not above, where a Node too old for their syntax would not get as far as the message that says so.
	const { runScript } = await import('./lib/command.mjs');
	const { ensureDevelopmentPackages, ensureEverything } = await import('./lib/install.mjs');
	const { ensurePrograms, extraParts, rows, runRows } = await import('./lib/parts.mjs');
	await runScript(async () => {
		// npm drops the "--" in front of Jest's arguments; without npm it may be there.
		const args = process.argv.slice(2).filter((arg) => arg !== '--');
		const named = [...rows.flat(), ...extraParts].filter(({ name }) => name === args[0]);
		if (named.length > 0) {
			await ensureDevelopmentPackages();
			return await runRows([named], args.slice(1));
		}
		// First what a person may have to install.
		await ensurePrograms();
		await ensureEverything();
		return await runRows(rows, args);
	});
}

main();
