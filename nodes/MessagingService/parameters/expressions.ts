// How a parameter is written: as a fixed value, or with n8n's expressions in braces.

import { get, isArray, isNil, isObject, isPlainObject, isString, toPath } from 'lodash';
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

// `={{ $json.sentWith?.createdAt ?? $json.createdAt }}`: the first of several fields that has a value.
const field = String.raw`\$json\.[A-Za-z_]\w*(?:\?\.[A-Za-z_]\w*)*`;
const firstFieldExpression = new RegExp(
	String.raw`^=\{\{\s*(${field}(?:\s*\?\?\s*${field})+)\s*\}\}$`,
);

/**
 * The paths of an expression that only names a field of the input item, or the first of several. Its value is
 * read from the item, because evaluating an expression is slow: it takes half the time of a request.
 */
export function fieldPaths(raw: unknown): string[][] | undefined {
	const [, path] = fieldExpression.exec(String(raw)) ?? [];
	const [, paths] = firstFieldExpression.exec(String(raw)) ?? [];
	const all = path === undefined ? paths?.replaceAll('?.', '.').split('??') : [path];
	return all?.map((one) => toPath(one.trim()).slice(1));
}

/** The first value at one of the paths if it is a text, number or boolean; n8n evaluates anything else. */
export function plainValue(item: INodeExecutionData | undefined, paths: string[][]): unknown {
	const values: unknown[] = paths.map((path) => get(item?.json, path));
	const value = values.find((one) => !isNil(one));
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}

/** The whole expression of a parameter, without its braces; undefined if the parameter is anything else. */
export function expressionIn(raw: unknown): string | undefined {
	const text = String(raw);
	const inner = text.slice(3, -2).trim();
	const isWhole = text.startsWith('={{') && text.endsWith('}}') && !/\{\{|\}\}/.test(inner);
	return isWhole && inner !== '' && inner.length <= 100 ? inner : undefined;
}

/** n8n's preset message for a human review has this expression, which n8n would show as "[object Object]". */
const toolInput = /^(\{\{\s*)(\$tool\.parameters)(?=\s*\}\}$)/;

/** All texts in a parameter, down to a depth that no parameter of the node exceeds. */
function textsIn(raw: unknown, levels = 10): string[] {
	if (isString(raw)) return [raw];
	if (levels === 0 || !(isArray(raw) || isPlainObject(raw))) return [];
	return Object.values(raw as object).flatMap((one) => textsIn(one, levels - 1));
}

/** A piece of a text with expressions: fixed text, or an expression with its braces. */
export type Piece = { text: string } | { expression: string; path?: string[][] };

/**
 * Divides a text as n8n does: an odd number of backslashes before braces makes them plain text. Returns no pieces for
 * a text with unclosed braces, which n8n reads in its own way.
 */
function piecesOf(text: string): Piece[] {
	const pieces: Piece[] = [];
	let start = 0;
	let isCode = false;
	const end = (at: number) => {
		const piece = text.slice(start, at);
		const expression = `{{${piece}}}`.replace(toolInput, '$1JSON.stringify($2, null, 2)');
		if (isCode) pieces.push({ expression, path: fieldPaths(`=${expression}`) });
		else if (piece !== '') pieces.push({ text: piece });
	};
	for (const { index, 0: found } of text.matchAll(/\\(?:\{\{|\}\}|[^])|\{\{|\}\}/g)) {
		if (found.startsWith('\\') || (found === '{{') === isCode) continue;
		end(index);
		start = index + 2;
		isCode = !isCode;
	}
	if (isCode) return [];
	end(text.length);
	return pieces;
}

/** The longer texts with expressions in a parameter, in pieces. n8n returns the value of a single expression as it is. */
export const longerTexts = (raw: unknown): Piece[][] =>
	textsIn(raw)
		.filter((text) => !isConstant(text))
		.map((text) => piecesOf(text.slice(1)))
		.filter((all) => all.filter((one) => 'expression' in one || one.text.trim() !== '').length > 1);

/** An expression in a text that is not set to Expression, so that it would be sent as it stands. */
export const plainExpressionIn = (raw: unknown): string | undefined =>
	textsIn(raw)
		.filter(isConstant)
		.map((text) => /\{\{\s*\$[a-z_(][^{}]{0,60}/i.exec(text)?.[0])
		.find((found) => found !== undefined);
