import { castArray } from 'lodash';
import { DateTime } from 'luxon';
import { z, type RefinementCtx, type ZodType, type ZodTypeDef } from 'zod';
import { checkChatPhone, checkVoicePhone, shown, type PhoneCheck } from './phone';

/** Checks one parameter and gives it the type that the service expects. */
export type Schema<T> = ZodType<T, ZodTypeDef, unknown>;

/** What JavaScript writes in place of a value that is none, or is no text. */
const noText = /\[object \w+\]|\[native code\]|Invalid Date(Time)?|^(undefined|NaN|-?Infinity)$/;

/** What is wrong with a value as a text; undefined if nothing is. */
export function textProblem(value: unknown): string | undefined {
	if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
		return 'is a number that is not exact. Hand it over as text';
	}
	if (!['string', 'number', 'boolean'].includes(typeof value)) return 'is not text';
	const [written] = noText.exec(String(value)) ?? [];
	return written && `contains "${written}": an expression in it gives no text`;
}

// Expressions often give a number where the service wants text, e.g. a phone number column.
const scalar: Schema<string> = z.unknown().transform((value, context) => {
	const message = textProblem(value ?? '');
	if (message === undefined) return String(value ?? '');
	context.addIssue({ code: 'custom', message, fatal: true });
	return z.NEVER;
});

const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

const phoneWith = (check: (value: unknown) => PhoneCheck): Schema<string> =>
	z.unknown().transform((value, context) => {
		const result = check(value);
		if ('phone' in result) return result.phone;
		context.addIssue({ code: 'custom', message: result.problem });
		return z.NEVER;
	});

/** A chat recipient as digits; begins with one of the country codes if there are any. */
export const chatPhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkChatPhone(value, countryCodes));

/** A chat recipient as digits, or nothing. */
export const optionalChatPhone: Schema<string> = phoneWith((value) =>
	isNothing(value) ? { phone: '' } : checkChatPhone(value),
);

/** A voice destination; begins with one of the country codes if there are any. */
export const voicePhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkVoicePhone(value, countryCodes));

/** Any text, also empty. */
export const text: Schema<string> = scalar;

/** Text without surrounding spaces, also empty: identifiers and names. */
export const trimmed: Schema<string> = scalar.transform((value) => value.trim());

/** The value of a resource locator, whatever its mode. */
export const locator: Schema<string> = z.preprocess(
	(value) =>
		typeof value === 'object' && value !== null && 'value' in value ? value.value : value,
	trimmed,
);

/** The value of a resource locator that must not be empty. */
export const requiredLocator: Schema<string> = locator.refine(
	(value) => !isBlank(value),
	'is empty',
);

/** The chosen sending number as the service takes it: an id, digits, or empty for the default number. */
export const sendingNumber: Schema<string> = locator.transform((value) => {
	const check = checkChatPhone(value);
	// Formatting is taken off phone numbers only; anything else is an id and passes as it is.
	return 'phone' in check ? check.phone : value;
});

/** Whether a text shows nothing: no characters, or spaces alone. */
export const isBlank = (value: string): boolean => value.trim() === '';

/** Text that must not be empty, kept as it is. */
export const requiredText: Schema<string> = scalar.refine((value) => !isBlank(value), 'is empty');

/** An identifier or name that must not be empty. */
export const requiredName: Schema<string> = requiredText.transform((value) => value.trim());

/** What names a send. */
export const idempotencyKey: Schema<string> = requiredName.refine(
	(value) => /[^\p{C}\p{Z}\p{DI}\u2800]/u.test(value),
	'has no visible character',
);

const webAddress = (pattern: RegExp, needed: string): Schema<string> =>
	requiredName.refine((value) => pattern.test(value) && URL.canParse(value), `is not ${needed}`);

