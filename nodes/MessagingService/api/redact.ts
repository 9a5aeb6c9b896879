import { escapeRegExp, isObject, uniq } from 'lodash';

/** Hides a secret in a text. */
export type Redact = (text: string) => string;

/** What XML, and a form for a space, write instead of a character. */
const substitutes: Record<string, string[]> = {
	'"': ['&quot;', '&#34;'],
	"'": ['&apos;', '&#39;'],
	'&': ['&amp;', '&#38;'],
	'<': ['&lt;', '&#60;'],
	'>': ['&gt;', '&#62;'],
	' ': ['\\+'],
};

/** A pattern for one character in any of its spellings, the longest first. */
function spellings(character: string): string {
	const percentEncoded = Buffer.from(character)
		.toString('hex')
		.replace(/../g, '%$&')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
	const all = [percentEncoded, ...(substitutes[character] ?? []), escapeRegExp(character)];
	return `(?:${all.join('|')})`;
}

/**
 * Hides a secret wherever it stands in a text: as it is, in JSON, XML or a URL, in hex, or in Base64 at any offset.
 * Parts and other encodings of it are not recognized.
 *
 * @param mask stands in its place
 */
export function redactor(secret: string, mask: string): Redact {
	// A shorter text is not a secret and could be part of any word.
	if (secret.length < 8) return (text) => text;
	const bytes = Buffer.from(secret);
	// Base64 turns three bytes into four characters, so the secret has three forms, by its offset.
	const base64 = [0, 1, 2].map((before) =>
		Buffer.concat([Buffer.alloc(before), bytes])
			.toString('base64')
			.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3)),
	);
	const inJson = JSON.stringify(secret).slice(1, -1);
	const inNestedJson = JSON.stringify(inJson).slice(1, -1);
	const forms = [inNestedJson, inJson, secret].map((form) => [...form].map(spellings).join(''));
	const encoded = [
		...base64,
		...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
		bytes.toString('hex'),
		bytes.toString('hex').toUpperCase(),
	];
	const pattern = new RegExp(uniq([...forms, ...encoded.map(escapeRegExp)]).join('|'), 'g');
	// No form is shorter than the secret.
	return (text) => (text.length < secret.length ? text : text.replace(pattern, mask));
}

/** A copy of a value in which texts, names and numbers are redacted. */
export function redacted(value: unknown, redact: Redact): unknown {
	if (Array.isArray(value)) return value.map((one) => redacted(one, redact));
	if (isObject(value)) {
		const entries = Object.entries(value).map(([name, one]) => [
			redact(name),
			redacted(one, redact),
		]);
		return Object.fromEntries(entries) as unknown;
	}
	const text = String(value);
	const safe = redact(text);
	return safe === text ? value : safe;
}
