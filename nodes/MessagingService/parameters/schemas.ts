import {
	castArray,
	get,
	invoke,
	isDate,
	isFunction,
	isNumber,
	isObject,
	map,
	memoize,
	size,
	uniqBy,
} from 'lodash';
import { DateTime } from 'luxon';
import { z, type ZodType, type ZodTypeDef } from 'zod';
import { checkChatPhone, checkVoicePhone, readDigits, type PhoneCheck } from './phone';
import { characterName, invisible, isInexact, shown } from './shown';
import { rowProblem, textProblem, valueProblem } from './texts';

/** Checks one parameter and converts it to the type that the service expects. */
export type Schema<T> = ZodType<T, ZodTypeDef, unknown>;

/**
 * Converts a value with a function. `reject` takes two texts: the problem, worded to follow the label of the
 * parameter, and further advice if there is any.
 */
export const converted = <In, Out>(
	schema: Schema<In>,
	read: (value: In, reject: (problem: string, advice?: string) => never) => Out,
): Schema<Out> =>
	schema.transform((value, context) =>
		read(value, (message, advice) => {
			context.addIssue({ code: 'custom', message, fatal: true, params: { advice } });
			return z.NEVER;
		}),
	);

/** Any value. */
export const anything: Schema<unknown> = z.unknown();

/** A value as text. Fractions are rounded to 15 digits, because 16.6 * 3 is 49.800000000000004. */
export const asText = (value: unknown): string =>
	String(
		isNumber(value) && !Number.isInteger(value) ? Number(value.toPrecision(15)) : (value ?? ''),
	);

/** A value as text without surrounding spaces. */
export const asLine = (value: unknown): string => asText(value).trim();

/** What a text must not contain where line breaks could add email headers. */
const lineBreak = /[\n\r\v\f\0\u0085\u2028\u2029]/;

/** What is wrong with a value as text on one line. A campaign checks a name for each row, and zod takes memory. */
export const lineProblem = (value: unknown): string | undefined =>
	textProblem(value ?? '') ?? (lineBreak.test(asLine(value)) ? 'has a line break' : undefined);

const withoutProblem = (
	problemOf: (value: unknown) => string | undefined,
	convert: (value: unknown) => string,
): Schema<string> =>
	converted(anything, (value, reject) => {
		const problem = problemOf(value);
		return problem === undefined ? convert(value) : reject(problem);
	});

/** Any text, even empty. Numbers become text, because expressions often return them. */
export const text = withoutProblem((value) => textProblem(value ?? ''), asText);

/** An identifier or name, maybe empty, on one line. */
export const oneLine = withoutProblem(lineProblem, asLine);

const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

const phoneWith = (check: (value: unknown) => PhoneCheck): Schema<string> =>
	converted(anything, (value, reject) => {
		const result = check(value);
		return 'phone' in result ? result.phone : reject(result.problem);
	});

/** A chat recipient as digits, starting with one of the country codes if there are any. */
export const chatPhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkChatPhone(value, countryCodes));

/** A chat recipient as digits, or nothing. */
export const optionalChatPhone: Schema<string> = phoneWith((value) =>
	isNothing(value) ? { phone: '' } : checkChatPhone(value),
);

/** A voice destination, starting with one of the country codes if there are any. */
export const voicePhone = (countryCodes: readonly string[]): Schema<string> =>
	phoneWith((value) => checkVoicePhone(value, countryCodes));

/** Identifiers and names without surrounding spaces; may be empty. */
export const trimmed: Schema<string> = text.transform((value) => value.trim());

/** Digits of a phone number, or nothing. */
export const someDigits: Schema<string> = trimmed.pipe(
	phoneWith((value) => (value === '' ? { phone: '' } : readDigits(value))),
);

/** The sending number: an ID, digits, or empty for the default number. */
export const sendingNumber: Schema<string> = trimmed.transform((value) => {
	const check = checkChatPhone(value);
	// Only phone numbers lose their formatting; anything else is an ID.
	return 'phone' in check ? check.phone : value;
});

/** Whether a text is empty or only spaces. */
export const isBlank = (value: string): boolean => value.trim() === '';

const required = (schema: Schema<string>): Schema<string> =>
	schema.refine((value) => !isBlank(value), 'is empty');

/** Text that must not be empty, kept as it is. */
export const requiredText = required(text);

