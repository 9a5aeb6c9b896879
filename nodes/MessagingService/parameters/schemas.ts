import { castArray, get, invoke, isFunction, isObject, isPlainObject, memoize } from 'lodash';
import { DateTime } from 'luxon';
import { z, type ZodType, type ZodTypeDef } from 'zod';
import {
	checkChatPhone,
	checkVoicePhone,
	nationalAdvice,
	readDigits,
	type PhoneCheck,
} from './phone';
import { characterName, shown, textProblem } from './shown';

/**
 * Checks one parameter and converts it to the type that the service expects. Node.js finds the zod of another package
 * in n8n's folder first, so schemas use only what zod 3.25 and every 4 share; other rules are functions.
 */
export type Schema<T> = ZodType<T, ZodTypeDef, unknown>;

/** What to do about a problem. A function receives what fills the parameter, without braces. */
export type Advice = string | ((expression: string) => string | undefined);

/**
 * Converts a value with a function. `reject` takes the problem, worded to follow the label of the parameter,
 * further advice if there is any, and what the problem is in, if that is not the whole parameter.
 */
export const converted = <In, Out>(
	schema: Schema<In>,
	read: (value: In, reject: (problem: string, advice?: Advice, what?: string) => never) => Out,
): Schema<Out> =>
	schema.transform((value, context) =>
		read(value, (message, advice, what) => {
			context.addIssue({ code: 'custom', message, fatal: true, params: { advice, what } });
			return z.NEVER;
		}),
	);

export const anything: Schema<unknown> = z.unknown();

export const asText = (value: unknown): string => String(value ?? '');

/** Any text, even empty. Numbers become text, because expressions often return them. */
export const text: Schema<string> = converted(anything, (value, reject) => {
	const problem = textProblem(value ?? '');
	return problem === undefined ? asText(value) : reject(problem);
});

export const phoneWith = (
	check: (value: unknown) => PhoneCheck,
	countryCodes: readonly string[] = [],
): Schema<string> =>
	converted(anything, (value, reject) => {
		const result = check(value);
		if ('phone' in result) return result.phone;
		return reject(result.problem, (expression) => {
			const national = nationalAdvice(value, countryCodes, expression);
			return (
				national && `If the leading 0 is not dialed from abroad, set this field to ${national}`
			);
		});
	});

/** A chat recipient as digits, starting with one of the country codes if there are any. */
export const chatPhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkChatPhone(value, countryCodes), countryCodes);

/** A voice destination, starting with one of the country codes if there are any. */
export const voicePhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkVoicePhone(value, countryCodes), countryCodes);

/** Identifiers and names without surrounding spaces, in any number of lines; may be empty. */
export const trimmed: Schema<string> = text.transform((value) => value.trim());

export const someDigits: Schema<string> = trimmed.pipe(
	phoneWith((value) => (value === '' ? { phone: '' } : readDigits(value))),
);

/** The sending number: an ID, digits, or empty for the default number. */
export const sendingNumber: Schema<string> = trimmed.transform((value) => {
	const check = checkChatPhone(value);
	// Only phone numbers lose their formatting; anything else is an ID.
	return 'phone' in check ? check.phone : value;
});

export const isBlank = (value: string): boolean => value.trim() === '';

export const required = (schema: Schema<string>): Schema<string> =>
	schema.refine((value) => !isBlank(value), 'is empty');

export const requiredText = required(text);

export const languageCode = trimmed.refine(
	(value) => /^([a-z]{2,3}([_-][a-z0-9]{2,8})*)?$/i.test(value),
	'is not a language code like en or en_US',
);

export const requiredName = required(trimmed);

/** Controls, bidirectional marks, noncharacters, lone surrogates. Whatever else the URL parser reads is encoded. */
const outsideAddresses = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}\p{Cs}]/u;

