/** A phone number as the service takes it, or what is wrong with the value. */
export type PhoneCheck = { phone: string } | { problem: string };

// Formatting people type or paste: spaces, plus, dots, dashes of all kinds, parentheses.
const formatting = /[\s+.()\-\u2010-\u2015\u2212]/g;

/** A phone number, or digits of one, as the service writes it. */
export const withoutFormatting = (value: string): string => value.replace(formatting, '');

const usualPhone = /^\+?[1-9][0-9]{6,14}$/;

/** Characters of a wrong value that a message shows. */
const shownLength = 40;

/**
 * Removes formatting from a chat recipient and checks what is left: 7 to 15 digits without a
 * leading zero (docs/service.md, section 4.16).
 */
export function checkChatPhone(value: unknown): PhoneCheck {
	// Most numbers need no more than this; a bulk campaign checks a million of them.
	if (typeof value === 'string' && usualPhone.test(value)) {
		return { phone: value.startsWith('+') ? value.slice(1) : value };
	}
	const read = readDigits(value);
	if ('problem' in read) return read;
	const { digits } = read;
	if (digits.startsWith('0')) {
		return {
			problem: `${shown(value)} starts with a zero: write the country code first, without 0 or 00`,
		};
	}
	if (digits.length < 7 || digits.length > 15) {
		return { problem: `${shown(value)} has ${digits.length} digits: 7 to 15 are needed` };
	}
	return { phone: digits };
}

/**
 * Checks a voice destination: at least 10 digits. The service normalizes the number itself, so the
 * value is passed on as it is (docs/service.md, section 4.13).
 */
export function checkVoicePhone(value: unknown): PhoneCheck {
	const read = readDigits(value);
	if ('problem' in read) return read;
	if (read.digits.length < 10) {
		return { problem: `${shown(value)} has ${read.digits.length} digits: at least 10 are needed` };
	}
	return { phone: String(value).trim() };
}

function readDigits(value: unknown): { digits: string } | { problem: string } {
	if ((typeof value !== 'string' && typeof value !== 'number') || value === '') {
		return { problem: 'is empty' };
	}
	const digits = withoutFormatting(String(value));
	if (digits === '') return { problem: 'is empty' };
	const stranger = /[^0-9]/u.exec(digits)?.[0];
	if (stranger !== undefined) {
		return { problem: `${shown(value)} contains ${characterName(stranger)}, which is not a digit` };
	}
	return { digits };
}

function shown(value: unknown): string {
	const text = String(value);
	return JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
}

/** The character itself if it can be seen, otherwise its code point. */
function characterName(character: string): string {
	if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `"${character}"`;
	return `the invisible character U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
