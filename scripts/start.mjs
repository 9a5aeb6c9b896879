import './lib/requireNode.mjs';

/** `npm start`: installs what is missing, builds the package and hands over to `scripts/start/main.ts`. */
async function main() {
	// Not above, where a Node too old for their syntax would not get as far as the message that says so.
	const { foregroundNode, runScript } = await import('./lib/command.mjs');
	const { ensureEverything } = await import('./lib/install.mjs');
	await runScript(async () => {
		await ensureEverything();
		const args = ['--import', 'tsx', 'scripts/start/main.ts', ...process.argv.slice(2)];
		return await foregroundNode(args);
	});
}

main();
