import { owner } from '../../harness';
import { Demo, type DemoResult } from './demo';
import { otherCredentials } from './examples';
import { readOptions } from './options';
import { rebuildAtChange } from './rebuild';
import { keep, reasonOf, Trouble } from './trouble';

const say = (line: string): void => console.log(`· ${line}`);

/** The demo of `npm start`, and with --watch `npm run dev`: see the README. */
async function main(): Promise<boolean> {
	const options = readOptions(process.argv.slice(2));
	const demo = await Demo.start(options, say);
	let result: DemoResult;
	try {
		result = await demo.play(say);
		console.log(summary(result));
		if (!options.once) {
			const end = options.watch ? rebuildAtChange(demo.n8n.userFolder) : () => {};
			console.log(invitation(demo));
			await interrupt();
			end();
		}
	} finally {
		say('Stopping n8n and the sandbox');
		await demo.stop();
	}
	if (options.once) console.log(JSON.stringify(result));
	return result.providerMessageId === result.receivedProviderMessageId;
}

const summary = (result: DemoResult): string => `
Sent      ${result.sent} template message, id ${result.providerMessageId}
Received  ${result.event}, id ${result.receivedProviderMessageId}, after ${result.seconds} s`;

const form = otherCredentials['Form login'].data;

const invitation = ({ editor, sandbox }: Demo): string => `
Editor    ${editor}
Login     ${owner.email} / ${owner.password}
Sandbox   ${sandbox.url} (base URL ${sandbox.baseUrl})
Forms     ${form.user} / ${form.password}
Press Ctrl+C to stop. Everything is removed then, also workflows that you have changed.
`;

let isWaiting = false;
let wake = (): void => {};

/** Comes true at Ctrl+C. */
async function interrupt(): Promise<void> {
	isWaiting = true;
	await new Promise<void>((resolve) => (wake = resolve));
}

// Before the demo waits, the process simply ends, and its servers with it: n8n has a supervisor.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => (isWaiting ? wake() : process.exit(130)));
}

main().then(
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		const isClear = error instanceof Trouble;
		console.error(isClear ? error.message : `${reasonOf(error)} (details: ${keep(error)})`);
		process.exit(1);
	},
);
