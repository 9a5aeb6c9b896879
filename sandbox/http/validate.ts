import { isIP } from 'node:net';
import { z } from 'zod';
import type { Assumptions } from '../assumptions';
import { ServiceError } from './error';

/** Phone numbers for chat: digits, country code first. */
export const chatPhonePattern = /^[1-9]\d{6,14}$/;

/** What a body, a query or what control is given must be. */
export type Schema<Output> = z.ZodType<Output, z.ZodTypeDef, unknown>;

/** An object of documented fields, and of no others. */
export const schema = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).strict();

/** A required text. */
export const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** A chat recipient (docs/service.md, section 4.16). */
export const chatPhone = text.pipe(
	z.string().regex(chatPhonePattern, 'must be an E.164 number: digits only, country code first'),
);

/** A list that is not empty. */
export const list = <Item>(item: Schema<Item>) => z.array(item).min(1, 'must not be empty');

/** The value as `wanted` describes it, or 400 with the first thing that is wrong; `at` is where it is. */
export function validate<Output>(
	wanted: Schema<Output>,
	value: unknown,
	at: Array<string | number> = [],
): Output {
	const { data, error } = wanted.safeParse(value);
	const [issue] = error?.issues ?? [];
	if (!issue) return data as Output;
	const field = [...at, ...issue.path].join('.');
	const isMissing = issue.code === 'invalid_type' && issue.received === 'undefined';
	const text = isMissing
		? `Missing required field: ${field}`
		: `Invalid ${field}: ${issue.message}`;
	throw new ServiceError(400, field === '' ? issue.message : text);
}

/** A query parameter that holds a whole number; an absent one is `fallback`. */
export function wholeNumber(min: number, fallback: number, max = Infinity) {
	return z
		.string()
		.regex(/^\d{1,9}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.number().min(min).max(max))
		.default(String(fallback));
}

/** A query parameter with the size of a page; a larger one is rejected or clamped (docs/service.md, section 10.20). */
export const pageSize = (size: { default: number; max: number }, { limits }: Assumptions) =>
	wholeNumber(1, size.default, limits === 'reject' ? size.max : Infinity).transform((wanted) =>
		Math.min(wanted, size.max),
	);

/** Whether an address or host name means this computer. */
export const isLoopback = (host: string): boolean =>
	/^((::ffff:)?127(\.\d{1,3}){3}|\[?::1\]?|(.+\.)?localhost)$/i.test(host);

/**
 * Whether a request's host is an address or a name that is only known on this computer. A web page reaches
 * the sandbox under another name after DNS rebinding; its own name is neither.
 */
export function isLocalHost(hostname: string): boolean {
	const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
	// Containers call this computer host.docker.internal or host.containers.internal.
	return isAddress || isLoopback(hostname) || hostname.endsWith('.internal');
}

/** HTTPS as documented (docs/service.md, section 8.3), or plain HTTP to this computer for local tests. */
export const isWebhookUrl = (url: string): boolean =>
	hasProtocol(url, 'https:') || (hasProtocol(url, 'http:') && isLoopback(new URL(url).hostname));

/** HTTPS to another computer: the service must be able to fetch it (docs/service.md, section 8.3). */
export const isPublicHttpsUrl = (url: string): boolean =>
	hasProtocol(url, 'https:') && !isLoopback(new URL(url).hostname);

const hasProtocol = (url: string, protocol: string): boolean =>
	URL.canParse(url) && new URL(url).protocol === protocol;
