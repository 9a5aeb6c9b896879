// Rules that find what the user did not mean to send in the value of a parameter: names and placeholders that nothing
// filled in, gaps where an expression found no value, and values that a function misread.

import {
	attempt,
	compact,
	get,
	has,
	isArray,
	isBoolean,
	isEqual,
	isError,
	isNil,
	isNumber,
	isObject,
	isPlainObject,
	isString,
	map,
	memoize,
	size,
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
	isSameForAll,
	nodeReference,
	plainValue,
	textsIn,
	withoutExpressions,
} from './expressions';
import { fieldsOf, listed, shown } from './shown';
import { datePattern, leftoverIn, partProblem } from './texts';

/** What is wrong with a value, worded to follow the label of its parameter, and what to do if that is not obvious. */
export interface Gap {
	problem: string;
	advice?: string;
}

/** A parameter as the user wrote it. */
interface Parameter {
	context: IExecuteFunctions;
	field: INodeProperties;
	/** Whether it is a key. All keys without a field would be equal. */
	isKey: boolean;
	raw: unknown;
	/** The texts in it; none if it is no text. */
	texts: string[];
	/** The texts with expressions, joined. */
	written: string;
	/** The value of an expression for an item; an Error if it throws one. */
	valueOf(expression: string, itemIndex: number): unknown;
}

/** An input item of the parameter. `value` is undefined before n8n has evaluated the parameter. */
interface Site {
	itemIndex: number;
	item: INodeExecutionData | undefined;
	json: object;
	value?: unknown;
}

/** Prepares a check of a parameter for its items; undefined if the rule does not apply to the parameter. */
type Rule = (parameter: Parameter) => ((site: Site) => Gap | undefined) | undefined;

/** Makes the checks of a parameter that is written as `raw`. */
export function gapChecks(
	context: IExecuteFunctions,
	field: INodeProperties,
	name: string,
	raw: unknown,
) {
	const items = context.getInputData();
	const texts = ['string', 'json', 'fixedCollection'].includes(field.type) ? textsIn(raw) : [];
	const evaluate = (expression: string, itemIndex: number): unknown => {
		const path = fieldPath(`=${expression}`);
		const plain = path && plainValue(items[itemIndex], path);
		return plain ?? attempt(() => context.evaluateExpression(expression, itemIndex));
	};
	const once = memoize((expression: string) => evaluate(expression, 0));
	const parameter: Parameter = {
		context,
		field,
		isKey: name === 'options.idempotencyKey',
		raw,
		texts,
		written: texts.filter((one) => !isConstant(one)).join('\n'),
		valueOf: (expression, itemIndex) =>
			isSameForAll(expression) ? once(expression) : evaluate(expression, itemIndex),
	};
	const checksOf = (rules: Rule[]) => {
		const checks = compact(rules.map((prepare) => prepare(parameter)));
		return (itemIndex: number, value?: unknown): Gap | undefined => {
			const item = items[itemIndex];
			const site = { itemIndex, item, json: item?.json ?? {}, value };
			for (const check of checks) {
				const gap = check(site);
				if (gap) return gap;
			}
			return undefined;
		};
	};
	return {
		/** What is wrong with the parameter as it is written, for an item. */
		asWritten: checksOf([typingSlip, templatePlaceholder, plainName]),
		/** What is wrong with the value that n8n evaluated for an item. Constants have no gaps. */
		asEvaluated: checksOf(
			isConstant(raw)
				? [missingAttachment, leftover]
				: [
						wrongField,
						comparedFlag,
						hyphenatedName,
						otherItem,
						gapInText,
						brokenLink,
						misreading,
						misformat,
						strayWord,
						jsonText,
						missingAttachment,
						leftover,
						unfilledName,
					],
		),
	};
}

/** What somebody typed by mistake around the expressions of a text. */
const typingSlip: Rule = ({ field, texts }) => {
	if (field.type === 'json') return undefined;
	for (const text of texts) {
		const plain = withoutExpressions(text);
		if (/^==\s*(?:\{\{|(?![A-Z]+\()\p{L})/u.test(text))
			return () => ({ problem: 'starts with an equals sign, which would be sent: remove it' });
		if (/\}\}\}/.test(text) && plain.split('}').length > plain.split('{').length)
			return () => ({ problem: 'has a brace too many: an expression ends with }}' });
		if (/\\n\\n|(?:[,!?;]|\w\w:) ?\\n|\. ?\\n(?![a-z])/.test(plain))
			return () => ({ problem: 'contains \\n as plain text: press Enter for a new line instead' });
	}
	return undefined;
};

