import { parseArgs } from 'node:util';
import { assumptionsSchema, type Assumptions } from './assumptions';
import { startSandbox } from './index';

const defaultPort = 4010;

function readNumber(value: string, name: string): number {
	const number = Number(value);
	if (Number.isInteger(number) && number >= 0) return number;
	throw new Error(`--${name} must be a whole number`);
}

/** Each is `name=setting`. */
function readAssumptions(assumed: string[]): Partial<Assumptions> {
	const entries = assumed.map((one) => one.split('='));
	const result = assumptionsSchema.safeParse(Object.fromEntries(entries));
	if (result.success) return result.data;
	const [issue] = result.error.issues;
	throw new Error(`--assume ${[...(issue?.path ?? []), issue?.message].join(': ')}`);
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: String(defaultPort) },
			host: { type: 'string', default: '127.0.0.1' },
			seed: { type: 'string', default: '1' },
			assume: { type: 'string', multiple: true, default: [] },
		},
	});
	const port = readNumber(values.port, 'port');
	const seed = readNumber(values.seed, 'seed');
	const assumptions = readAssumptions(values.assume);
	const sandbox = await startSandbox({ port, seed, host: values.host, assumptions });
	console.log(`Sandbox:        ${sandbox.baseUrl}`);
	console.log(`Production key: ${sandbox.keys.production}`);
	console.log(`Test key:       ${sandbox.keys.test}`);
	console.log(`In a browser:   ${sandbox.url}/__sandbox`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
	}
}

function explain(error: unknown): string {
	const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return message;
	return `Port ${port} is in use. Take another: npm run sandbox -- --port ${(port ?? 0) + 1}`;
}

main().catch((error: unknown) => {
	console.error(explain(error));
	process.exit(1);
});
