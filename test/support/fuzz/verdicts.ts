import { z } from 'zod';
import { pathOf, type ApiRequest } from '../../../nodes/MessagingService/api/client';
import { chatPhonePattern } from '../../../sandbox/http/validate';
import { pathMatcher } from '../../../sandbox/journal';
import { allEndpoints } from '../../../sandbox/routes';

/** What an exception of the language or of a library says, instead of the package. */
const foreign =
	/undefined|TypeError|RangeError|is not a function|not iterable|cannot (read|convert|mix)|\bexpected\b|invalid (input|type|enum|url|email|string)|\brequired\b|\bmust be\b|\[object|circular|argument/i;

/** Long enough for a sentence and for values shortened in it. */
const longestMessage = 3_000;

/** Texts in quotation marks are the user's own, and so are the names of columns. */
const withoutQuotes = (message: string): string =>
	message
		.replace(/ refers to .*, but the rows have .*/s, ' refers to no field')
		.replace(/"(?:[^"\\]|\\.)*"/g, '""');

/** What is unclear in a message that a user reads; undefined if nothing is. */
export function unclear(message: unknown): string | undefined {
	if (typeof message !== 'string') return `${typeof message} instead of a message`;
	const own = withoutQuotes(message);
	if (!/^[A-Z1-9"]/.test(own)) return `Begins strangely: ${message}`;
	if (message.length > longestMessage) return `Too long: ${message.slice(0, 200)}`;
	return foreign.test(own) ? `Not the package's words: ${message}` : undefined;
}

/** What is wrong with a request as the service takes it; undefined if nothing is. */
export function malformed(request: ApiRequest): string | undefined {
	const { endpoint, query, body, form } = request;
	// The path that goes out, as a URL is read, not its pattern.
	const path = new URL(`https://host.example${pathOf(request)}`).pathname;
	const { method } = endpoint;
	if (!allEndpoints.some((one) => one.method === method && pathMatcher(one.path).test(path)))
		return `${method} ${path} is not documented`;
	const written: unknown =
		body && JSON.parse(Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body));
	const to = (recipients[path] ?? text).optional();
	const wanted = z.object({ query: values, fields: texts, body: bodies.extend({ to }) }).partial();
	const all = { query, fields: form && Object.values(form.fields), body: written };
	const [issue] = wanted.safeParse(all).error?.issues ?? [];
	return issue && `${path} ${issue.path.join('.')}: ${issue.message}`;
}

const text = z.string().min(1);
const texts = z.array(z.string());
const values = z.record(z.union([z.string(), z.number().finite()]));
const phone = z.string().regex(chatPhonePattern);

/** Types and limits of docs/service.md, section 4; whatever is not named there is text. */
const bodies = z
	.object({
		phone,
		parameters: texts,
		events: texts,
		headerParameters: z.record(z.unknown()),
		important: z.literal(true),
		recipients: z
			.array(z.object({ phone, params: texts.optional() }).catchall(z.string()))
			.min(1)
			.max(10_000),
		mediaUrl: z.string().startsWith('https://'),
		replyTo: text.regex(/^[^\p{Cc}]+$/u),
	})
	.partial()
	.catchall(text);

const recipients: Record<string, z.ZodTypeAny> = {
	'/voice/call': text.refine((to) => to.replace(/\D/g, '').length >= 10),
	'/email/send': text.regex(/^[^\p{Cc}]+$/u),
};
