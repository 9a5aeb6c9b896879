import { z, type ZodIssue } from 'zod';
import { CHAT_PHONE, TEXTS } from '../choices';
import { ServiceError } from '../http/serviceError';

/** A required, non-blank text. */
export const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** A chat recipient (docs/service.md, section 4.16). */
export const chatPhone = text.pipe(z.string().regex(CHAT_PHONE, TEXTS.phone));

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

/** A page size above `max` is lowered to it, or refused, as the switch says. */
export function capped(
	name: string,
	value: number,
	max: number,
	overLimit: 'clamp' | 'reject',
): number {
	if (value > max && overLimit === 'reject') {
		throw new ServiceError(400, TEXTS.aboveLimit(name, max));
	}
	return Math.min(value, max);
}
