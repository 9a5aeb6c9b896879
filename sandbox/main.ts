import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { assign, fromPairs } from 'lodash';
import { z, ZodError } from 'zod';
import { assumptionsSchema } from './assumptions';
import { startSandbox } from './index';

const wholeNumber = z.coerce.number({ message: 'must be a whole number' }).int().nonnegative();

const settingsIn = (one: string): unknown =>
	/^\w+=\w*$/.test(one) ? fromPairs([one.split('=')]) : JSON.parse(readFileSync(one, 'utf8'));

const optionsSchema = z.object({
	port: wholeNumber,
	host: z.string(),
	seed: wholeNumber,
	/** Each is `name=setting`, or a file that `npm run probe` has written. */
	assume: z
		.array(z.string())
		.transform((assumed) => assign({}, ...assumed.map(settingsIn)) as unknown)
		.pipe(assumptionsSchema),
});

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			seed: { type: 'string', default: '1' },
			assume: { type: 'string', multiple: true, default: [] },
		},
	});
	const { assume: assumptions, ...options } = optionsSchema.parse(values);
	const sandbox = await startSandbox({ ...options, assumptions });
	console.log(`Sandbox:        ${sandbox.baseUrl}`);
	console.log(`Production key: ${sandbox.keys.production}`);
	console.log(`Test key:       ${sandbox.keys.test}`);
	console.log(`In a browser:   ${sandbox.url}/__sandbox`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
	}
}

function explain(error: unknown): string {
	if (error instanceof ZodError) {
		return error.issues.map(({ path, message }) => `--${path.join(' ')}: ${message}`).join('\n');
	}
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} is in use. Use another: npm run sandbox -- --port ${(port ?? 0) + 1}`;
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exit(1);
});
