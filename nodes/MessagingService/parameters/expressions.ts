// What the expressions of a parameter name, and which gaps they leave in a text.

import { get, isNil, isObject, toPath } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { shown } from './phone';

/** Whether a parameter contains no expression. n8n evaluates braces only in a text with a leading `=`. */
export const isConstant = (raw: unknown): boolean =>
	isObject(raw) ? Object.values(raw).every(isConstant) : !/^=.*\{\{/s.test(String(raw));

// `$('Node').all()` and other parts that are the same for every item.
const sameForAll =
	/\$\(\s*(?:"[^"\\]*"|'[^'\\]*')\s*\)\.(?:all|first|last)\(|\$(?:vars|workflow|execution)\b/g;

/** Names of functions that may return another value each time, such as a random code. */
export const mayVary = /random|date|uuid|now/i;

/** Whether an expression has one value for all items, because it reads nothing from them. */
export const isSameForAll = (raw: unknown): boolean =>
	// An object, such as the rows of a collection, contains expressions but is not an expression.
	!isObject(raw) && !String(raw).replace(sameForAll, '').includes('$');

// `={{ $json.order.phone }}` or `={{ $json["Phone number"] }}`: n8n writes these when a field is dragged.
const fieldExpression = /^=\{\{\s*(\$json(?:\.[A-Za-z_]\w*|\["[^"\\]+"\]|\['[^'\\]+'\])+)\s*\}\}$/;

/**
 * The path of an expression that only names a field of the input item. Its value is read from the item,
 * because evaluating an expression is slow: it takes half the time of a request.
 */
export function fieldPath(raw: unknown): string[] | undefined {
	const [, path] = fieldExpression.exec(String(raw)) ?? [];
	return path === undefined ? undefined : toPath(path).slice(1);
}

/**
 * The expression with `$tool.parameters` as JSON; undefined without this object. n8n's preset message for a
 * human review contains this object and would show "[object Object]".
 */
export function toolInputAsText(raw: unknown): string | undefined {
	if (!/^=.*\{\{\s*\$tool\.parameters\s*\}\}/s.test(String(raw))) return undefined;
	return String(raw)
		.slice(1)
		.replace(/(\{\{\s*)(\$tool\.parameters)(?=\s*\}\})/g, '$1JSON.stringify($2, null, 2)');
}

/** All texts in the value of a parameter. */
export const textsIn = (raw: unknown): string[] =>
	isObject(raw) ? Object.values(raw).flatMap(textsIn) : [String(raw)];

/** The expressions inside a longer text, or inside the texts of a list, each with its braces. */
export function expressionsInText(raw: unknown): string[] {
	return textsIn(raw).flatMap((one) => {
		const text = one.trim();
		const [, ...parts] = text.startsWith('=') ? text.split('{{') : [];
		return parts
			.map((part) => `{{${part.split('}}')[0]}}}`)
			.filter((found) => `=${found}` !== text);
	});
}

/** Whether an expression has a condition or a fallback, so that the user expects that it may return nothing. */
export const isGuarded = (expression: string): boolean =>
	/&&|\|\||\?(?!\.)|(?<!json)\?\.|\$if|\b(?:if|switch|catch)\b/.test(expression);

/** The fields of the item that an expression reads, e.g. `$json.order.total`. */
export const fieldsRead = (expression: string): string[] =>
	expression.match(
		/\$json(?:\.[\p{L}_][\p{L}\w]*(?![\p{L}\w(])|\["[^"\\]*"\]|\['[^'\\]*'\]|\[\d+\])+/gu,
	) ?? [];

/**
 * Field names in a plain text, marked as in mail merge programs: {name}, {{name}} or %name%. With `alone`, also a
 * text that is nothing but a name.
 */
export function plainNames(raw: unknown, alone: boolean): Array<{ written: string; name: string }> {
	if (isObject(raw)) return Object.values(raw).flatMap((value) => plainNames(value, alone));
	const text = isConstant(raw) ? String(raw) : withoutExpressions(String(raw));
	const names = [/\{{1,2}([^{}]{1,60})\}{1,2}/g, /%(\w{1,60})%/g].flatMap((mark) =>
		[...text.matchAll(mark)].map(([written, name = '']) => ({ written, name: name.trim() })),
	);
	const isName = alone && isConstant(raw) && text.trim() !== '';
	return isName ? [...names, { written: shown(text), name: text.trim() }] : names;
}

/**
 * The word "undefined", "NaN" or "null" if JavaScript wrote it into a text in place of a missing value. Returns
 * undefined if the word may come from the user, from `own`, the data of the input, or from another node.
 */
export function strayWordIn(
	value: unknown,
	raw: unknown,
	own: object,
	words: RegExp,
	dataOf: (node: string) => unknown,
): string | undefined {
	const textOf = (one: unknown) =>
		isObject(one) ? JSON.stringify(one, (_, inner: unknown) => inner ?? '') : String(one ?? '');
	const [word] = words.exec(textOf(value)) ?? [];
	if (word === undefined) return undefined;
	const written = textOf(raw).replaceAll('\\"', '"');
	// Data as JSON may contain null, and other sources cannot be compared.
	if (/stringify|toJsonString|\$(?:tool|node|items|vars|binary)\b/.test(written)) return undefined;
	if (written.includes(word)) return undefined;
	const nodes =
		written.match(/\$\((?:"[^"\\]*"|'[^'\\]*')\)(?=\.(?:item|first|last|all)\b)/g) ?? [];
	const data = nodes.map(dataOf);
	if (data.some(isNil) || nodes.length < written.split('$(').length - 1) return undefined;
	const sources = [own, ...data].map(textOf).join(' ');
	return sources.toLowerCase().includes(word.toLowerCase()) ? undefined : word;
}

/** A text without what n8n evaluates. */
export const withoutExpressions = (raw: string): string =>
	raw
		.split('{{')
		.map((part, index) => (index === 0 ? part : part.split('}}').slice(1).join('}}')))
		.join('');

/** The expression that n8n writes for a field of the input item. */
export const fieldExpressionOf = (name: string): string =>
	/^[a-z_]\w*$/i.test(name) ? `{{ $json.${name} }}` : `{{ $json[${JSON.stringify(name)}] }}`;

/** The value at a path if it is a text, number or boolean; n8n evaluates anything else. */
export function plainValue(item: INodeExecutionData | undefined, path: string[]): unknown {
	const value: unknown = get(item?.json, path);
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}
