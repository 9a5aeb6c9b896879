/** Stands where the key stood. */
const mask = '[API key]';

/** Shorter texts are no keys and could be part of any word. */
const leastLength = 8;

/** Masks the key in a value, in texts and field names; gives the value itself if it is not in it. */
export type Mask = <T>(value: T) => T;

/**
 * Makes the function that masks an API key: a service or proxy that sends it back, as it is or
 * encoded, must not get it into an output item, a message or saved execution data.
 */
export function maskOf(key: string): Mask {
	if (key.length < leastLength) return (value) => value;
	const forms = formsOf(key);
	const written = forms.map(inJson);
	const hide = (text: string) =>
		forms.reduce((hidden, form) => hidden.replaceAll(form, mask), text);
	return <T>(value: T): T => {
		const json = JSON.stringify(value);
		const isThere = written.some((form) => json.includes(form));
		return isThere ? (masked(value, hide) as T) : value;
	};
}

function masked(value: unknown, hide: (text: string) => string): unknown {
	if (typeof value === 'string') return hide(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((part) => masked(part, hide));
	return Object.fromEntries(
		Object.entries(value).map(([name, part]) => [hide(name), masked(part, hide)]),
	);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The key as it can stand in a text, the longest forms first. */
function formsOf(key: string): string[] {
	const url = encodeURIComponent(key);
	const form = new URLSearchParams({ '': key }).toString().slice(1);
	const lowerUrl = url.replace(/%../g, (byte) => byte.toLowerCase());
	const base64 = [0, 1, 2].map((shift) => base64Inside(key, shift));
	const base64Url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
	const hex = Buffer.from(key).toString('hex');
	const forms = [
		key,
		inJson(key),
		url,
		lowerUrl,
		form,
		hex,
		hex.toUpperCase(),
		...base64,
		...base64Url,
	];
	return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/**
 * What of a text in base64 the key alone decides, e.g. of `user:key`.
 *
 * @param shift bytes before the key, modulo 3
 */
function base64Inside(key: string, shift: number): string {
	const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(key)]);
	const first = Math.ceil((shift * 8) / 6);
	return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
}
