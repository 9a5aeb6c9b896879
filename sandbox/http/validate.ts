import { BlockList, isIP } from 'node:net';
import { z, type ZodIssue } from 'zod';
import { ServiceError } from './endpoint';

/** Phone numbers for chat: digits, country code first. */
export const CHAT_PHONE = /^[1-9]\d{6,14}$/;

/** A required, non-blank text. */
export const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** A chat recipient (docs/service.md, section 4.16). */
export const chatPhone = text.pipe(
	z.string().regex(CHAT_PHONE, 'must be an E.164 number: digits only, country code first'),
);

/** The value as `schema` wants it, or 400 with the first thing that is wrong. */
export function validate<Schema extends z.ZodTypeAny>(
	schema: Schema,
	value: unknown,
): z.output<Schema> {
	const result = schema.safeParse(value);
	if (result.success) return result.data as z.output<Schema>;
	throw new ServiceError(400, describe(result.error.issues[0]));
}

function describe(issue: ZodIssue | undefined): string {
	if (!issue) return 'Invalid request';
	const field = issue.path.join('.');
	if (field === '') return issue.message;
	if (issue.code === 'invalid_type' && issue.received === 'undefined') {
		return `Missing required field: ${field}`;
	}
	return `Invalid ${field}: ${issue.message}`;
}

/** A query parameter that holds a whole number; an absent one is `fallback`. */
export function wholeNumber(min: number, fallback: number) {
	return z
		.string()
		.regex(/^\d{1,9}$/, 'must be a whole number')
		.transform(Number)
		.pipe(z.number().min(min))
		.default(String(fallback));
}

/** A page size above `max` is lowered to it, or refused, as the assumption says. */
export function capped(
	name: string,
	value: number,
	max: number,
	overLimit: 'clamp' | 'reject',
): number {
	if (value > max && overLimit === 'reject') {
		throw new ServiceError(400, `${name} must not exceed ${max}`);
	}
	return Math.min(value, max);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an address or host name means this computer. */
export function isLoopback(host: string): boolean {
	const bare = host.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '');
	const version = isIP(bare);
	if (version === 0) return bare === 'localhost' || bare.endsWith('.localhost');
	return LOOPBACK.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

function parse(url: string): URL | null {
	return URL.canParse(url) ? new URL(url) : null;
}

/** HTTPS as documented (docs/service.md, section 8.3), or plain HTTP to this computer for local tests. */
export function isWebhookUrl(url: string): boolean {
	const parsed = parse(url);
	if (!parsed) return false;
	if (parsed.protocol === 'https:') return true;
	return parsed.protocol === 'http:' && isLoopback(parsed.hostname);
}

/** HTTPS to another computer: the service must be able to fetch it (docs/service.md, section 8.3). */
export function isPublicHttpsUrl(url: string): boolean {
	const parsed = parse(url);
	return parsed !== null && parsed.protocol === 'https:' && !isLoopback(parsed.hostname);
}