/** A text to be spoken, or the URL of a file to be played (docs/service.md, section 4.13). */
export const spokenText = requiredText.refine(
	(value) => /^\s*https?:/i.test(value) || !/^\s*\S+\.(mp3|wav|ogg|m4a)\s*$/i.test(value),
	'is only the name of a file: set Content to Audio URL and enter its full https:// address',
);

/** Addresses that show a file in a page, or only to those who are logged in. */
const pages = [
	String.raw`drive\.google\.com\/(?:file\/|open\?|drive\/)`,
	String.raw`docs\.google\.com\/[^?#]{0,200}\/(?:edit|view|preview|copy)\b`,
	String.raw`(?:www\.)?google\.[a-z.]{2,6}\/(?:imgres|url|search)\b`,
	String.raw`(?:photos|images)\.app\.goo\.gl\/`,
	String.raw`mail\.google\.com\/`,
	String.raw`outlook\.(?:office|office365|live)\.com\/`,
	String.raw`attachments\.office\.net\/`,
	String.raw`[\w-]+\.sharepoint\.com\/:(?!.*download=1)`,
	String.raw`1drv\.ms\/(?!.*download=1)`,
	String.raw`(?:www\.)?dropbox\.com\/(?!s\/raw\/|.*[?&;](?:dl|raw)=1)`,
	String.raw`we\.tl\/`,
	String.raw`(?:www\.)?youtube\.com\/watch`,
	String.raw`youtu\.be\/`,
	String.raw`open\.spotify\.com\/`,
	String.raw`soundcloud\.com\/`,
	String.raw`(?:www\.)?(?:canva\.com\/design|instagram\.com\/p|facebook\.com\/photo|pinterest\.com\/pin)\b`,
	String.raw`ibb\.co\/`,
	String.raw`postimg\.cc\/`,
	String.raw`imgur\.com\/(?:a\/|gallery\/|\w+$)`,
	String.raw`github\.com\/[^?#]{1,200}\/blob\/(?!.*raw=true)`,
	String.raw`invoice\.stripe\.com\/i\/(?![^?#]*\/pdf)`,
];

/** Links that lead to such a page. */
const shareLink = new RegExp(String.raw`^https?:\/\/(?:${pages.join('|')})`, 'i');

/** The addresses in an attribute of the HTML elements of a kind. */
function addressesIn(html: string, element: string, attribute: string): string[] {
	const start = `<${element}\\b[^<>]*\\s${attribute}\\s*=\\s*`;
	const all = html.matchAll(new RegExp(`${start}(?:"([^"]*)|'([^']*)|([^\\s"'<>]+))`, 'gi'));
	return [...all].map(([, ...found]) => found.join('').trim());
}

