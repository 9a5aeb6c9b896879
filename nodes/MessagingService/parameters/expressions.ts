// How a parameter is written: as a fixed value, or with n8n's expressions in braces.

import { get, isArray, isObject, isPlainObject, isString, toPath } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';

/** Whether a parameter contains no expression. n8n evaluates braces only in a text with a leading `=`. */
export const isConstant = (raw: unknown): boolean =>
	isObject(raw) ? Object.values(raw).every(isConstant) : !/^=.*\{\{/s.test(String(raw));

// `$('Node').all()` and other parts that are the same for every item.
const sameForAll =
	/\$\((?:"[^"\\]*"|'[^'\\]*')\)\.(?:all|first|last)\(|\$(?:vars|workflow|execution)\b/g;

/** Functions that may return another value each time, such as a random code. */
const mayVary = /random|date|uuid|now/i;

/** Whether an expression has one value for all items, because it reads nothing from them. */
export function isSameForAll(raw: unknown): boolean {
	// An object, such as the rows of a collection, contains expressions but is not an expression.
	const rest = isObject(raw) ? '$' : String(raw).replace(sameForAll, '');
	return !rest.includes('$') && !mayVary.test(rest);
}

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

/** The value at a path if it is a text, number or boolean; n8n evaluates anything else. */
export function plainValue(item: INodeExecutionData | undefined, path: string[]): unknown {
	const value: unknown = get(item?.json, path);
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}

/** `{{ $tool.parameters }}`: n8n's preset message for a human review has it, and would show "[object Object]". */
const toolInput = /^=.*\{\{\s*\$tool\.parameters\s*\}\}/s;

/** The expression with the input of an AI tool as JSON; undefined without it. */
export const toolInputAsText = (raw: unknown): string | undefined =>
	toolInput.test(String(raw))
		? String(raw)
				.slice(1)
				.replace(/(\{\{\s*)(\$tool\.parameters)(?=\s*\}\})/g, '$1JSON.stringify($2, null, 2)')
		: undefined;

/** All texts in a parameter, down to a depth that no parameter of the node exceeds. */
function textsIn(raw: unknown, levels = 10): string[] {
	if (isString(raw)) return [raw];
	if (levels === 0 || !(isArray(raw) || isPlainObject(raw))) return [];
	return Object.values(raw as object).flatMap((one) => textsIn(one, levels - 1));
}

/** The expressions inside the longer texts of a parameter, each with its braces. */
export const expressionsInText = (raw: unknown): string[] =>
	textsIn(raw).flatMap((text) => {
		const [, ...parts] = text.startsWith('=') ? text.split('{{') : [];
		const all = parts.map((part) => `{{${part.split('}}')[0]}}}`);
		return all.filter((one) => `=${one}` !== text.trim() && !toolInput.test(`=${one}`));
	});

/** An expression in a text that is not set to Expression, so that it would be sent as it stands. */
export const plainExpressionIn = (raw: unknown): string | undefined =>
	textsIn(raw)
		.filter(isConstant)
		.map((text) => /\{\{\s*\$[^{}]{0,60}/.exec(text)?.[0])
		.find((found) => found !== undefined);
