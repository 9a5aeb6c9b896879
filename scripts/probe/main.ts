import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import readline from 'node:readline';
import { answersOf } from './answers';
import { readOptions } from './options';
import { probe, type Seen } from './probe';
import { reportOf, settingsOf } from './report';

/** Seconds for the answer to the question on the terminal. */
const answerSeconds = 60;

/** docs/service.md, section 8.2 */
const offer = 'Send one template message for 1 chat credit (utility) or 3 (marketing)? (yes/no) ';

/** `npm run probe`: see CONTRIBUTING.md. Returns the exit code. */
async function main(stop: AbortSignal): Promise<number> {
	const options = readOptions(process.argv.slice(2));
	const { 'base-url': baseUrl, key, 'send-to': phone, template: templateName = '' } = options;
	const { language, listen: url, port, out } = options;
	const isPaid = phone !== undefined && (options.yes || (await isConfirmed(stop)));
	if (phone !== undefined && !isPaid) console.log('No message is sent.');
	console.log('Reading. This can take a minute.');
	const seen = await probe({
		...{ baseUrl, key, stop },
		message: isPaid ? { phone, templateName, language } : undefined,
		listen: url === undefined ? undefined : { url, port },
	});
	const isClean = reportRegistrations(seen);
	if (stop.aborted) {
		console.log('Stopped.');
		return 1;
	}
	const answers = answersOf(seen);
	console.log(`\nYou can publish the following. It contains nothing of your account.\n`);
	console.log(`${reportOf(answers)}\n`);
	if (seen.problem !== undefined) {
		console.error(`Ended early, without a file of settings: ${seen.problem}`);
		return 1;
	}
	await writeFile(out, `${JSON.stringify(settingsOf(answers), null, '\t')}\n`);
	console.log(`Try this service's answers: npm run sandbox -- --assume ${out}`);
	return isClean ? 0 : 1;
}

/**
 * Asks on the terminal for permission to pay.
 * @throws without a terminal, or without an answer
 */
async function isConfirmed(stop: AbortSignal): Promise<boolean> {
	if (!process.stdin.isTTY)
		throw new Error('Without a terminal, add --yes: a message costs credits.');
	// Without `terminal`, Ctrl+C stays a signal.
	const lines = readline.createInterface({ input: process.stdin, terminal: false });
	process.stdout.write(offer);
	const limit = AbortSignal.timeout(answerSeconds * 1_000);
	const signal = AbortSignal.any([stop, limit]);
	try {
		const closed = once(lines, 'close', { signal }).then(() => ['no']);
		const [answer] = (await Promise.race([once(lines, 'line', { signal }), closed])) as string[];
		return /^y(es)?$/i.test(answer?.trim() ?? '');
	} catch {
		throw new Error(stop.aborted ? 'Stopped.' : `Waited ${answerSeconds} s for your answer.`);
	} finally {
		lines.close();
	}
}

/** Whether nothing stays registered; otherwise prints what does. */
function reportRegistrations({ registrations }: Seen): boolean {
	const { left = [] } = registrations ?? {};
	if (left.length > 0)
		console.error(
			`Delete what may still be registered: ${left.map((id) => `DELETE /chat/webhooks?id=${id}`).join(', ')}`,
		);
	else if (registrations) console.log('Nothing stays registered.');
	return left.length === 0;
}

const stop = new AbortController();
// Ctrl+C reaches this process twice: from the terminal, and from `npm run`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	process.on(signal, () => stop.abort());

main(stop.signal).then(
	(code) => process.exit(code),
	(error: Error) => {
		console.error(error.message);
		process.exit(1);
	},
);
