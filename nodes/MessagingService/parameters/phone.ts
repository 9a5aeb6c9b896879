import { characterName, isInexact, objectProblem, shown } from './shown';

/** A phone number as the service expects it, or what is wrong with the value. */
export type PhoneCheck = { phone: string } | { problem: string };

// Formatting people type or paste: spaces, plus, dots, dashes of all kinds, parentheses.
const formatting = /[\s+.()\-\u2010-\u2015\u2212]/g;

/** A phone number, or a part of one, without formatting. */
const withoutFormatting = (value: string): string => value.replace(formatting, '');

/** The digits of a phone number in a record. */
export const digitsOf = (number: unknown): string => String(number ?? '').replace(/\D/g, '');

/** Maximum characters of a phone number with formatting. */
const maxPhoneLength = 60;

/**
 * Removes formatting from a chat recipient and checks the rest: 7 to 15 digits without a leading zero
 * (docs/service.md, section 4.16), starting with one of the country codes if there are any.
 */
export const checkChatPhone = (value: unknown, countryCodes?: readonly string[]): PhoneCheck =>
	checkDigits(value, 7, countryCodes);

/**
 * Checks a voice destination: 10 to 15 digits. A leading zero is rejected: it marks a national number, which
 * the service could call in any country. A `+` is added only if the country code is known: without it, the
 * service may add a missing country code (docs/service.md, section 4.13).
 */
export function checkVoicePhone(value: unknown, countryCodes: readonly string[] = []): PhoneCheck {
	const check = checkDigits(value, 10, countryCodes);
	if ('problem' in check) return check;
	const isCodeKnown = String(value).trim().startsWith('+') || countryCodes.length > 0;
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
	if (read.phone.startsWith('0')) {
		const advice = 'start with the country code, without 0 or 00';
		return { problem: `${shown(value)} starts with a zero: ${advice}` };
	}
	// A shorter number may lack the country code: in 3105551234, 310 may be an area code.
	const isComplete = length > 10 || String(value).trim().startsWith('+');
	if (isComplete && zeroAfterCode.test(read.phone))
		return { problem: `${shown(value)} has a zero after the country code: remove the zero` };
	if (codeTwice.test(read.phone))
		return { problem: `${shown(value)} has the country code twice: remove one` };
	if (length < least || length > 15)
		return { problem: `${shown(value)} needs ${least} to 15 digits, but has ${length}` };
	const isAllowed = countryCodes.some((code) => read.phone.startsWith(code));
	if (isAllowed || countryCodes.length === 0) return read;
	return {
		problem: `${shown(value)} does not start with a country code that the credential allows (${countryCodes.join(', ')})`,
	};
}

/** Common country codes after which no number has a zero. */
const zeroAfterCode =
	/^(1|20|234|254|27|3[1-4]|353|4[13469]|55|6[0-6]|8[1246]|880|9[0-24]|966|971|972)0/;

/** Numbers of the United Kingdom, India and North America with their country code twice: no number is so long. */
const codeTwice = /^(?:(44|91)\1\d{10}|11\d{10})$/;

/** Numbers damaged by spreadsheets and typing. They are never repaired, because that would be a guess. */
const damages: Array<{ is: (text: string, value: unknown) => boolean; problem: string }> = [
	{
		is: (text) => /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text),
		problem: 'lost digits in a spreadsheet: format the column as text and re-enter it',
	},
	{
		is: (text) => /^[-\u2010-\u2015\u2212]/.test(text),
		problem: 'begins with a minus',
	},
	{
		is: (text) =>
			/[\n\r\v\f\u0085\u2028\u2029|]|^\D*\d[^*#]*\+/.test(text) ||
			(text.match(/\d{7,}/g) ?? []).length > 1,
		problem: 'contains more than one number: enter only one',
	},
	{
		// In a text, dots and commas can also group digits. Only after 7 or more digits do they start a
		// fraction.
		is: (text, value) =>
			typeof value === 'number' ? /\.\d/.test(text) : /\d{7,60}[.,]\d{1,60}$/.test(text),
		problem: 'has a decimal fraction: format the column as text',
	},
	{
		is: (text) => /.\(\d{1,15}\)$/.test(text),
		problem: 'ends with digits in parentheses: remove what is not part of the number',
	},
	{
		is: (text) => /^\D*\d.*\(\s*0/.test(text),
		problem: 'has a zero in parentheses: remove the zero',
	},
];

const usualPhone = /^\+?[1-9][0-9]{6,14}$/;

/** The digits of a phone number without formatting, for any channel. */
export function readDigits(value: unknown): PhoneCheck {
	// The fast path: a bulk campaign can check a million numbers.
	if (typeof value === 'string' && usualPhone.test(value)) {
		return { phone: value.replace('+', '') };
	}
	if (value === undefined || value === null || value === '') return { problem: 'is empty' };
	if (typeof value !== 'string' && typeof value !== 'number') {
		return { problem: objectProblem(value) ?? 'is not text' };
	}
	if (isInexact(value)) {
		return { problem: `${shown(value)} is too large to be exact: pass the number as text` };
	}
	const given = String(value).trim();
	if (given.length > maxPhoneLength) {
		return { problem: `${shown(value)} has more than ${maxPhoneLength} characters` };
	}
	const text = given.replace(/(?![0-9])\p{Nd}/gu, digitValue);
	const digits = withoutFormatting(text);
	if (digits === '') return { problem: 'is empty' };
	const damage = damages.find(({ is }) => is(text, value));
	if (damage) return { problem: `${shown(value)} ${damage.problem}` };
	const [invalid] = /[^0-9]/u.exec(digits) ?? [];
	if (invalid === undefined) return { phone: digits };
	return { problem: `${shown(value)} contains ${characterName(invalid)}, which is not a digit` };
}

/** In every script, the digits zero to nine are consecutive in Unicode. */
function digitValue(digit: string): string {
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
	return String((code - zero) % 10);
}