const webAddress = (scheme: RegExp, needed: string): Schema<string> =>
	converted(trimmed, (value, reject) => {
		if (/[\s,;|]https?:\/\//i.test(value)) return reject('contains more than one address');
		const [character] = outsideAddresses.exec(value) ?? [];
		if (character !== undefined) return reject(`contains ${characterName(character)}`);
		const url = scheme.test(value) ? parsed(value) : undefined;
		if (value !== '' && !url) return reject(`is not ${needed}`);
		// Spaces and characters beyond ASCII are encoded; the rest is sent as entered.
		return url && !/^[!-~]*$/.test(value) ? url.href : value;
	});

/** A parsed URL. In Node 20, URL.canParse misreads letters such as ü once the engine has optimized it. */
export function parsed(address: string): URL | undefined {
	try {
		return new URL(address);
	} catch {
		return undefined;
	}
}

// Names outside the public DNS; loopback, private and link-local addresses.
const privateHost =
	/^([^.[]+|.+\.(localhost|local|internal|lan|home\.arpa|test)|(0|10|127)\.[\d.]+|169\.254\.[\d.]+|192\.168\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+|\[(::1?|::ffff:7f[^\]]*|f[cd][^\]]*|fe[89ab][^\]]*)\])$/;

/** Whether an address can certainly not be reached from the internet. */
export const isPrivate = (address: string): boolean =>
	privateHost.test(parsed(address)?.hostname.replace(/\.$/, '') ?? '');

