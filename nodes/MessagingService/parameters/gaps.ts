// Finds what the user did not mean to send in the value of a parameter: names and placeholders that nothing filled
// in, gaps where an expression found no value, and values in a form that only programs use.

import { has, isNumber, memoize } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
	calculationsInText,
	callsFunction,
	fieldExpressionOf,
	fieldsInText,
	isConstant,
	isNothing,
	isPlain,
	plainNames,
	readsMissing,
	strayWordIn,
} from './expressions';
import { shown } from './phone';

/** What is wrong with a value, worded to follow the label of its parameter, and what to do if that is not obvious. */
export interface Gap {
	problem: string;
	advice?: string;
}

/** Makes the checks of a parameter that is written as `raw`. Constants have no gaps, but may contain names. */
export function gapChecks(
	context: IExecuteFunctions,
	{ type, displayName }: INodeProperties,
	name: string,
	raw: unknown,
) {
	const items = context.getInputData();
	const isExpression = !isConstant(raw);
	const isText = ['string', 'json', 'fixedCollection'].includes(type);
	const written = isText && isExpression ? String(JSON.stringify(raw)) : '';
	const names = type === 'json' ? [] : plainNames(raw, type === 'fixedCollection');
	const inText = fieldsInText(raw);
	const calculations = calculationsInText(raw).filter((one) => !inText.includes(one));
	/** n8n would put the number 1 in the place of {{1}}. */
	const [placeholder] = /\{\{\s*\d{1,2}\s*\}\}/.exec(written) ?? [];
	const formats = misformats.filter(({ pattern }) => pattern.test(written));
	const words = type === 'json' ? /\b(?:undefined|NaN)\b/ : /\b(?:undefined|NaN|null)\b/;
	/** All data of a node such as `$("Items")` as text; undefined if it did not run. */
	const dataOf = memoize((node: string): unknown => {
		const all = `JSON.stringify(${node}.all().map(({ json }) => json), (_, one) => one ?? '')`;
		try {
			return context.evaluateExpression(`{{ ${all} }}`, 0);
		} catch {
			return undefined;
		}
	});

	/** What is wrong with an expression inside a text that returns nothing for an item. */
	const nothingFrom = (expression: string, item: INodeExecutionData | undefined): Gap => {
		const problem = `contains ${expression}, which returns nothing. ${fieldsOf(item)}`;
		const inside = expression.slice(2, -2).trim();
		const isCalculation = calculations.includes(expression);
		if (isCalculation && !readsMissing(expression, item?.json ?? {}))
			return {
				problem,
				advice:
					'A function in it fails for the value of this item. Convert the value first, e.g. {{ Number($json.amount).toFixed(2) }} or {{ String($json.code).trim() }}.',
			};
		if (/^\w+$/.test(inside))
			return {
				problem,
				advice: `For a field of the input item, write ${fieldExpressionOf(inside)}.`,
			};
		const fallback = isCalculation
			? "a condition, e.g. {{ $json.x ? … : '' }}"
			: `{{ ${inside} ?? '' }}`;
		// All keys without the field would be equal.
		const isKey = name === 'options.idempotencyKey';
		const orEmpty = isKey ? '' : ` If the field can be missing, write ${fallback}.`;
		return { problem, advice: `Correct the field name.${causes[inside] ?? orEmpty}` };
	};

	return {
		/** What is wrong with the parameter as it is written. */
		asWritten(itemIndex: number): Gap | undefined {
			if (placeholder)
				return {
					problem: `contains ${placeholder}, a template's placeholder: write the value instead`,
				};
			const json = items[itemIndex]?.json ?? {};
			const unfilled = names.find((one) => Object.hasOwn(json, one.name));
			if (!unfilled) return undefined;
			const literal = unfilled.written.startsWith('"')
				? unfilled.written
				: JSON.stringify(unfilled.written);
			return {
				problem: `contains ${unfilled.written} as plain text`,
				advice: `Write ${fieldExpressionOf(unfilled.name)} and set the parameter "${displayName}" to Expression. To send the text itself, write {{ ${literal} }}.`,
			};
		},

		/** What is wrong with the value that n8n evaluated for an item; throws what an expression throws. */
		asEvaluated(itemIndex: number, value: unknown): Gap | undefined {
			if (!isExpression) return undefined;
			const item = items[itemIndex];
			const json = item?.json ?? {};
			if (/\$json\.data\.approved\b/.test(written) && isTextAnswer(json))
				return {
					problem:
						'reads data.approved, but the answer is a text: read data.text, or set Response Type of the question to Approval',
				};
			// A number is rounded where it becomes text.
			const evaluated = isNumber(value) ? '' : String(JSON.stringify(value));
			const format = formats.find(({ shows }) => shows.test(evaluated));
			if (format) return format;
			const word = strayWordIn(value, raw, json, words, dataOf);
			if (word)
				return {
					problem: `contains "${word}" where its expression found no value. ${fieldsOf(item)}`,
				};
			// n8n would leave a gap: "Dear ,".
			const missing = [
				...inText.filter((one) => !isPlain(one, item)),
				...calculations.filter((one) => callsFunction(one) || readsMissing(one, json)),
			].find((one) => isNothing(context.evaluateExpression(one, itemIndex)));
			return missing === undefined ? undefined : nothingFrom(missing, item);
		},
	};
}

