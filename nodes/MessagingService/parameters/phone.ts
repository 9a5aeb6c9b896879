import { characterName, shown, textProblem } from './shown';

/** A phone number as the service expects it, or what is wrong with the value. */
export type PhoneCheck =
	| {
			phone: string;
			/** Whether a `+` stands in front of its digits, so that they begin with the country code. */
			hasPlus?: boolean;
	  }
	| { problem: string };

// Formatting people type or paste: spaces, plus, dots, dashes of all kinds, parentheses.
const formatting = /[\s+.()\-\u2010-\u2015\u2212]/g;

/**
 * The text in ASCII instead of full-width signs, without outer spaces, the invisible marks of contact apps, and the
 * apostrophe that spreadsheets add.
 */
const enteredText = (value: unknown): string =>
	String(value ?? '')
		.replace(/\p{Cf}/gu, '')
		.replace(/[\uff01-\uff5e]/g, (sign) => sign.normalize('NFKC'))
		.trim()
		.replace(/^['\u2019]\s*/, '');

export const digitsOf = (number: unknown): string => String(number ?? '').replace(/\D/g, '');

const maxPhoneLength = 60;

/**
 * Removes formatting from a chat recipient and checks the rest: 7 to 15 digits without a leading zero
 * (docs/service.md, section 4.16), starting with one of the country codes if there are any.
 */
export const checkChatPhone = (value: unknown, countryCodes?: readonly string[]): PhoneCheck =>
	checkDigits(value, 7, countryCodes);

/**
 * Checks a voice destination: 10 to 15 digits. A `+` is added only if the country code is known: without it, the
 * service may add one (docs/service.md, section 4.13).
 */
export function checkVoicePhone(value: unknown, countryCodes: readonly string[] = []): PhoneCheck {
	const check = checkDigits(value, 10, countryCodes);
	if ('problem' in check) return check;
	const isCodeKnown = check.hasPlus === true || countryCodes.length > 0;
	return { phone: isCodeKnown ? `+${check.phone}` : check.phone };
}

/** The digits of a number with `least` to 15 digits, no leading zero and an allowed country code. */
function checkDigits(
	value: unknown,
	least: number,
	countryCodes: readonly string[] = [],
): PhoneCheck {
	const read = readDigits(value);
	if ('problem' in read) return read;
	const { length } = read.phone;
	if (read.phone.startsWith('0'))
		return {
			problem: `${shown(value)} starts with a zero: start with the country code, without 0 or 00`,
		};
	if (length < least || length > 15)
		return { problem: `${shown(value)} needs ${least} to 15 digits, but has ${length}` };
	const isAllowed = countryCodes.some((code) => read.phone.startsWith(code));
	if (isAllowed || countryCodes.length === 0) return read;
	return {
		problem: `${shown(value)} does not start with a country code that the credential allows (${countryCodes.join(', ')})`,
	};
}

/** No number contains it, so forgetting to replace it reaches nobody. */
const missingCode = 'CODE';

/**
 * How to add the country code to national numbers, which start with 0, unless several countries are allowed; undefined
 * for other values. The node adds nothing itself, because that would be a guess.
 *
 * @param expression what fills the parameter, without braces
 */
export function nationalAdvice(
	value: unknown,
	[code = missingCode, ...others]: readonly string[],
	expression: string,
): string | undefined {
	if (others.length > 0) return undefined;
	if (!/^0[1-9]/.test(String(value ?? '').trim())) return undefined;
	const toReplace = code === missingCode ? ', with your country code in place of CODE' : '';
	return `{{ String(${expression}).trim().replace(/^0(?=[1-9])/, "+${code}") }}${toReplace}. Numbers with + stay as they are.`;
}

/** Numbers damaged by spreadsheets and typing. They are never repaired, because that would be a guess. */
const damages: Array<[is: (text: string, value: unknown) => boolean, problem: string]> = [
	[
		(text) => /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text),
		'lost digits in a spreadsheet: format the column as text and re-enter it',
	],
	[(text) => /^[-\u2010-\u2015\u2212]/.test(text), 'begins with a minus'],
	[
		(text) =>
			/[\n\r\v\f\u0085\u2028\u2029|]|\d[^\d*#+]*\+\D*\d/.test(text) ||
			(text.match(/\d{7,}/g) ?? []).length > 1,
		'contains more than one number: enter only one',
	],
	// In a text, dots and commas can also group digits. Only after 7 or more digits do they start a fraction.
	[
		(text, value) =>
			typeof value === 'number' ? /\.\d/.test(text) : /\d{7,60}[.,]\d{1,60}$/.test(text),
		'has a decimal fraction: format the column as text',
	],
	[
		(text) => text.search(/\(\s*0\s*\)/) > text.search(/\d/),
		'has a zero in parentheses: write the number as it is dialed from abroad',
	],
];

const usualPhone = /^\+?[1-9][0-9]{6,14}$/;

/** The digits of a phone number without formatting, for any channel. */
export function readDigits(value: unknown): PhoneCheck {
	// The fast path: a bulk campaign can check a million numbers.
	if (typeof value === 'string' && usualPhone.test(value)) {
		return { phone: value.replace('+', ''), hasPlus: value.startsWith('+') };
	}
	const wrongType = textProblem(value ?? '');
	if (wrongType !== undefined) return { problem: wrongType };
	const given = enteredText(value);
	if (given.length > maxPhoneLength) {
		return { problem: `${shown(value)} has more than ${maxPhoneLength} characters` };
	}
	const text = given.replace(/(?![0-9])\p{Nd}/gu, digitValue);
	const digits = text.replace(formatting, '');
	if (digits === '') return { problem: 'is empty' };
	const [, damage] = damages.find(([is]) => is(text, value)) ?? [];
	if (damage) return { problem: `${shown(value)} ${damage}` };
	const [invalid] = /[^0-9]/u.exec(digits) ?? [];
	if (invalid === undefined) return { phone: digits, hasPlus: /^[^\d+]*\+/.test(text) };
	return { problem: `${shown(value)} contains ${characterName(invalid)}, which is not a digit` };
}

/** In every script, the digits zero to nine are consecutive in Unicode. */
function digitValue(digit: string): string {
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
	return String((code - zero) % 10);
}