const https = [/^https:\/\//i, 'an address that starts with https://'] as const;

/** A publicly reachable HTTPS URL (docs/service.md, section 8.3). */
export const httpsUrl = required(webAddress(...https));

/** The schemas of files that the service must open: it reaches private addresses only if it is private itself. */
export const filesFor = memoize(
	({ isPrivate: isServicePrivate }: { isPrivate: boolean }) => {
		const fileAddress = (...rule: Parameters<typeof webAddress>): Schema<string> =>
			webAddress(...rule).refine(
				(value) => isServicePrivate || !isPrivate(value),
				'is an address that the service cannot reach',
			);
		const optionalFileUrl = fileAddress(/^https?:\/\//i, 'an absolute address (https://…)');
		return {
			optionalFileUrl,
			/** The absolute URL of a file (docs/service.md, section 4.13). */
			fileUrl: required(optionalFileUrl),
			/** The publicly reachable HTTPS URL of a file (docs/service.md, section 8.3). */
			httpsFileUrl: required(fileAddress(...https)),
			/** The header of a template: the URL of a file, or a text. */
			headerText: converted(requiredText, (value, reject) => {
				// A text may begin with an address.
				const url = /^\s*https?:\/\/\S+\s*$/i.test(value)
					? optionalFileUrl.safeParse(value)
					: undefined;
				if (!url) return value;
				return url.success ? url.data : reject(`${url.error.issues[0]?.message}`);
			}),
		};
	},
	({ isPrivate: isServicePrivate }) => isServicePrivate,
);

/** Removes the name, as in `Anna <anna@host.example>`, and quotation marks around the address. */
export function addressIn(entry: string): string {
	const address = (/^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(entry.trim())?.[1] ?? entry).trim();
	const isQuoted = /^(?:"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’)$/.test(address);
	return isQuoted ? address.slice(1, -1).trim() : address;
}

const addressPattern =
	/^(?!')[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;

/** One form for all spellings of an email address; undefined if it is not an address. */
export function mailboxOf(address: string): string | undefined {
	if (address.length > 320 || !addressPattern.test(address)) return undefined;
	const [name, host] = address.normalize().toLowerCase().split('@');
	const url = parsed(`https://${host}`);
	return url && `${name}@${url.hostname}`;
}

/** The longest time of a timer in milliseconds. Longer timers fire at once. */
export const maxTimer = 2 ** 31 - 1;

/** A number. Expressions often return numbers as text. */
export const someNumber: Schema<number> = converted(anything, (value, reject) => {
	const number = typeof value === 'string' && !isBlank(value) ? Number(value) : value;
	return typeof number === 'number' && !Number.isNaN(number) ? number : reject('is not a number');
});

/** A whole number, also as text, from `least` to `most`; by default, `most` is the longest timer. */
export const wholeNumber = (least: number, most = maxTimer): Schema<number> =>
	converted(someNumber, (value, reject) => {
		if (!Number.isInteger(value)) return reject('is not a whole number');
		if (value < least) return reject(`is less than ${least}`);
		return value > most ? reject(`is more than ${most}`) : value;
	});

/** A switch. Expressions may also return the text of the value, or 1 and 0. */
export const flag: Schema<boolean> = trimmed
	.transform((value) => ['false', '0', 'true', '1'].indexOf(value.toLowerCase()))
	.refine((place) => place >= 0, 'is neither true nor false')
	.transform((place) => place > 1);

/**
 * One of a fixed set of values. `checkedValue` in read.ts writes the message, with the labels of the field's
 * choices.
 */
export const oneOf = <T extends string>(values: readonly T[]): Schema<T> =>
	trimmed.pipe(z.custom<T>((value) => values.includes(value as T), { params: { isChoice: true } }));

export const choiceOf = memoize(<T extends string>(choices: Record<T, unknown>): Schema<T> =>
	oneOf(Object.keys(choices) as T[]),
);

/** Maximum levels of JSON: thousands of levels could not be written or compared. */
const maxDepth = 20;

const maxJsonLength = 20_000_000;

const isDeeper = (value: unknown, levels: number): boolean =>
	isObject(value) &&
	(levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** JSON, as text or as a value that an expression returns. */
export const json = <T>(schema: Schema<T>): Schema<T> =>
	converted(anything, (value, reject) => {
		let content = value;
		try {
			if (typeof value === 'string') content = JSON.parse(value);
		} catch (error) {
			return reject(`is not valid JSON: ${(error as Error).message}`);
		}
		if (isDeeper(content, maxDepth)) return reject(`has more than ${maxDepth} levels`);
		const written = typeof value === 'string' ? value : JSON.stringify(value ?? null);
		if (written.length > maxJsonLength) return reject(`has more than ${maxJsonLength} characters`);
		return content;
	}).pipe(schema);

export const objectSchema = (message: string): Schema<Record<string, unknown>> =>
	converted(anything, (value, reject) =>
		isPlainObject(value) ? (value as Record<string, unknown>) : reject(message),
	);

export const jsonObjects: Schema<Array<Record<string, unknown>>> = json(
	converted(anything, (value, reject) => {
		if (!Array.isArray(value)) return reject('is not a JSON array of objects');
		return value.every(isPlainObject) ? value : reject('is not a list of objects');
	}),
);

/** The non-empty texts of a list, or of one text that `split` divides. */
const several = (split: (value: string) => string[]): Schema<string[]> =>
	z
		.preprocess(
			(value) => (typeof value === 'string' ? split(value) : castArray(value ?? [])),
			z.array(trimmed),
		)
		.transform((all) => all.filter((one) => one !== ''));

/** The texts of a multiple choice, which may be one text with commas. */
export const choices = several((value) => value.split(','));

export const choicesOf = (allowed: Record<string, unknown>): Schema<string[]> =>
	converted(choices, (all, reject) => {
		const other = all.find((one) => !(one in allowed));
		return other === undefined
			? all
			: reject(`contains ${shown(other)}, which is not one of ${Object.keys(allowed).join(', ')}`);
	});

// Commas inside brackets belong to a name.
const namePattern = /(?:\[(?:"[^"]*"|'[^']*')\]|[^,])+/g;

/** Names of input fields, separated by commas. A dragged field can be `['First Name']`. */
export const fieldNames = several((value) => value.match(namePattern) ?? []);

const maxDateLength = 60;

/**
 * A time in milliseconds from any date value of n8n: ISO text (in the workflow's time zone without an offset), a
 * Date, a Luxon DateTime or milliseconds; undefined if empty.
 */
export const timestampIn = (zone: string): Schema<number | undefined> =>
	converted(anything, (value, reject) => {
		if (value === undefined || value === null || value === '') return undefined;
		// The toJSON of every date returns ISO text, even that of a DateTime from n8n's own copy of Luxon.
		const written: unknown = isFunction(get(value, 'toJSON')) ? invoke(value, 'toJSON') : value;
		const text = ['string', 'number'].includes(typeof written) ? String(written).trim() : '';
		const isNumber = /^\d+$/.test(text);
		// Probably seconds, or a date without dashes.
		if (isNumber && Number(text) < 1e11) {
			return reject(
				'is a number with fewer than 12 digits: enter milliseconds, or a date such as 2026-01-31',
			);
		}
		const time = isNumber
			? DateTime.fromMillis(Number(text))
			: DateTime.fromISO(text.slice(0, maxDateLength), { zone });
		if (time.isValid) return time.toMillis();
		const example = DateTime.now().setZone(zone).toFormat("yyyy-MM-dd'T'HH:mm");
		return reject(`${text && `${shown(text)} `}is not a date like ${example}`);
	});

export const requiredTimestampIn = (zone: string): Schema<number> =>
	converted(timestampIn(zone), (time, reject) => time ?? reject('is empty'));
