// How messages quote values and name fields.

import { isFunction, isNumber, isObject, isPlainObject } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';

const shownLength = 40;

/** Invisible characters, and every space except the usual one. */
export const invisible = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;
export const everyInvisible = new RegExp(invisible, 'gu');

/** A value as a message quotes it: shortened, with code points for invisible characters. */
export function shown(value: unknown): string {
	const text = String(value);
	const short = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
	return JSON.stringify(short.replace(everyInvisible, (one) => `[${codePoint(one)}]`));
}

const codePoint = (character: string): string =>
	`U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

/** A visible character itself, otherwise its code point. */
export const characterName = (character: string): string =>
	/[\p{L}\p{N}\p{P}\p{S}]/u.test(character) && !invisible.test(character)
		? `"${character}"`
		: `the invisible character ${codePoint(character)}`;

export const listed = (names: string[]): string =>
	names.map(shown).join(', ').slice(0, 500) || 'no fields';

export function fieldsOf(item: INodeExecutionData | undefined): string {
	const names = Object.keys(item?.json ?? {});
	return names.length > 0 ? `Item fields: ${listed(names)}` : 'The input item has no fields';
}

/** What is wrong with a value as a text; undefined if nothing is. Only its type counts, never its words. */
export function textProblem(value: unknown): string | undefined {
	if (typeof value === 'string' || typeof value === 'boolean') return undefined;
	if (isNumber(value)) {
		if (!Number.isFinite(value)) return `is ${value}, which is not a number`;
		const isInexact = Number.isInteger(value) && !Number.isSafeInteger(value);
		return isInexact ? 'is a number that is too large to be exact: pass it as text' : undefined;
	}
	if (Array.isArray(value))
		return 'is a list: use one of its entries, or join them with .join(", ")';
	if (!isObject(value) || isFunction(value)) return 'is not text';
	// Others, such as dates, have a text of their own.
	if (!isPlainObject(value) && !String(value).includes('[object ')) return undefined;
	return `is an object: use one of its fields, e.g. ${shown(Object.keys(value)[0] ?? 'name')}`;
}
