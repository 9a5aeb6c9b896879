// Finds what the user did not mean to send in the value of a parameter: names and placeholders that nothing filled
// in, gaps where an expression found no value, and values that a function misread.

import {
	attempt,
	compact,
	get,
	has,
	isArray,
	isError,
	isNil,
	isNumber,
	isPlainObject,
	isString,
	memoize,
	toPath,
} from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
	expressionsInText,
	fieldExpressionOf,
	fieldPath,
	fieldsRead,
	isConstant,
	isGuarded,
	plainNames,
	plainValue,
	strayWordIn,
	textsIn,
	withoutExpressions,
} from './expressions';
import { shown } from './phone';
import { partProblem } from './texts';

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
	const slip = isText && type !== 'json' ? slipIn(textsIn(raw)) : undefined;
	const inText = expressionsInText(raw).filter((one) => !isGuarded(one));
	/** n8n would put the number 1 in the place of {{1}}. */
	const [placeholder] = /\{\{\s*\d{1,2}\s*\}\}/.exec(written) ?? [];
	const formats = misformats.filter(({ pattern }) => pattern.test(written));
	const readings = misreadings.flatMap(({ pattern, ...rest }) =>
		textsIn(raw).flatMap((text) =>
			[...text.matchAll(pattern)].map(([, ...found]) => ({ fields: compact(found), ...rest })),
		),
	);
	// An address is encoded when it is sent, and browsers encode those in HTML.
	const inLinks = /url|header|html/i.test(name)
		? []
		: textsIn(raw).flatMap((text) => text.match(linkEnd) ?? []);
	const words = type === 'json' ? /\b(?:undefined|NaN)\b/ : /\b(?:undefined|NaN|null)\b/;
	const evaluated = (expression: string, itemIndex: number): unknown =>
		attempt(() => context.evaluateExpression(expression, itemIndex));
	/** All data of a node such as `$("Items")` as text; undefined if it did not run. */
	const dataOf = memoize((node: string): unknown => {
		const all = `JSON.stringify(${node}.all().map(({ json }) => json), (_, one) => one ?? '')`;
		const data = evaluated(`{{ ${all} }}`, 0);
		return isError(data) ? undefined : data;
	});
	/** The fields that an expression could have named. */
	const fieldsFor = (expression: string, itemIndex: number): string => {
		const [node] = /\$\((?:"[^"\\]*"|'[^'\\]*')\)/.exec(expression) ?? [];
		const keys = node && evaluated(`{{ Object.keys(${node}.item.json) }}`, itemIndex);
		if (node && isArray(keys)) return `Fields of ${node.slice(2, -1)}: ${listed(keys as string[])}`;
		const [field = ''] = node ? [] : fieldsRead(expression);
		const object: unknown = get(items[itemIndex]?.json, pathOf(field).slice(0, -1));
		const end = Math.max(field.lastIndexOf('.'), field.lastIndexOf('['));
		if (isPlainObject(object))
			return `Fields of ${field.slice(0, end)}: ${listed(Object.keys(object as object))}`;
		return fieldsOf(items[itemIndex]);
	};

	/** What is wrong with the value of an expression inside a text; undefined if nothing is. */
	const gapIn = (expression: string, itemIndex: number): Gap | undefined => {
		const inside = expression.slice(2, -2).trim();
		if (inside === '') return undefined;
		const short = expression.length > 100 ? `{{ ${inside.slice(0, 90)}… }}` : expression;
		const item = items[itemIndex];
		const path = fieldPath(`=${expression}`);
		const value = (path && plainValue(item, path)) ?? evaluated(expression, itemIndex);
		if (isError(value)) return undefined;
		const isPrice = type !== 'json' && name !== 'options.idempotencyKey' && /[*/+-]/.test(inside);
		if (isPrice && isNumber(value) && roundingError.test(String(value)))
			return {
				problem: `contains ${short}, which returns ${value}: write {{ (${inside}).toFixed(2) }}`,
			};
		if (isNumber(value) && !Number.isFinite(value)) {
			const read = fieldsRead(expression).map(
				(one) => `${one.slice(6)} is ${JSON.stringify(get(item?.json, pathOf(one)))}`,
			);
			return {
				problem: `contains ${short}, which returns no number${read.length > 0 ? `: ${read.join(', ')}` : ''}`,
				advice: `Correct the field name, or remove the currency sign. ${toNumber}`,
			};
		}
		if (isNil(value)) {
			const problem = `contains ${short}, which returns nothing. ${fieldsFor(expression, itemIndex)}`;
			return { problem, advice: adviceFor(inside, item, name) };
		}
		if (!isString(value)) return undefined;
		const link = inLinks.find((one) => one.endsWith(expression));
		if (link !== undefined && /^\S+\s+\S/.test(value)) {
			const encode = link.includes('?') ? 'encodeURIComponent' : 'encodeURI';
			return {
				problem: `contains ${short} in a link, which would end at the space in ${shown(value)}`,
				advice: `Write {{ ${encode}(${inside}) }}.`,
			};
		}
		if (/\.map\(.*\.join\(/s.test(inside) && /^[\s,;|•-]+$/.test(value))
			return { problem: `contains ${short}, which returns only separators` };
		const problem = partProblem(value);
		return problem === undefined ? undefined : { problem: `${problem} (in ${short})` };
	};

	return {
		/** What is wrong with the parameter as it is written. */
		asWritten(itemIndex: number): Gap | undefined {
			if (slip) return slip;
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

		/** What is wrong with the value that n8n evaluated for an item. */
		asEvaluated(itemIndex: number, value: unknown): Gap | undefined {
			if (!isExpression) return undefined;
			const json = items[itemIndex]?.json ?? {};
			if (/\$json\.data\.approved\b/.test(written) && isTextAnswer(json))
				return {
					problem:
						'reads data.approved, but the answer is a text: read data.text, or set Response Type of the question to Approval',
				};
			const [, hyphened] = /\$json\.([\p{L}_]\w*(?:-[\p{L}\w]+)+)/u.exec(written) ?? [];
			if (hyphened !== undefined && Object.hasOwn(json, hyphened))
				return {
					problem: `subtracts in $json.${hyphened}: for the field, write ${fieldExpressionOf(hyphened)}`,
				};
			for (const one of inText) {
				const gap = gapIn(one, itemIndex);
				if (gap) return gap;
			}
			for (const { fields, isMisread, problem, advice } of readings) {
				const values = fields.map((one): unknown => get(json, pathOf(one)));
				if (values.every(isMisread))
					return { problem: `${problem} ${values.map(shown).join(' and ')}`, advice };
			}
			// A number is rounded where it becomes text.
			const text = isNumber(value) ? '' : String(JSON.stringify(value));
			const format = formats.find(({ shows }) => shows.test(text));
			if (format) return format;
			const own = /\$input\b/.test(written) ? items.map((item) => item.json) : json;
			const word = strayWordIn(value, raw, own, words, dataOf);
			if (word === 'NaN')
				return {
					problem: 'contains "NaN", which is not a number',
					advice: toNumber,
				};
			return word
				? {
						problem: `contains "${word}" where its expression found no value. ${fieldsFor(written, itemIndex)}`,
					}
				: undefined;
		},

		/** What is wrong with a text that comes from the item itself. */
		asText(itemIndex: number, value: unknown): Gap | undefined {
			if (!isExpression || type !== 'string' || !isString(value)) return undefined;
			const json = items[itemIndex]?.json ?? {};
			const unfilled = plainNames(value, false).find(
				(one) => one.written.startsWith('{') && Object.hasOwn(json, one.name),
			);
			return unfilled && { problem: `contains ${unfilled.written}, which was not filled in` };
		},
	};
}

const pathOf = (field: string): string[] => toPath(field).slice(1);

const toNumber =
	'Convert texts to numbers first: {{ Number($json.a.replace(",", ".")) }} reads 49,80, and {{ Number($json.a.replace(/,/g, "")) }} reads 1,234.50.';

/** What to do about an expression that returns nothing. */
function adviceFor(inside: string, item: INodeExecutionData | undefined, name: string): string {
	const json = item?.json ?? {};
	if (/^(now|today)$/i.test(inside)) return 'Write e.g. {{ $now.format("d LLL, HH:mm") }}.';
	if (/^[\p{L}_][\p{L}\w]*$/u.test(inside))
		return `For a field of the input item, write ${fieldExpressionOf(inside)}.`;
	const missing = fieldsRead(inside).find((field) => isNil(get(json, pathOf(field))));
	const parent = missing && Object.keys(json).find((key) => has(json[key], pathOf(missing)));
	if (missing && parent !== undefined)
		return `The item has it in ${shown(parent)}: write ${fieldExpressionOf(parent).replace(' }}', missing.slice(5))} }}.`;
	// All keys without the field would be equal.
	const isKey = name === 'options.idempotencyKey';
	const calls = /\.\w+\(/.test(inside.replace(/\.(?:first|last|all)\(\)/g, ''));
	if (calls && missing)
		return `Correct the field name.${isKey ? '' : " If the field can be missing, write a condition, e.g. {{ $json.x ? … : '' }}."}`;
	const fallback = `write {{ ${inside} ?? '' }}.`;
	if (calls)
		return `If it may find nothing, ${fallback} Otherwise check the names of its functions, and the type of its value: {{ String($json.code).trim() }} also takes a number.`;
	if (missing && has(json, pathOf(missing))) return `If it can be empty, ${fallback}`;
	return `Correct the field name.${causes[inside] ?? (isKey ? '' : ` If the field can be missing, ${fallback}`)}`;
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

/** What somebody typed by mistake around the expressions of a text; undefined if nothing. */
function slipIn(texts: string[]): Gap | undefined {
	for (const text of texts) {
		const plain = isConstant(text) ? text : withoutExpressions(text);
		if (/^==\s*(?:\{\{|(?![A-Z]+\()\p{L})/u.test(text))
			return { problem: 'starts with an equals sign, which would be sent: remove it' };
		if (/\}\}\}/.test(text) && plain.split('}').length > plain.split('{').length)
			return { problem: 'has a brace too many: an expression ends with }}' };
		const isPath = /\b[A-Za-z]:\\|\\\\/.test(plain);
		if (!isPath && /\\n\\n|[.,!?:;)] ?\\n/.test(plain))
			return { problem: 'contains \\n as plain text: press Enter for a new line instead' };
	}
	return undefined;
}

/** A link that ends in an expression. */
const linkEnd = /https?:\/\/[^\s{}"'<>\\]*[=/]\{\{[^{}]*\}\}/g;

/** Functions that read something else than a person, with the field that they read. */
const misreadings = [
	{
		pattern: /(\$json[^\s+(){}]*)\s*\+\s*(\$json[^\s+(){}]*)/g,
		isMisread: (value: unknown) => isString(value) && /^\s*\d+[.,]\d\d\s*$/.test(value),
		problem: 'joins two numbers as texts:',
		advice: 'Write e.g. {{ (Number($json.price) + Number($json.shipping)).toFixed(2) }}.',
	},
	{
		pattern: /parseFloat\(\s*(\$json[^\s(){}]*)/g,
		isMisread: (value: unknown) =>
			isString(value) && /^\s*[+-]?\d+(?:,\d|\.\d{3}[.,]\d\d?$)/.test(value),
		problem: 'contains parseFloat(), which reads only the beginning of',
		advice: toNumber,
	},
	{
		pattern:
			/(?:new Date|fromMillis)\(\s*(\$json[^\s(){}]*)\s*\)|(\$json[^\s(){}]*)(?=\.toDateTime\(\s*\))/g,
		// Birthdays in milliseconds are whole minutes.
		isMisread: (value: unknown) =>
			Number(value) >= 1e9 && Number(value) < 1e10 && Number(value) % 60_000 !== 0,
		problem: 'has a date from seconds, read as milliseconds:',
		advice: 'Write e.g. {{ DateTime.fromSeconds(Number($json.created)).format("d LLL yyyy") }}.',
	},
];

/** The end of 49.800000000000004, the result of 16.6 * 3. */
const roundingError = /^(?=.{17})-?\d+\.\d*(?:0{6}|9{6})\d{1,2}$/;

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
		pattern:
			/ormat\((?:'|\\")[^'"\\]*(?:d{3}|\bDo\b|D[ ./-]+M|M[ ./-]+D|mm ?A\b|\b(?:Uhr|um|at)\b)/,
		shows: /./,
		problem:
			'has a date format with letters that n8n reads otherwise: write e.g. .format("cccc, d LLLL yyyy, HH:mm"), and other words outside the braces',
	},
	{
		pattern: /Duration\.|\.diff(?:ToNow|To)?\(/,
		shows: /\bP(?:T?-?[\d.]+[YMWDHS])+\b/,
		problem: 'contains a duration such as PT42S: write e.g. .as("minutes") after it',
	},
];
