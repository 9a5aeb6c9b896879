import { castArray, get, invoke, isFunction, toLower, uniqBy } from 'lodash';
import { DateTime } from 'luxon';
import { z, type ZodType, type ZodTypeDef } from 'zod';
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

/** What a function makes of a value; `refuse` says what is wrong with it, behind the label of its parameter. */
export const reading = <In, Out>(
	schema: Schema<In>,
	read: (value: In, refuse: (problem: string) => never) => Out,
): Schema<Out> =>
	schema.transform((value, context) =>
		read(value, (message) => {
			context.addIssue({ code: 'custom', message, fatal: true });
			return z.NEVER;
		}),
	);

/** Any value. */
export const anything: Schema<unknown> = z.unknown();

/** Any text, also empty; expressions often give a number where the service wants text. */
export const text = reading(anything, (value, refuse) => {
	const problem = textProblem(value ?? '');
	return problem === undefined ? String(value ?? '') : refuse(problem);
});

const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

const phoneWith = (check: (value: unknown) => PhoneCheck): Schema<string> =>
	reading(anything, (value, refuse) => {
		const result = check(value);
		return 'phone' in result ? result.phone : refuse(result.problem);
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

/** Text without surrounding spaces, also empty: identifiers and names. */
export const trimmed: Schema<string> = text.transform((value) => value.trim());

/** The chosen sending number as the service takes it: an id, digits, or empty for the default number. */
export const sendingNumber: Schema<string> = trimmed.transform((value) => {
	const check = checkChatPhone(value);
	// Formatting is taken off phone numbers only; anything else is an id and passes as it is.
	return 'phone' in check ? check.phone : value;
});

/** Whether a text shows nothing: no characters, or spaces alone. */
export const isBlank = (value: string): boolean => value.trim() === '';

/** Text that must not be empty, kept as it is. */
export const requiredText: Schema<string> = text.refine((value) => !isBlank(value), 'is empty');

/** An identifier or name that must not be empty. */
export const requiredName: Schema<string> = requiredText.transform((value) => value.trim());

/** What names a send. */
export const idempotencyKey: Schema<string> = requiredName
	.refine((value) => /[^\p{C}\p{Z}\p{DI}\u2800]/u.test(value), 'has no visible character')
	.transform((key) => key.normalize());

const webAddress = (pattern: RegExp, needed: string): Schema<string> =>
	requiredName.refine((value) => pattern.test(value) && URL.canParse(value), `is not ${needed}`);

/** A publicly reachable HTTPS URL (docs/service.md, section 8.3). */
export const httpsUrl = webAddress(/^https:\/\//i, 'an address that starts with https://');

/** An absolute URL. */
export const absoluteUrl = webAddress(/^https?:\/\//i, 'an absolute address (https://…)');

/** An identifier of the form that the service gives AI agents and XML templates. */
export const uuid: Schema<string> = requiredName.pipe(z.string().uuid('is not a UUID'));

/**
 * One address or several, separated by commas or semicolons, with or without names: as the list of
 * addresses that the service takes (docs/service.md, section 4.15).
 */
export const emailAddresses = reading(requiredName, (value, refuse) => {
	// Commas inside of quotation marks belong to a name.
	const entries = value.match(/(?:"[^"]*"|[^,;"])+/g) ?? [];
	const all = entries.map(addressIn).filter((address) => address !== '');
	const addresses = uniqBy(all, toLower);
	const other = addresses.find((address) => !isAddress(address));
	return addresses.length > 0 && other === undefined
		? addresses.join(', ')
		: refuse(`${shown(other ?? value)} is not an email address; separate several by commas`);
});

/** One address, with or without a name, or nothing. */
export const optionalEmailAddress: Schema<string> = trimmed.refine(
	(value) => value === '' || isAddress(addressIn(value)),
	'is not an email address',
);

/** Takes off the name, as in `Anna <anna@host.example>`. */
export const addressIn = (entry: string): string =>
	(/^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(entry.trim())?.[1] ?? entry).trim();

/** Whether a text is one bare address, which no mail server reads as another one. */
export const isAddress = (value: string): boolean =>
	/^[^@\s<>"(),:;[\\\]\p{C}]+@[^@\s<>"(),:;[\\\]/?#%\p{C}]+$/u.test(value);

/** The longest time that a timer can wait, in milliseconds; a longer one would not wait at all. */
export const longestTime = 2 ** 31 - 1;

const someNumber = z.number({ message: 'is not a number' });

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

/** One of the choices of a field. */
export const choiceOf = <T extends string>(choices: Record<T, unknown>): Schema<T> =>
	oneOf(Object.keys(choices) as T[]);

/** JSON, as text or as what an expression gives. */
const json = <T>(schema: Schema<T>): Schema<T> =>
	reading(anything, (value, refuse) => {
		if (typeof value !== 'string') return value;
		try {
			return JSON.parse(value) as unknown;
		} catch {
			return refuse('is not valid JSON');
		}
	}).pipe(schema);

const objectOr = (message: string) => z.record(z.unknown(), { message });

/** A JSON array of texts; numbers become text. */
export const textArray: Schema<string[]> = json(
	z.array(text, { message: 'is not a JSON array, e.g. ["Anna", "12:30"]' }),
);

/** A JSON object. */
export const jsonObject = json(objectOr('is not a JSON object'));

/** A JSON array of objects. */
export const jsonObjects = json(
	z.array(objectOr('is not a list of objects only'), { message: 'is not a JSON array of objects' }),
);

/** Values of placeholders, of which none may be blank. */
export const withoutBlanks = (values: Schema<string[]>): Schema<string[]> =>
	reading(values, (all, refuse) => {
		const blank = all.findIndex(isBlank);
		return blank === -1 ? all : refuse(`has no value for {{${blank + 1}}}`);
	});

const notRows = { message: 'is not a list of rows with a value each' };

const parameterRows = z.array(z.object({ value: text }, notRows), notRows);

/** The rows of `parametersUi`, in order. */
export const parameterList: Schema<string[]> = z
	.preprocess((value) => value || {}, z.object({ parameter: parameterRows.default([]) }, notRows))
	.transform(({ parameter }) => parameter.map(({ value }) => value));

/** Any of the texts of a multiple choice, also as a list with commas. */
export const choices: Schema<string[]> = z
	.preprocess(
		(value) => (typeof value === 'string' ? value.split(',') : castArray(value ?? [])),
		z.array(trimmed),
	)
	.transform((all) => all.filter((one) => one !== ''));

/** Any of the choices of a field. */
export const choicesOf = (known: Record<string, unknown>): Schema<string[]> =>
	reading(choices, (all, refuse) => {
		const other = all.find((one) => !(one in known));
		return other === undefined
			? all
			: refuse(`contains ${shown(other)}, which is not one of ${Object.keys(known).join(', ')}`);
	});

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
export const momentIn = (zone: string): Schema<number | undefined> =>
	reading(anything, (value, refuse) => {
		if (isNothing(value)) return undefined;
		// Dates write themselves as ISO text, also those of n8n's own copy of Luxon.
		const written: unknown = isFunction(get(value, 'toJSON')) ? invoke(value, 'toJSON') : value;
		const text = ['string', 'number'].includes(typeof written) ? String(written).trim() : '';
		const isNumber = /^\d+$/.test(text);
		// A time in seconds, or a date without dashes.
		if (isNumber && Number(text) < 1e11) {
			return refuse(
				'is a number of less than 12 digits, which would be in 1970: give milliseconds, or a date such as 2026-01-31',
			);
		}
		const time = isNumber ? DateTime.fromMillis(Number(text)) : DateTime.fromISO(text, { zone });
		return time.isValid ? time.toMillis() : refuse('is not a date, e.g. 2026-01-31T09:00');
	});

/** The same, where it may not be missing. */
export const requiredMomentIn = (zone: string): Schema<number> =>
	reading(momentIn(zone), (time, refuse) => time ?? refuse('is empty'));

/** A moment that is still to come. */
export const futureIn = (zone: string): Schema<number> =>
	requiredMomentIn(zone).refine((time) => time > Date.now(), 'is in the past');
