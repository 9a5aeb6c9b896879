import type { IDataObject } from 'n8n-workflow';
import { isJsonObject } from './response';

/** Characters of the JSON of a response that is kept whole; the documented ones of sends have some hundred. */
const longest = 10_000;

/** Levels in which fields are kept as such; a larger value further down becomes text. */
const levels = 2;

/** Characters that a value has at least when it is shortened; what has fewer is kept whole. */
const shortest = 100;

/**
 * A response to something that was done, no larger than n8n can save for each item of a large run.
 * What the service documents is kept whole. Of anything larger the short fields are kept, and the
 * rest is shortened in plain words (docs/contract.md, section 3.5).
 */
export const bounded = (response: IDataObject): IDataObject =>
	JSON.stringify(response).length > longest ? largeObject(response, longest, levels) : response;

/** The value in at most about so many characters of JSON. */
function fitted(value: IDataObject[string], room: number, level: number): IDataObject[string] {
	const json = JSON.stringify(value);
	if (json.length <= room) return value;
	if (isJsonObject(value) && level > 0) return largeObject(value, room, level);
	const text = typeof value === 'string' ? value : json;
	// Escapes make the JSON longer than its text.
	const kept = text.slice(0, Math.floor((room * text.length) / json.length));
	return `${kept}… (${text.length - kept.length} characters left out)`;
}

/** Short fields are kept first; the long ones divide what is left, or are counted. */
function largeObject(large: IDataObject, room: number, level: number): IDataObject {
	const fields = Object.entries(large)
		.map(([name, value]) => ({ name, value, size: JSON.stringify([name, value]).length }))
		.sort((a, b) => a.size - b.size);
	const kept: IDataObject = {};
	let left = room;
	for (const [index, { name, value, size }] of fields.entries()) {
		const share = Math.floor(left / (fields.length - index));
		const isKept = size <= share || (size <= shortest && size <= left);
		const own = share - name.length;
		if (!isKept && own < shortest) {
			kept['…'] = `(${fields.length - index} more left out)`;
			break;
		}
		kept[name] = isKept ? value : fitted(value, own, level - 1);
		left -= isKept ? size : share;
	}
	return kept;
}