/** Names of input fields or files as a message lists them. */
export const listed = (names: string[], what = 'fields'): string =>
	names.map(shown).join(', ').slice(0, 500) || `no ${what}`;

/** The fields of an item as a message lists them. */
export function fieldsOf(item: INodeExecutionData | undefined): string {
	const names = Object.keys(item?.json ?? {});
	return names.length > 0 ? `Item fields: ${listed(names)}` : 'The input item has no fields';
}

/** Whether an item is an answer of Send and Wait with a free text. */
const isTextAnswer = (json: object): boolean =>
	['data.respondedAt', 'data.text'].every((path) => has(json, path)) && !has(json, 'data.approved');

const noAnswer =
	' If nobody answers a question in time, Send and Wait returns no data: put an If node on data.respondedAt before this node.';

/** Further advice for fields that may be missing although their names are right. */
const causes: Record<string, string> = {
	'$json.error':
		' After a sending node, only items of its error output have this field: connect that output.',
	'$json.data.text': noAnswer,
	'$json.data.approved': noAnswer,
};

/** Forms that the user did not mean: how an expression writes them, and what its value then shows. */
const misformats = [
	{
		pattern: /ormat\([^)]*YYYY/,
		shows: /YYYY/,
		problem: 'contains "YYYY": in n8n, years are yyyy and days dd',
	},
	{
		pattern: /ormat\(["'\\]+(?=[^"'\\)]*d)(?=[^"'\\)]*y)(?![^"'\\)]*[Hh])[^"'\\)]*mm/,
		shows: /./,
		problem: 'has a date format with mm, which means minutes: write MM for months',
	},
	{
		pattern: /ormat\([^)]*[Hh]:MM/,
		shows: /./,
		problem: 'has a time format with MM, which means months: write mm for minutes',
	},
	{
		pattern: /Duration\.|\.diff(?:ToNow|To)?\(/,
		shows: /\bP(?:T?-?[\d.]+[YMWDHS])+\b/,
		problem: 'contains a duration such as PT42S: write e.g. .as("minutes") after it',
	},
	{
		// 16.6 * 3. Computed coordinates in a URL, and lengths in HTML, may have as many digits.
		pattern: /./,
		shows:
			/(?<![\w.,:/@=-]|=\\?["'])(?=[\d.]{17})\d+\.\d*(?:0{6}|9{6})\d{1,2}(?!\d|%|px|r?em|\.\d)/,
		problem:
			'contains a number with a rounding error: write e.g. {{ ($json.price * 3).toFixed(2) }}',
	},
];