/** n8n would put the number 1 in the place of {{1}}. */
const templatePlaceholder: Rule = ({ written }) => {
	const [found] = /\{\{\s*\d{1,2}\s*\}\}/.exec(written) ?? [];
	const problem = `contains ${found}, a template's placeholder: write the value instead`;
	return found === undefined ? undefined : () => ({ problem });
};

/** How programs mark field names in a plain text: {name}, {{name}}, {$name}, %name%, [[name]], <<name>>. */
const marks = [
	/\{{1,2}\$?([^{}]{1,60})\}{1,2}/g,
	/%(\w{1,60})%/g,
	/\[\[([^[\]]{1,60})\]\]/g,
	/<<([^<>]{1,60})>>/g,
];

const namesIn = (text: string) =>
	marks.flatMap((mark) =>
		[...text.matchAll(mark)].map(([found, name = '']) => ({
			found,
			name: name.trim(),
			/** Whether it is the whole text. */
			alone: false,
		})),
	);

/** The field of an item whose object has the path, such as the body of a webhook. */
const parentOf = (json: object, path: string[]): string | undefined =>
	Object.entries(json).find(([, value]) => isPlainObject(value) && has(value, path))?.[0];

/** The field of an item with this name, in any case. */
const fieldNamed = (json: object, name: string): string | undefined =>
	Object.keys(json).find((key) => key.toLowerCase() === name.toLowerCase());

/** The expression for a field of an object in the item; `rest` follows the name of the object. */
const fieldInside = (parent: string, rest: string): string =>
	fieldExpressionOf(parent).replace(' }}', `${rest} }}`);

/** The expression for a field of the item, or of an object in it. */
function expressionFor(json: object, name: string): string {
	const field = fieldNamed(json, name);
	const parent = field === undefined ? parentOf(json, [name]) : undefined;
	if (parent === undefined) return fieldExpressionOf(field ?? name);
	return fieldInside(parent, `[${JSON.stringify(name)}]`);
}

/** A field's name as plain text: marked, or alone as a key or the value of a placeholder. */
const plainName: Rule = ({ field: { type, displayName }, isKey, texts }) => {
	if (type === 'json') return undefined;
	const names = texts.flatMap((text) => {
		if (!isConstant(text)) return namesIn(withoutExpressions(text));
		const alone = (type === 'fixedCollection' || isKey) && text.trim() !== '';
		return [...namesIn(text), ...(alone ? [{ found: shown(text), name: text.trim(), alone }] : [])];
	});
	return ({ json }) => {
		const unfilled = names.find(({ name, alone }) =>
			alone
				? Object.hasOwn(json, name) || (isKey && parentOf(json, [name]) !== undefined)
				: fieldNamed(json, name) !== undefined,
		);
		if (!unfilled) return undefined;
		const { found, name } = unfilled;
		const literal = found.startsWith('"') ? found : JSON.stringify(found);
		const asText = literal.includes('}}')
			? ''
			: ` To send the text itself, write {{ ${literal} }}.`;
		return {
			problem: `contains ${found} as plain text`,
			advice: `Write ${expressionFor(json, name)} and set the parameter "${displayName}" to Expression.${asText}`,
		};
	};
};

/** A name in a text that comes from the item, such as a template in a sheet. */
const unfilledName: Rule = ({ field, raw }) =>
	field.type === 'string'
		? ({ json, value }) => {
				const unfilled = isString(value)
					? namesIn(value).find(
							({ found, name }) =>
								found.startsWith('{') &&
								fieldNamed(json, name) !== undefined &&
								!String(raw).includes(found) &&
								!value.includes(`/${found}`),
						)
					: undefined;
				return unfilled && { problem: `contains ${unfilled.found}, which was not filled in` };
			}
		: undefined;

