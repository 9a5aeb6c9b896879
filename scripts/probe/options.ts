import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Keeps the key out of the shell's history and of what npm prints. */
const keyVariable = 'MESSAGING_SERVICE_KEY';

const url = (value: string) => URL.canParse(value) && /^https?:/.test(value);

/** No message contains a value: it could be a key or a number. */
const optionsSchema = z
	.object({
		'base-url': z.string({ message: 'is missing' }).refine(url, 'must be a URL'),
		key: z.string().trim().min(1, `is missing; or set ${keyVariable}`),
		// Digits with the country code (docs/service.md, section 4.16).
		'send-to': z
			.string()
			.regex(/^\+?[1-9]\d{6,14}$/, 'must be a number with its country code, without spaces')
			.transform((number) => number.replace('+', ''))
			.optional(),
		template: z.string().min(1).optional(),
		language: z.string().min(1).optional(),
		yes: z.boolean(),
		listen: z.string().refine(url, 'must be a URL').optional(),
		port: z.coerce.number({ message: 'must be a number' }).int().min(1).max(65_535),
		out: z.string().min(1),
	})
	.refine(
		({ 'send-to': number, template }) => (number === undefined) === (template === undefined),
		{
			path: ['send-to'],
			message: 'needs --template, and the other way round',
		},
	);

/**
 * The options of the command.
 * @throws with a line for each invalid one, without its value
 */
export function readOptions(args: string[], env = process.env) {
	const text = { type: 'string' } as const;
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			...{ 'base-url': text, key: text, listen: text },
			...{ 'send-to': text, template: text, language: text },
			yes: { type: 'boolean', default: false },
			port: { ...text, default: '4020' },
			out: { ...text, default: 'assumptions.json' },
		},
	});
	if (positionals.length > 0) throw new Error('Each value needs its option in front, e.g. --key');
	const { data, error } = optionsSchema.safeParse({ key: env[keyVariable] ?? '', ...values });
	if (data) return data;
	throw new Error(
		error.issues.map(({ path, message }) => `--${path.join()}: ${message}`).join('\n'),
	);
}
