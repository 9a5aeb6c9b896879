import { pathOf, type ApiRequest } from '../../../nodes/MessagingService/api/client';
import { chatPhonePattern } from '../../../sandbox/http/validate';
import { findEndpoint } from '../../../sandbox/routes';

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
	const { endpoint, query = {}, body, form } = request;
	// The path that goes out, as a URL is read, not its pattern.
	const path = new URL(`https://host.example${pathOf(request)}`).pathname;
	if (!findEndpoint(endpoint.method, path)) return `${endpoint.method} ${path} is not documented`;
	const oddQuery = Object.entries(query).find(
		([, value]) => typeof value !== 'string' && !Number.isFinite(value),
	);
	if (oddQuery) return `Query ${oddQuery.join('=')}`;
	if (form && Object.values(form.fields).some((value) => typeof value !== 'string')) {
		return 'A form field is not text';
	}
	if (!body) return undefined;
	const written = JSON.parse(
		Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body),
	) as Record<string, unknown>;
	const wrong = Object.entries(written).find(([name, value]) => !fits(path, name, value));
	return wrong && `${path} ${wrong[0]}: ${JSON.stringify(wrong[1]).slice(0, 200)}`;
}

const isTexts = (value: unknown): boolean =>
	Array.isArray(value) && value.every((text) => typeof text === 'string');

/** Types and limits of docs/service.md, section 4; whatever is not named there is text. */
function fits(path: string, name: string, value: unknown): boolean {
	if (name === 'parameters' || name === 'events') return isTexts(value);
	if (name === 'headerParameters') return typeof value === 'object' && !Array.isArray(value);
	if (name === 'important') return value === true;
	if (name === 'recipients') {
		return (
			Array.isArray(value) && value.length > 0 && value.length <= 10_000 && value.every(isRecipient)
		);
	}
	if (typeof value !== 'string' || value === '') return false;
	if (name === 'phone') return chatPhonePattern.test(value);
	if (path === '/voice/call' && name === 'to') return value.replace(/\D/g, '').length >= 10;
	if (path === '/email/send' && ['to', 'replyTo'].includes(name))
		return /^[^\p{Cc}]+$/u.test(value);
	if (name === 'mediaUrl') return value.startsWith('https://');
	return true;
}

function isRecipient({ phone, params = [], ...rest }: Record<string, unknown>): boolean {
	return (
		chatPhonePattern.test(String(phone)) &&
		isTexts(params) &&
		Object.values(rest).every((value) => typeof value === 'string')
	);
}