/** Fields that are read where the item has another one for the purpose. */
const wrongFields = [
	{
		reads: /\$json\.approved\b(?!.*data\.approved)/s,
		inItem: ['data.respondedAt', 'data.approved'],
		notInItem: 'approved',
		problem: 'reads approved instead of data.approved: write $json.data.approved',
	},
	{
		reads: /(?<!.=|[/"'])\{\{\s*\$json\.data\.approved\s*\}\}/,
		inItem: ['data.respondedAt', 'data.approved'],
		problem:
			'writes data.approved, which is true or false: write {{ $json.data.approved ? "yes" : "no" }}',
	},
	{
		reads: /^(?!.*data\.text).*\$json\.data\.approved\b/s,
		inItem: ['data.respondedAt', 'data.text'],
		problem:
			'reads data.approved, but the answer is a text: read data.text, or set Response Type of the question to Approval',
	},
	{
		fields: ['phone', 'to'],
		reads: /^(?!.*data\.to\b).*\$json\.data\.from\b/s,
		inItem: ['event', 'data.providerMessageId'],
		problem: 'reads data.from, the number that your message was sent from: write $json.data.to',
	},
];

const wrongField: Rule = ({ field, isKey, written }) => {
	if (isKey || field.type === 'json') return undefined;
	const wrong = wrongFields.filter(
		({ fields, reads }) => (fields?.includes(field.name) ?? true) && reads.test(written),
	);
	if (wrong.length === 0) return undefined;
	return ({ json }) =>
		wrong.find(
			({ inItem, notInItem }) =>
				inItem.every((one) => has(json, one)) && (notInItem === undefined || !has(json, notInItem)),
		);
};

/** A field that is compared with a text. */
const comparison = new RegExp(
	String.raw`((?:\$json|${nodeReference}\.(?:item|first\(\)|last\(\))\.json)(?:\.\w+|\["[^"]*"\]|\['[^']*'\])+)\s*[!=]==?\s*["'](?:true|false|yes|no)["']`,
	'gi',
);

/** `$json.test == "true"` is false, whatever the field is, if that is true or false and no text. */
const comparedFlag: Rule = ({ written, valueOf }) => {
	const fields = [...written.matchAll(comparison)].map(([, field = '']) => field);
	if (fields.length === 0 || /[!=]==?\s*(?:true|false)\b/.test(written)) return undefined;
	return ({ itemIndex }) => {
		const flag = fields.find((one) => isBoolean(valueOf(`{{ ${one} }}`, itemIndex)));
		return flag === undefined
			? undefined
			: {
					problem: `compares ${flag} with a text, but it is true or false: write {{ ${flag} ? "yes" : "no" }}`,
				};
	};
};

/** `$json.E-Mail` subtracts Mail from `$json.E`. */
const hyphenatedName: Rule = ({ written }) => {
	const names = [...written.matchAll(/\$json\.([\p{L}_][\p{L}\w]*(?:-[\p{L}\w]+)+)/gu)];
	if (names.length === 0) return undefined;
	return ({ json }) => {
		const [, name = ''] = names.find(([, one = '']) => Object.hasOwn(json, one)) ?? [];
		return name === ''
			? undefined
			: { problem: `subtracts in $json.${name}: for the field, write ${fieldExpressionOf(name)}` };
	};
};

/** `$node["Items"].json` and others that read an item by its position, which differs once items are filtered. */
const byPosition =
	/\$node\[(["'])(.+?)\1\]\.json|\$items\((["'])(.+?)\3\)\[\$itemIndex\]|\$\((["'])(.+?)\5\)\.all\(\)\[\$itemIndex\]/;

const otherItem: Rule = ({ context, written, valueOf }) => {
	const found = byPosition.exec(written);
	if (!found) return undefined;
	const [expression, , one, , other, , third] = found;
	const node = `$(${JSON.stringify(one ?? other ?? third)})`;
	const ownOf = (itemIndex: number) => valueOf(`{{ ${node}.item.json }}`, itemIndex);
	// Lists that are joined by position may all come from one item.
	const isOneForAll = memoize(() => {
		const { length } = context.getInputData();
		return length > 1 && isEqual(ownOf(0), ownOf(length - 1));
	});
	return ({ itemIndex }) => {
		const own = ownOf(itemIndex);
		const read = valueOf(`{{ ${node}.all()[$itemIndex]?.json }}`, itemIndex);
		return !isPlainObject(own) || isEqual(own, read) || isOneForAll()
			? undefined
			: { problem: `reads ${expression}, which is another item's. Write ${node}.item.json` };
	};
};

/** Expressions inside a text that return nothing or no value: n8n would leave a gap, as in "Dear ,". */
const gapInText: Rule = (parameter) => {
	const { field, isKey, raw, written, valueOf } = parameter;
	const parts = expressionsInText(raw).filter((one) => !isGuarded(one));
	const gapIn = (expression: string, { itemIndex, json }: Site): Gap | undefined => {
		const inside = expression.slice(2, -2).trim();
		if (inside === '') return undefined;
		const value = valueOf(expression, itemIndex);
		const short = inside.length > 90 ? `{{ ${inside.slice(0, 90)}… }}` : expression;
		if (isNil(value)) {
			const problem = `contains ${short}, which returns nothing. ${fieldsFor(expression, parameter, itemIndex)}`;
			return { problem, advice: adviceFor(inside, json, isKey) };
		}
		if (isNumber(value) && !Number.isFinite(value)) {
			const read = fieldsRead(expression).map(
				(one) => `${pathOf(one).join('.')} is ${JSON.stringify(get(json, pathOf(one)))}`,
			);
			return {
				problem: `contains ${short}, which returns no number${read.length > 0 ? `: ${read.join(', ')}` : ''}`,
				advice: `Correct the field name, or remove the currency sign. ${toNumber}`,
			};
		}
		const isCalculated = field.type !== 'json' && !isKey && /[*/+-]/.test(inside);
		if (isNumber(value) && isCalculated && roundingError.test(String(value)))
			return {
				problem: `contains ${short}, which returns ${value}: write e.g. {{ Number((${inside}).toPrecision(12)) }}`,
			};
		if (!isString(value)) return undefined;
		if (value.trim() === '' && leavesGap(written, expression))
			return {
				problem: `contains ${short}, which is empty, so that a gap would be left`,
				advice: `Write what to send instead, e.g. {{ ${inside.includes('??') ? `(${inside})` : inside} || "customer" }}.`,
			};
		if (/\.map\(.*\.join\(/s.test(inside) && /^[\s,;|•]+$/.test(value))
			return { problem: `contains ${short}, which returns only separators` };
		const problem = partProblem(value);
		return problem === undefined ? undefined : { problem: `${problem} (in ${short})` };
	};
	if (parts.length === 0) return undefined;
	return (site) => {
		for (const part of parts) {
			const gap = gapIn(part, site);
			if (gap) return gap;
		}
		return undefined;
	};
};

/** Whether an empty value shows: as in "Dear ,", it stands after a space and before a punctuation mark. */
const leavesGap = (written: string, expression: string): boolean =>
	written
		.split(expression)
		.some(
			(after, index, all) =>
				index > 0 && /[^:\s]\s+$/.test(all[index - 1] ?? '') && /^[,.!?;:]/.test(after),
		);

/** A link that ends in an expression. */
const linkEnd = /https?:\/\/[^\s{}"'<>\\]*[=/](\{\{[^{}]*\}\})/g;

/** A link in a text, which would end at the first space of a value. */
const brokenLink: Rule = ({ field, written, valueOf }) => {
	// An address is encoded when it is sent, and browsers encode those in HTML.
	const links = /url|header|html/i.test(field.name) ? [] : [...written.matchAll(linkEnd)];
	if (links.length === 0) return undefined;
	return ({ itemIndex }) => {
		for (const [link, expression = ''] of links) {
			const value = valueOf(expression, itemIndex);
			if (!isString(value) || !/^\S+\s+\S/.test(value)) continue;
			const encode = link.includes('?') ? 'encodeURIComponent' : 'encodeURI';
			return {
				problem: `contains ${expression} in a link, which would end at the space in ${shown(value)}`,
				advice: `Write {{ ${encode}(${expression.slice(2, -2).trim()}) }}.`,
			};
		}
		return undefined;
	};
};

/** The end of 49.800000000000004, the result of 16.6 * 3. */
const roundingError = /^(?=.{17})-?\d+\.\d*(?:0{6}|9{6})\d{1,2}$/;

const pathOf = (field: string): string[] => toPath(field).slice(1);

/** What a field is read from: `$json.order` for `$json.order.total`. */
const objectOf = (field: string): string =>
	field.slice(0, field.lastIndexOf(field.endsWith(']') ? '[' : '.'));

const toNumber =
	'Convert texts to numbers first: {{ Number($json.a.replace(",", ".")) }} reads 49,80, and {{ Number($json.a.replace(/,/g, "")) }} reads 1,234.50.';

/** The fields that an expression could have named. */
function fieldsFor(expression: string, { context, valueOf }: Parameter, itemIndex: number): string {
	const item = context.getInputData()[itemIndex];
	const [node] = new RegExp(nodeReference).exec(expression) ?? [];
	const keys = node && valueOf(`{{ Object.keys(${node}.item.json) }}`, itemIndex);
	if (node && isArray(keys)) return `Fields of ${node.slice(2, -1)}: ${listed(keys as string[])}`;
	const [field = ''] = node ? [] : fieldsRead(expression);
	const object: unknown = get(item?.json, pathOf(objectOf(field)));
	return isPlainObject(object)
		? `Fields of ${objectOf(field)}: ${listed(Object.keys(object as object))}`
		: fieldsOf(item);
}

/** What to do about an expression that returns nothing. */
function adviceFor(inside: string, json: object, isKey: boolean): string {
	const [, unknown] = /^\s*([A-Z]{2,})\(/.exec(inside) ?? [];
	if (unknown !== undefined)
		return `n8n has no function ${unknown}. A condition is written as {{ $json.a ? "yes" : "no" }}.`;
	if (/^[\p{L}_][\p{L}\w]*$/u.test(inside))
		return /^(?:now|today)$/i.test(inside)
			? 'Write e.g. {{ $now.format("d LLL, HH:mm") }}.'
			: `For a field of the input item, write ${fieldExpressionOf(inside)}.`;
	const missing = fieldsRead(inside).find((field) => isNil(get(json, pathOf(field))));
	const parent = missing && parentOf(json, pathOf(missing));
	if (missing && parent !== undefined)
		return `The item has it in ${shown(parent)}: write ${fieldInside(parent, missing.slice(5))}.`;
	if (/\.(?:to|from)?(?:format|iso\w*|local)\(/i.test(inside) && !missing)
		return `For its date, ${datePattern}.`;
	const cure = 'Check the names of its fields and functions';
	return isKey
		? `${cure}.`
		: `${cure}. If there may be no value, write what to send instead, e.g. {{ $json.customer?.name ?? "customer" }}.`;
}

/** Functions that read something else than a person, with the fields that they read. */
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
	{
		pattern:
			/(?<!.=|[/"'])\{\{\s*(\$json[^\s+(){}]*(?:\bdate|[a-z]Date|_date|[tT]ime|[tT]imestamp|[cC]reated|[uU]pdated|_at|[a-z]At))\s*\}\}/g,
		isMisread: (value: unknown) => Number(value) >= 1e9 && Number(value) < 2e9,
		problem: 'contains a time in seconds as a number:',
		advice: 'Write e.g. {{ DateTime.fromSeconds(Number($json.created)).format("d LLL, HH:mm") }}.',
	},
];

const misreading: Rule = ({ field, isKey, written }) => {
	if (isKey || field.type === 'json') return undefined;
	const readings = misreadings.flatMap(({ pattern, ...rest }) =>
		[...written.matchAll(pattern)].map(([, ...found]) => ({ fields: compact(found), ...rest })),
	);
	if (readings.length === 0) return undefined;
	return ({ json }) => {
		for (const { fields, isMisread, problem, advice } of readings) {
			const values = fields.map((one): unknown => get(json, pathOf(one)));
			if (values.every(isMisread))
				return { problem: `${problem} ${values.map(shown).join(' and ')}`, advice };
		}
		return undefined;
	};
};

/** Date formats of other programs, such as DD.MM.YYYY, dd/mm/yyyy for a date and HH:MM for a time. */
const otherFormat =
	/ormat\((?:[^)'"]*,\s*)?["'](?=[^"')]*(?:YYYY|[Hh]:MM|d{3}|\bDo\b|D[ ./-]+M|M[ ./-]+D|mm ?A\b|(?<!-)\b(?:Uhr|um|at)\b)|(?=[^"')]*d)(?=[^"')]*y)(?![^"')]*[Hh])[^"')]*mm)([^"']*)/;

/** The same format as n8n reads it. */
const inLuxon = (format: string): string =>
	format
		.replace(/Y+|Do|D+|(?<!S)SS(?!S)/g, (one) => one.toLowerCase().replace('o', ''))
		.replace(/d{3,4}/g, (one) => 'c'.repeat(one.length))
		.replace(/A\b/g, 'a')
		.replace(/(?<=\d|d)T(?=H)/g, "'T'")
		.replace(/([Hh]:)MM/g, '$1mm')
		.replace(/(?<![Hh][:. h_-]?)mm/g, 'MM');

const misformat: Rule = ({ written }) => {
	const [, format] = otherFormat.exec(written) ?? [];
	if (format !== undefined) {
		const hasWords = /\b(?:Uhr|um|at)\b/.test(format);
		const cure = hasWords
			? 'put other words outside the braces'
			: `write ${shown(inLuxon(format))}`;
		return () => ({
			problem: `has the date format ${shown(format)}, which n8n reads otherwise: ${cure}`,
		});
	}
	if (!/Duration\.|\.diff(?:ToNow|To)?\(/.test(written)) return undefined;
	return ({ value }) =>
		/\bP(?:T?-?[\d.]+[YMWDHS])+\b/.test(textOf(value))
			? { problem: 'contains a duration such as PT42S: write e.g. .as("minutes") after it' }
			: undefined;
};

/** JSON as a whole text, as AI models return it. */
const jsonText: Rule = ({ field, isKey, raw }) => {
	if (field.type !== 'string' || isKey || /stringify|toJsonString/i.test(textOf(raw)))
		return undefined;
	return ({ value }) =>
		isString(value) && /^\s*(?:```\w*\s*)?\{\s*"[^"]{1,60}"\s*:[^]*\}\s*(?:```\s*)?$/.test(value)
			? {
					problem: 'is JSON, not a text',
					advice:
						'Send one of its fields. For an AI agent, turn on Require Specific Output Format; otherwise, parse the text first, e.g. {{ $json.body.parseJson().reply }}.',
				}
			: undefined;
};

/** A text that mentions an attachment, for an item with a file: nothing that is spoken or emailed has one. */
const missingAttachment: Rule = ({ field, texts }) => {
	const plain = texts.map(withoutExpressions).join(' ');
	const attached =
		/\b(?:attached|attachment|anbei|im Anhang|adjunt[ao]|ci-joint|in allegato|em anexo)\b/i;
	if (!['text', 'html'].includes(field.name) || !attached.test(plain)) return undefined;
	return ({ item, value }) =>
		size(item?.binary) > 0 && !textOf(value).includes('http')
			? {
					problem: 'mentions an attachment, but the service sends none',
					advice: 'Write a link to the file, e.g. after uploading it to a cloud storage.',
				}
			: undefined;
};

/** What only a mistake leaves in a text. Messages about errors may quote it. */
const leftover: Rule = ({ field, isKey, raw, texts }) => {
	if (texts.length === 0 || field.type === 'json') return undefined;
	const kind = field.type === 'fixedCollection' ? 'value' : 'text';
	return ({ value }) => {
		const problem = leftoverIn(value, raw, isKey ? 'key' : kind);
		return problem === undefined ? undefined : { problem };
	};
};

const textOf = (value: unknown): string =>
	isObject(value) ? JSON.stringify(value, (_, inner: unknown) => inner ?? '') : String(value ?? '');

/**
 * The word "undefined", "NaN" or "null" where JavaScript wrote it into a text in place of a missing value. The word may
 * also come from the user, the item or another node.
 */
const strayWord: Rule = (parameter) => {
	const { context, field, raw, written, valueOf } = parameter;
	const words = field.type === 'json' ? /\b(?:undefined|NaN)\b/ : /\b(?:undefined|NaN|null)\b/;
	// Data as JSON may contain null, and other sources cannot be compared.
	const isUnclear = /stringify|toJsonString|\$(?:tool|node|items|vars|binary)\b/.test(textOf(raw));
	const nodes =
		written.match(new RegExp(`${nodeReference}(?=\\.(?:item|first|last|all)\\b)`, 'g')) ?? [];
	if (isUnclear || nodes.length < written.split('$(').length - 1) return undefined;
	/** All data of the nodes as texts; an Error for one that did not run. */
	const data = memoize(() =>
		nodes.map((node) => {
			const all = `${node}.all().map(({ json }) => json)`;
			return valueOf(`{{ JSON.stringify(${all}, (_, one) => one ?? '') }}`, 0);
		}),
	);
	const sources = memoize(() =>
		[...data(), ...map(context.getInputData(), 'json')].map(textOf).join(' '),
	);
	return ({ itemIndex, value }) => {
		const [word] = words.exec(textOf(value)) ?? [];
		if (word === undefined || textOf(raw).includes(word)) return undefined;
		if (data().some((one) => isNil(one) || isError(one))) return undefined;
		if (new RegExp(`\\b${word}\\b`, 'i').test(sources())) return undefined;
		return word === 'NaN'
			? { problem: 'contains "NaN", which is not a number', advice: toNumber }
			: {
					problem: `contains "${word}" where its expression found no value. ${fieldsFor(written, parameter, itemIndex)}`,
				};
	};
};