/** A publicly reachable HTTPS URL (docs/service.md, section 8.3). */
export const httpsUrl = webAddress(/^https:\/\//i, 'an address that starts with https://');

/** An absolute URL. */
export const absoluteUrl = webAddress(/^https?:\/\//i, 'an absolute address (https://…)');

/** An identifier of the form that the service gives AI agents and XML templates. */
export const uuid: Schema<string> = requiredName.refine(
	(value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
	'is not a UUID',
);

/**
 * One address or several, separated by commas or semicolons, with or without names: as the list of
 * addresses that the service takes (docs/service.md, section 4.15).
 */
export const emailAddresses: Schema<string> = requiredName.transform((value, context) => {
	const addresses = addressesIn(value);
	const other = addresses.find((address) => !isBareAddress(address));
	if (addresses.length > 0 && other === undefined) return addresses.join(', ');
	const message = `${shown(other ?? value)} is not an email address; separate several by commas`;
	context.addIssue({ code: 'custom', message });
	return z.NEVER;
});

/** Splits at commas and semicolons outside of quotation marks, and takes off names. */
const addressesIn = (value: string): string[] =>
	(value.match(/(?:"[^"]*"|[^,;"])+/g) ?? [])
		.map((entry) => (/^[^<>]*<([^<>]*)>$/.exec(entry.trim())?.[1] ?? entry).trim())
		.filter((address) => address !== '');

/** One address, or nothing. */
export const optionalEmailAddress: Schema<string> = trimmed.refine(
	(value) => value === '' || isEmailAddress(value),
	'is not an email address',
);

/** An address without a name. */
const isBareAddress = (value: string): boolean =>
	/^[^@\s<>"\p{Cc}]+@[^@\s<>"\p{Cc}]+$/u.test(value);

/** An address with or without a name in front. */
const isEmailAddress = (value: string): boolean =>
	/^[^@]+@[^@\s]+$/.test(value) && !/\p{Cc}/u.test(value);

/** The longest time that a timer can wait, in milliseconds; a longer one would not wait at all. */
export const longestTime = 2 ** 31 - 1;

const someNumber = z.number({
	invalid_type_error: 'is not a number',
	required_error: 'is not a number',
});

/** Expressions often give numbers as text. */
const fromText = (value: unknown): unknown =>
	typeof value === 'string' && value.trim() !== '' ? Number(value) : value;

/** A whole number from `least` to `most`, also as text. */
export const wholeNumber = (least: number, most = longestTime): Schema<number> =>
	z.preprocess(
		fromText,
		someNumber
			.int('is not a whole number')
			.min(least, `is less than ${least}`)
			.max(most, `is more than ${most}`),
	);

/** A number above zero. */
export const positive: Schema<number> = z.preprocess(
	fromText,
	someNumber.positive('is not more than 0'),
);

/** Whatever is there. */
export const anything: Schema<unknown> = z.unknown();

/** A switch; an expression may also give its text or 1 and 0. */
export const flag: Schema<boolean> = trimmed
	.transform((value) => ['false', '0', 'true', '1'].indexOf(value.toLowerCase()))
	.refine((place) => place >= 0, 'is neither true nor false')
	.transform((place) => place > 1);

/** One of a fixed set of values. */
export const oneOf = <T extends string>(values: readonly T[]): Schema<T> =>
	trimmed.pipe(
		z.custom<T>((value) => values.includes(value as T), `is not one of ${values.join(', ')}`),
	);

const parsedJson = z.preprocess((value) => {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value) as unknown;
	} catch {
		return undefined;
	}
}, z.unknown());

/** A JSON array of texts, as text or as an array from an expression; numbers become text. */
export const textArray: Schema<string[]> = parsedJson.pipe(
	z.array(scalar, {
		invalid_type_error: 'is not a JSON array, e.g. ["Anna", "12:30"]',
		required_error: 'is not valid JSON',
	}),
);

/** Values of placeholders, of which none may be blank. */
export const withoutBlanks = (values: Schema<string[]>): Schema<string[]> =>
	values.superRefine((all, context) => {
		const blank = all.findIndex(isBlank);
		if (blank === -1) return;
		context.addIssue({ code: 'custom', message: `has no value for {{${blank + 1}}}` });
	});

const notRows = { invalid_type_error: 'is not a list of rows with a value each' };

const parameterRow = z.object({ value: scalar }, notRows);

