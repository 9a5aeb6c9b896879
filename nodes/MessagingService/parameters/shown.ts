// How messages quote values and name fields.

import { isObject } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';

/** Maximum characters of an invalid value in a message. */
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

/** Names of input fields or files as a message lists them. */
export const listed = (names: string[], what = 'fields'): string =>
	names.map(shown).join(', ').slice(0, 500) || `no ${what}`;

/** The fields of an item as a message lists them. */
export function fieldsOf(item: INodeExecutionData | undefined): string {
	const names = Object.keys(item?.json ?? {});
	return names.length > 0 ? `Item fields: ${listed(names)}` : 'The input item has no fields';
}

/** What is wrong with a list or an object where a text is expected; undefined for any other value. */
export function objectProblem(
	value: unknown,
	listAdvice = 'use one of its entries',
): string | undefined {
	if (Array.isArray(value)) return `is a list: ${listAdvice}`;
	if (!isObject(value)) return undefined;
	return `is an object: use one of its fields, e.g. ${shown(Object.keys(value)[0] ?? 'name')}`;
}

/** Whether a number is too large to be exact. */
export const isInexact = (value: unknown): boolean =>
	Number.isInteger(value) && !Number.isSafeInteger(value);
