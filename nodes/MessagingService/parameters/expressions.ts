// What the expressions of a parameter read.

import { get, isArray, isObject, isPlainObject, isString, toPath } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';

/** Whether a parameter contains no expression. n8n evaluates braces only in a text with a leading `=`. */
export const isConstant = (raw: unknown): boolean =>
	isObject(raw) ? Object.values(raw).every(isConstant) : !/^=.*\{\{/s.test(String(raw));

/** The pattern of a node that an expression names, such as `$("Sheet")`. */
export const nodeReference = String.raw`\$\((?:"[^"\\]*"|'[^'\\]*')\)`;

// `$('Node').all()` and other parts that are the same for every item.
const sameForAll = new RegExp(
	`${nodeReference}\\.(?:all|first|last)\\(|\\$(?:vars|workflow|execution)\\b`,
	'g',
);

/** Functions that may return another value each time, such as a random code. */
const mayVary = /random|date|uuid|now/i;

/** Whether an expression reads nothing from the items. */
export const readsNoItem = (raw: unknown): boolean =>
	// An object, such as the rows of a collection, contains expressions but is not an expression.
	!isObject(raw) && !String(raw).replace(sameForAll, '').includes('$');

/** Whether an expression has one value for all items. */
export const isSameForAll = (raw: unknown): boolean =>
	readsNoItem(raw) && !mayVary.test(String(raw).replace(sameForAll, ''));

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

/** All texts in the value of a parameter, down to a depth that no sensible value exceeds. */
export function textsIn(value: unknown, levels = 20): string[] {
	if (isString(value)) return [value];
	if (levels === 0 || !(isArray(value) || isPlainObject(value))) return [];
	return Object.values(value as object).flatMap((one) => textsIn(one, levels - 1));
}

/** The expressions of a text, each with its braces. */
export function expressionsOf(text: string): string[] {
	const [, ...parts] = text.trim().startsWith('=') ? text.split('{{') : [];
	return parts.map((part) => `{{${part.split('}}')[0]}}}`);
}

/** The expressions inside a longer text, or inside the texts of a list, each with its braces. */
export const expressionsInText = (raw: unknown): string[] =>
	textsIn(raw).flatMap((text) =>
		expressionsOf(text).filter((found) => `=${found}` !== text.trim()),
	);

/** Whether the user expects that an expression may return nothing: it has a condition, or an empty fallback. */
export const isGuarded = (expression: string): boolean =>
	/&&|(?<!json)\?\.|\$if|\b(?:if|switch|catch)\b/.test(expression) ||
	(/\|\||\?(?!\.)/.test(expression) && /''|""|``|\b(?:null|undefined)\b/.test(expression));

/** The fields of the item that an expression reads, e.g. `$json.order.total`. */
export const fieldsRead = (expression: string): string[] =>
	expression.match(
		/\$json(?:\.[\p{L}_][\p{L}\w]*(?![\p{L}\w(])|\["[^"\\]*"\]|\['[^'\\]*'\]|\[\d+\])+/gu,
	) ?? [];

/** A text without what n8n evaluates, which is nothing in a constant. */
export const withoutExpressions = (raw: string): string =>
	isConstant(raw)
		? raw
		: raw
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