/** Empty addresses, `#`, those without a host, and those without https:// or mailto: at their start. */
const noTarget = /^(?:https?:\/\/|#)?$|^\/(?!\/)|^[\w@-]+(?:\.[\w@-]+)+(?:[/?#]|:\d|$)/i;

/** HTML that must not be empty. Without tags, an email would show its lines as one. */
export const htmlText = requiredText
	.refine((value) => !/^[ \t]*```/m.test(value), 'contains ```: remove the code fences')
	.refine(
		(value) => /<(img|svg)\b/i.test(value) || !isBlank(value.replace(/<[^<>]*>|&nbsp;/gi, '')),
		'has tags but no text',
	)
	.refine(
		(value) =>
			addressesIn(value, 'img', 'src').every((one) => /^(https?:|data:|\/\/|$)/i.test(one)),
		'has an image without a web address, which recipients would not see: start its src with https://',
	)
	.refine(
		(value) => !addressesIn(value, 'img', 'src').some((one) => shareLink.test(one)),
		'has an image whose address leads to a page, or needs your login: use a public URL of the image itself',
	)
	.refine(
		(value) =>
			/<base\b/i.test(value) || !addressesIn(value, 'a', 'href').some((one) => noTarget.test(one)),
		'has a link whose address is empty or incomplete: start its href with https://, mailto: or tel:',
	)
	.refine(
		(value) => !/<iframe\b(?![^<>]*(?:hidden|display:\s*none))/i.test(value),
		'has an iframe, which email programs do not show: link to its page instead',
	)
	.refine(
		(value) => !/<\/(tr|li)>,<\1\b/i.test(value),
		'has commas between the parts of a list: add .join("") after .map(…)',
	)
	.refine(
		(value) => !value.trim().includes('\n') || /<[a-z]/i.test(value),
		'has line breaks but no HTML tags: set Email Format to Text, or add tags',
	);

/** The name of a sender, or nothing. */
export const senderName = oneLine.refine(
	(value) => !/<[^<>]*@/.test(value),
	'contains an address: enter only the name. The SMTP server of the account decides the address',
);

/** The name of a file without its folder, or nothing. */
export const fileName = oneLine.refine(
	(value) => !/\\|^([a-z]:)?\//i.test(value),
	'contains a path: enter only the name, e.g. "invoice.pdf"',
);

/** The code of a language, or nothing. */
export const languageCode = oneLine.refine(
	(value) => /^([a-z]{2,3}([_-][a-z0-9]{2,8})*)?$/i.test(value),
	'is not a language code like en or en_US',
);

/** An identifier or name that must not be empty. */
export const requiredName = required(oneLine);

/** The media ID of an uploaded file. */
export const mediaId = requiredName.refine(
	(value) => !/^https?:/i.test(value),
	'is a web address: choose URL (in a campaign, Value) instead of Media ID',
);

/** Maximum characters of a key, because normalizing a longer one could take seconds. */
const maxKeyLength = 1_000;

/** An idempotency key. */
export const idempotencyKey: Schema<string> = converted(anything, (value, reject) => {
	if (DateTime.isDateTime(value) || isDate(value))
		return reject(
			'is a date, but a key must stay the same when the item is sent again',
			'Use e.g. an order number. To send once a day, write {{ $json.phone }} {{ $today.toISODate() }}.',
		);
	if (isInexact(value))
		return reject(
			'is a number that is too large to be exact, so that two items could have the same key',
			"Use another field, e.g. the order's name or number.",
		);
	return value;
})
	.pipe(required(trimmed))
	.refine(({ length }) => length <= maxKeyLength, `has more than ${maxKeyLength} characters`)
	.refine((value) => /[^\p{C}\p{Z}\p{DI}\u2800]/u.test(value), 'has no visible character')
	.transform((key) => key.normalize());

/** Maximum characters of a URL. */
const maxAddressLength = 2_000;

/** A URL as it is sent, or nothing. */
const webAddress = (scheme: RegExp, needed: string): Schema<string> =>
	converted(trimmed, (value, reject) => {
		if (value.length > maxAddressLength)
			return reject(`has more than ${maxAddressLength} characters`);
		if (/[\s,;|]https?:\/\//i.test(value)) return reject('contains more than one address');
		const [invisibleCharacter] = invisible.exec(value) ?? [];
		if (invisibleCharacter !== undefined)
			return reject(`contains ${characterName(invisibleCharacter)}`);
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

/** Whether a URL leads to the computer that opens it. */
export const isLocal = (address: string): boolean =>
	/^((.+\.)?localhost\.?|127\.[\d.]+|0\.0\.0\.0|\[(::1?|::ffff:7f.*)\])$/.test(
		parsed(address)?.hostname ?? '',
	);

/** Whether a URL leads into a local network. */
const isPrivate = (address: string): boolean =>
	/^(?:10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$|^[^.:]+$|\.local$/.test(
		parsed(address)?.hostname ?? '',
	);

/** The URL of a file that the service reads, or nothing. */
const fileAddress = (...rule: Parameters<typeof webAddress>): Schema<string> =>
	webAddress(...rule)
		.refine(
			(value) => !isLocal(value) && !isPrivate(value),
			'is an address that the service cannot reach',
		)
		.refine(
			(value) => !/\/\.\w{2,5}(?:[?#]|$)/.test(value),
			'has only an ending as the name of its file: the field for the name may be empty',
		)
		.refine(
			(value) => !shareLink.test(value),
			'leads to a page that shows a file: use a URL that downloads the file itself',
		);

/** The absolute URL of a file, or nothing. */
export const optionalFileUrl = fileAddress(/^https?:\/\//i, 'an absolute address (https://…)');

/** The absolute URL of a file. */
const fileUrl = required(optionalFileUrl);

/** The absolute URL of an audio file (docs/service.md, section 4.13). */
export const audioUrl = converted(fileUrl, (value, reject) => {
	const other = /\.(pdf|jpe?g|png|gif|webp|mp4|docx?|xlsx?|html?)$/i;
	const [ending] = other.exec(parsed(value)?.pathname ?? '') ?? [];
	return ending === undefined ? value : reject(`ends in ${ending}, which is not an audio file`);
});

const https = [/^https:\/\//i, 'an address that starts with https://'] as const;

/** A publicly reachable HTTPS URL (docs/service.md, section 8.3). */
export const httpsUrl = required(webAddress(...https));

/** The publicly reachable HTTPS URL of a file (docs/service.md, section 8.3). */
export const httpsFileUrl = required(fileAddress(...https));

/** The header of a template: the URL of a file, or a text. */
export const headerText: Schema<string> = converted(requiredText, (value, reject) => {
	const problem = valueProblem(value);
	if (problem !== undefined) return reject(problem);
	const isUrl = /^\s*(?:[a-z]+:(?:\/\/|\\)|\S+\.(?:jpe?g|png|webp|mp4|pdf)\s*$)/i.test(value);
	const url = isUrl ? optionalFileUrl.safeParse(value) : undefined;
	if (!url) return value;
	return url.success ? url.data : reject(`${url.error.issues[0]?.message}`);
});

/** The ID of an AI agent or XML template. */
export const uuid: Schema<string> = requiredName.pipe(z.string().uuid('is not a UUID'));

const listOrText: Schema<string> = z.preprocess(
	(value) => (Array.isArray(value) ? value.join() : value),
	trimmed,
);

/**
 * Zero to `most` addresses, with or without names: a list, or a text with commas, semicolons or line breaks.
 * Returns the distinct addresses as one text, separated by commas (docs/service.md, section 4.15).
 */
const addresses = (most: number): Schema<string> =>
	converted(listOrText, (value, reject) => {
		if (value === '') return '';
		// The comma in "Doe, Anna" <anna@host.example> does not separate addresses.
		const entries = value.match(/(?:"[^"]*"|[^,;\n])+/g) ?? [];
		const all = entries.map(addressIn).filter((address) => address !== '');
		const other = all.find(
			(address) => mailboxOf(address) === undefined || misspelledEnding.test(address),
		);
		if (all.length === 0 || other !== undefined) {
			const advice = most === 1 ? '' : '; commas separate addresses';
			return reject(`contains ${shown(other ?? value)}, which is not an email address${advice}`);
		}
		const each = uniqBy(all, mailboxOf);
		return each.length > most ? reject('has more than one address') : each.join(', ');
	});

/** One email address or several. */
export const emailAddresses = required(addresses(Infinity));

/** One email address, or nothing. */
export const optionalEmailAddress = addresses(1);

/** Removes the name, as in `Anna <anna@host.example>`, and quotation marks around the address. */
export function addressIn(entry: string): string {
	const address = (/^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(entry.trim())?.[1] ?? entry).trim();
	const isQuoted = /^(?:"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’)$/.test(address);
	return isQuoted ? address.slice(1, -1).trim() : address;
}

const addressPattern =
	/^(?!')[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+$/u;

/** Misspelled forms of .com that no domain ends in. */
const misspelledEnding = /\.(?:con|cmo|ocm|comm|coom|vom|xom)$/i;

/** Whether a text is one bare address with a dot in its domain; a domain without a dot is a typo. */
export const isAddress = (value: string): boolean => mailboxOf(value) !== undefined;

/** One form for all spellings of an address; undefined if it is not an address. */
function mailboxOf(address: string): string | undefined {
	if (address.length > 320 || !addressPattern.test(address)) return undefined;
	const [name, host] = address.normalize().toLowerCase().split('@');
	const url = parsed(`https://${host}`);
	return url && `${name}@${url.hostname}`;
}

/** The longest time of a timer in milliseconds. Longer timers fire at once. */
export const maxTimer = 2 ** 31 - 1;

const someNumber = z.number({ message: 'is not a number' });

/** Expressions often return numbers as text. */
const fromText = (value: unknown): unknown =>
	typeof value === 'string' && value.trim() !== '' ? Number(value) : value;

/** A whole number, also as text, from `least` to `most`; by default, `most` is the longest timer. */
export const wholeNumber = (least: number, most = maxTimer): Schema<number> =>
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
	someNumber.positive('is 0 or negative'),
);

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

/** One of the choices of a field. */
export const choiceOf = memoize(<T extends string>(choices: Record<T, unknown>): Schema<T> =>
	oneOf(Object.keys(choices) as T[]),
);

/** Maximum levels of JSON: thousands of levels could not be written or compared. */
const maxDepth = 20;

/** Maximum characters of JSON. */
const maxJsonLength = 20_000_000;

const isDeeper = (value: unknown, levels: number): boolean =>
	isObject(value) &&
	(levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** JSON, as text or as a value that an expression returns. */
const json = <T>(schema: Schema<T>): Schema<T> =>
	converted(anything, (value, reject) => {
		let content = value;
		try {
			if (typeof value === 'string') content = JSON.parse(value);
		} catch (error) {
			const where = / in JSON(?= at)| JSON(?= input)| is not valid JSON$/;
			return reject(
				`is not valid JSON: ${(error as Error).message.replace(where, '')}`,
				'Check its quotes, commas and line breaks. An expression can also return the list or object itself.',
			);
		}
		if (isDeeper(content, maxDepth)) return reject(`has more than ${maxDepth} levels`);
		const written = typeof value === 'string' ? value : JSON.stringify(value ?? null);
		if (written.length > maxJsonLength) return reject(`has more than ${maxJsonLength} characters`);
		return content;
	}).pipe(schema);

const objectSchema = (message: string) => z.record(z.unknown(), { message });

/** The values of placeholders; numbers become text. */
const placeholderValues = (
	schema: Schema<unknown[]>,
	problemOf: (value: unknown) => string | undefined,
): Schema<string[]> =>
	converted(schema, (values, reject) =>
		values.map((value, index) => {
			const problem = problemOf(value ?? '');
			if (problem === undefined) return asText(value);
			return reject(`has a value for {{${index + 1}}} that ${problem}`);
		}),
	);

/** A JSON array of values of placeholders. */
export const textArray = placeholderValues(
	json(z.array(z.unknown(), { message: 'is not a JSON array like ["Anna", "12:30"]' })),
	rowProblem,
);

/** A non-empty JSON object. */
export const jsonObject = json(objectSchema('is not a JSON object').refine(size, 'is empty'));

/** A JSON array of objects. */
export const jsonObjects = json(
	z.array(objectSchema('is not a list of objects'), { message: 'is not a JSON array of objects' }),
);

/** Values of placeholders, of which none may be blank. */
export const rejectBlanks = memoize((values: Schema<string[]>): Schema<string[]> =>
	converted(values, (all, reject) => {
		const blank = all.findIndex(isBlank);
		return blank === -1 ? all : reject(`has no value for {{${blank + 1}}}`);
	}),
);

const notRows = { message: 'is not a list of rows with the field "value"' };

const parameterRows = z.array(z.object({ value: z.unknown() }, notRows), notRows);

/** The rows of `parametersUi`, in order. */
export const parameterList = placeholderValues(
	z
		.preprocess((value) => value || {}, z.object({ parameter: parameterRows.default([]) }, notRows))
		.transform(({ parameter }) => map(parameter, 'value')),
	valueProblem,
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

/** Any of the choices of a field. */
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

/** Maximum characters of a date with time and zone. */
const maxDateLength = 60;

/**
 * A time in milliseconds from any date value of n8n: ISO text (in the workflow's time zone if it has no
 * offset, the start of the day if it has no time), a Date, a Luxon DateTime or milliseconds; undefined if
 * empty.
 */
export const timestampIn = (zone: string): Schema<number | undefined> =>
	converted(anything, (value, reject) => {
		if (isNothing(value)) return undefined;
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

/** A time that must not be empty. */
export const requiredTimestampIn = (zone: string): Schema<number> =>
	converted(timestampIn(zone), (time, reject) => time ?? reject('is empty'));

/** A time in the future. */
export const futureIn = (zone: string): Schema<number> =>
	converted(requiredTimestampIn(zone), (time, reject) => {
		if (time > Date.now()) return time;
		const written = DateTime.fromMillis(time, { zone }).toFormat('yyyy-MM-dd HH:mm');
		return reject(`is in the past (${written}, ${zone})`);
	});
