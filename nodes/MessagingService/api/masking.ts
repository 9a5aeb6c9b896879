/** Stands where the key stood. */
const mask = '[API key]';

/** Shorter texts are no keys and could be part of any word. */
const leastLength = 8;

/**
 * Masks the API key in an answer, in values and in field names: a service or proxy that sends it
 * back must not get it into an output item, a message or saved execution data.
 *
 * @returns the answer itself when the key is not in it
 */
export function withoutKey<T>(answer: T, key: string): T {
	if (key.length < leastLength) return answer;
	const json = JSON.stringify(answer);
	if (!json.includes(JSON.stringify(key).slice(1, -1))) return answer;
	const hide = (text: string) => text.replaceAll(key, mask);
	return JSON.parse(json, (_name, value: unknown) => {
		if (typeof value === 'string') return hide(value);
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, own]) => [hide(name), own]));
	}) as T;
}