/** The rows of `parametersUi`, in order. */
export const parameterList: Schema<string[]> = z
	.preprocess(
		(value) => value || {},
		z.object({ parameter: z.array(parameterRow, notRows).default([]) }, notRows),
	)
	.transform(({ parameter }) => parameter.map(({ value }) => value));

/** An object from an expression as it will be sent; undefined if it cannot be. */
function written(value: unknown): string | undefined {
	try {
		return typeof value === 'string' ? value : JSON.stringify(value);
	} catch {
		return undefined;
	}
}

/** A JSON object, as text or as an object from an expression. */
export const jsonObject: Schema<Record<string, unknown>> = z.preprocess(
	written,
	parsedJson.pipe(
		z.record(z.unknown(), {
			invalid_type_error: 'is not a JSON object',
			required_error: 'is not valid JSON',
		}),
	),
);

/** A JSON array of objects, as text or as an array from an expression. */
export const jsonObjects: Schema<Array<Record<string, unknown>>> = parsedJson.pipe(
	z.array(z.record(z.unknown(), { invalid_type_error: 'is not a list of objects only' }), {
		invalid_type_error: 'is not a JSON array of objects',
		required_error: 'is not valid JSON',
	}),
);

/** Any of the texts of a multiple choice. */
export const choices: Schema<string[]> = z.preprocess(
	(value) =>
		typeof value === 'string' ? value.split(',').filter(Boolean) : castArray(value ?? []),
	z.array(trimmed),
);

// Commas inside of brackets belong to a name.
const separateName = /(?:\[(?:"[^"]*"|'[^']*')\]|[^,])+/g;

/** Names of input fields, separated by commas; one that was dragged can be `['First Name']`. */
export const fieldNames: Schema<string[]> = trimmed.transform((value) =>
	(value.match(separateName) ?? []).map((name) => name.trim()).filter((name) => name !== ''),
);

/**
 * A moment in milliseconds, from any date-time value of n8n: ISO text (without offset: in the
 * workflow's time zone; without a time: its first moment), a Date, a Luxon DateTime or milliseconds;
 * undefined if empty.
 */
export const momentIn = (timeZone: string): Schema<number | undefined> =>
	z
		.unknown()
		.transform((value, context) =>
			isNothing(value) ? undefined : dateTimeOf(value, timeZone, context)?.toMillis(),
		);

/** A point in time that is still to come, from any date-time value of n8n. */
export const futureIn = (timeZone: string): Schema<Date> =>
	z.unknown().transform((value, context) => {
		const date = dateTimeOf(value, timeZone, context);
		if (date && date.toMillis() > Date.now()) return date.toJSDate();
		if (date) context.addIssue({ code: 'custom', message: 'is in the past' });
		return z.NEVER;
	});

/** The time that a value stands for; adds to the context what is wrong with it. */
function dateTimeOf(value: unknown, zone: string, context: RefinementCtx): DateTime | undefined {
	const isNumber = typeof value === 'string' && /^\d+$/.test(value.trim());
	const given = isNumber ? Number(value) : value;
	if (typeof given === 'number' && given < 1e11) {
		// A time in seconds, or a date without dashes.
		const message =
			'is a number of less than 12 digits, which would be in 1970: give milliseconds, or a date such as 2026-01-31';
		context.addIssue({ code: 'custom', message });
		return undefined;
	}
	const time = parsedTime(given, zone);
	if (time.isValid) return time;
	context.addIssue({ code: 'custom', message: 'is not a date, e.g. 2026-01-31T09:00' });
	return undefined;
}

function parsedTime(value: unknown, zone: string): DateTime {
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value === 'number') return DateTime.fromMillis(value, { zone });
	if (typeof value === 'string') return DateTime.fromISO(value.trim(), { zone });
	// n8n's expressions bring their own copy of Luxon, so instanceof does not hold.
	const { toISO } = (value ?? {}) as Partial<DateTime>;
	return DateTime.fromISO(typeof toISO === 'function' ? String(toISO.call(value)) : '', { zone });
}
