// What is wrong with a text: values in a form that only programs use, and what only a mistake leaves there. Problems
// are worded to follow the label of the parameter.

import { isDate, isNumber, isString } from 'lodash';
import { DateTime } from 'luxon';
import {
	expressionsOf,
	isConstant,
	nodeReference,
	textsIn,
	withoutExpressions,
} from './expressions';
import { isInexact, objectProblem, shown } from './shown';

/** n8n's way to make a date readable, whether it is a text, a Date or a Luxon DateTime. */
const formatDate = 'format it with .toDateTime().format("d LLL, HH:mm")';

/** How to make the date of a text readable. n8n leaves times in UTC, but a midnight in UTC is only a date. */
function formatWritten(date: string): string {
	// Times of a sheet lie on its first day.
	if (/^(1899|1900)-/.test(date)) return formatDate.replace('d LLL, ', '');
	const isMoment = date.endsWith('Z') && !/T00:00(:00(\.0+)?)?Z/.test(date);
	return isMoment ? formatDate.replace('.format', '.toLocal().format') : formatDate;
}

/** What to do about a date that n8n cannot read. */
export const datePattern =
	'check that its field exists. For a date like 2026-12-01T09:30Z, write {{ $json.date.toDateTime().toLocal().format("d LLL, HH:mm") }}; for others, name the format, e.g. {{ DateTime.fromFormat($json.date, "dd.MM.yyyy").format("d LLL") }}';

const entryOrJoin = 'use one of its entries, or join them with .join(", ")';

const fieldOrJoin =
	'name a field of the object, or join a list, e.g. with .map((one) => one.name).join(", ")';

/** What is found in a text, and what the message says of it. */
type Finding = readonly [pattern: RegExp, problem: (found: string) => string];

const unfilled = (found: string): string => `contains ${found}, which was not filled in`;

/** What a whole value may be in place of one. */
const failedValues: Finding[] = [
	// How JavaScript prints missing values.
	[/^(?:null|undefined|NaN)$/, (found) => `contains "${found}" instead of a value`],
	// What spreadsheets show in place of a value, also in German, French and Spanish.
	[
		/^\s*#(?:REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|ERROR!|SPILL!|NV|BEZUG!|WERT!|ZAHL!|VALEUR!|NOM\?|VALOR!|NOMBRE\?)\s*$/,
		(found) => `is ${shown(found)}, a broken formula of the sheet`,
	],
];

/** What JavaScript writes into a text in place of a value. */
const printed: Finding[] = [
	[/Invalid Date(?:Time)?/, (found) => `contains "${found}": ${datePattern}`],
	[/\[object \w+\]/, (found) => `contains "${found}" instead of a value: ${fieldOrJoin}`],
	[/\[native code\]/, (found) => `contains "${found}" instead of a value`],
];

/** What a person, a program or an AI model forgot in a text. */
const forgotten: Finding[] = [
	// {{name}}, {{1.name}}, {{#if name}}, *|NAME|*. Not {{1}}, which a text may mention, {{{name}}}, which the mail
	// server fills in, and other code.
	[
		/(?<![{$])\{\{\s*(?!\d+\s*\}\})[#/]?[\p{L}\w][\p{L}\p{M}\w.|\s'-]{0,60}\}\}|\*\|\w{1,60}\|\*/u,
		unfilled,
	],
	// [First Name], [Your Phone Number], [Insert link], but no link of Markdown.
	[
		/\[(?:(?:Your|Recipient|Client|First|Last|Full|Customer|Company|Business|Job|Contact|Phone) ){1,3}(?:Name|Position|Title|Number|Email|Address|Information|Website)\](?!\()|\[(?:Name|Your (?:Company|Position|Phone|Email|Website)|Insert [^\]\n]{1,40})\](?!\()/,
		unfilled,
	],
	[
		/<\/think>|【[\d:]+†[^】]{0,60}】|contentReference\[oaicite/,
		(found) => `contains ${shown(found)}, which an AI model left there`,
	],
	[
		/^\s*Agent stopped due to max iterations\.?\s*$/,
		() => 'is an error message of the AI agent: raise its option Max Iterations',
	],
	[/https?:\/\/https?:\/\//i, (found) => `contains ${found}: remove one of the two`],
];

/** Braces, which no value of a placeholder needs. */
const braces: Finding = [/\{\{[^{}]{0,60}\}\}/, unfilled];

const valueForms: Finding[] = [
	// Müller or €. Not matched: Ã before a space, » or –, as in Portuguese and Vietnamese capitals.
	[
		/Ã[\u0080-\u009F\u00A1-\u00BA\u00BC-\u00BFœŸ]|â‚¬|â€[™œ“”¦]|\uFFFD/,
		(found) => `contains ${shown(found)}, read in the wrong encoding: import the file as UTF-8`,
	],
	[
		/\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}/,
		(found) => `contains ${shown(found)}: ${formatDate} instead of .toString()`,
	],
];

/** What is wrong with a value as a text; undefined if nothing is. */
export function textProblem(value: unknown): string | undefined {
	if (isNumber(value) && !Number.isFinite(value)) return `contains "${value}" instead of a value`;
	if (isInexact(value)) return 'is a number that is too large to be exact. Pass it as text';
	if (DateTime.isDateTime(value) || isDate(value)) return `is a date: ${formatDate}`;
	if (!['string', 'number', 'boolean'].includes(typeof value))
		return objectProblem(value, entryOrJoin) ?? 'is not text';
	return partProblem(String(value));
}

/** What is wrong with the value of a placeholder; undefined if nothing is. */
export function valueProblem(value: unknown): string | undefined {
	const text = String(value).trim();
	const [date] = /(?<!\S)\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.+-]*Z?(?![^\s,;)!?])/.exec(text) ?? [];
	return (
		textProblem(value) ??
		firstOf(valueForms, text)?.problem ??
		sheetDate(text) ??
		(date &&
			`${date === text ? 'is' : 'contains'} the date ${shown(date === text ? value : date)}: ${formatWritten(date)}`)
	);
}

const forgottenIn = { text: forgotten, value: [...forgotten, braces], key: [] };

const inData = [...printed, ...forgotten, braces];

/** What is wrong with the value of a placeholder that came with the data; undefined if nothing is. */
export const rowProblem = (value: unknown): string | undefined =>
	valueProblem(value) ?? expressionProblem(value) ?? firstOf(inData, String(value))?.problem;

/**
 * What only a mistake leaves in the value of a parameter, which is written as `raw`; undefined if there is nothing. A
 * text that the user wrote may contain what JavaScript writes, and anything inside the quotes of an expression.
 *
 * @param kind a placeholder's value may not contain braces, and a key may be JSON
 */
export function leftoverIn(
	value: unknown,
	raw: unknown,
	kind: 'text' | 'value' | 'key',
): string | undefined {
	if (quotesError(raw)) return undefined;
	const written = textsIn(raw);
	const isWritten = (found: string) => written.some((one) => one.includes(found));
	const isQuoted = (found: string) =>
		isWritten(found) && !written.some((one) => withoutExpressions(one).includes(found));
	for (const text of textsIn(value)) {
		const one = firstOf(printed, text);
		if (one && !isWritten(one.found)) return one.problem;
		const other = firstOf(forgottenIn[kind], text);
		if (other && !isQuoted(other.found)) return other.problem;
	}
	return undefined;
}

/** What is wrong with the value of an expression inside a text; undefined if nothing is. */
export const partProblem = (value: string): string | undefined =>
	firstOf(failedValues, value)?.problem;

/** A time in whole minutes, alone or on a day of this century, as spreadsheets count it: 46357.3958333333. */
function sheetDate(text: string): string | undefined {
	const [, fraction] = /^(?:0|(?:3[67]|[4-6]\d|7[0-3])\d{3})(\.\d{5,})$/.exec(text) ?? [];
	const minutes = Number(fraction) * 1_440;
	const isOnlyTime = text.startsWith('0');
	const distance = Math.abs(minutes - Math.round(minutes));
	// Ratios and prices are no times.
	const isTime = isOnlyTime ? minutes > 0.5 && distance < 1e-6 : distance < 0.008;
	return isTime
		? `is ${text}. If it is a spreadsheet's date or time, append .toDateTime("excel").toUTC().plus({ seconds: 1 }).format("${isOnlyTime ? '' : 'd LLL, '}HH:mm") to its field; if it is an amount, .toFixed(2)`
		: undefined;
}

function firstOf(all: Finding[], text: string): { found: string; problem: string } | undefined {
	for (const [pattern, problemOf] of all) {
		const [found] = pattern.exec(text) ?? [];
		if (found !== undefined) return { found, problem: problemOf(found) };
	}
	return undefined;
}

// What a Fixed field would send unchanged: {{ $…, or $json.name and $("Form").item.json.name without braces.
const plainExpression = new RegExp(
	String.raw`(\{\{\s*\$[^{}]{0,60})|(\$json(?:\.\w{1,60}|\[[^\]{}]{1,60}\])+|${nodeReference}\.(?:item|first\(\)|last\(\))\.json(?:\.\w{1,60}|\[[^\]{}]{1,60}\])*)`,
);

/** Whether an expression of a text reads an error, whose message may quote anything. */
const quotesError = (raw: unknown): boolean =>
	textsIn(raw)
		.flatMap(expressionsOf)
		.some((one) => /error/i.test(one));

/**
 * What is wrong with a value that contains an n8n expression as plain text. `raw` is how the user wrote it; without it,
 * the value came with the data.
 */
export function expressionProblem(value: unknown, raw?: unknown): string | undefined {
	if (quotesError(raw)) return undefined;
	const [, inside, bare = ''] =
		plainExpression.exec(isString(value) ? value : textsIn(value).join('\n')) ?? [];
	const found = inside === undefined ? bare : `${inside}}}`;
	if (found === '') return undefined;
	const problem = `contains ${found} as plain text`;
	const written = textsIn(raw).find((one) => one.includes(inside ?? bare));
	if (written === undefined) return problem;
	if (isConstant(written)) {
		const change = bare === '' ? 'Switch' : `Write {{ ${bare} }} and switch`;
		return `${problem}. ${change} the field to Expression`;
	}
	return withoutExpressions(written).includes(bare)
		? `${problem}. Write {{ ${bare} }}`
		: `${problem}. Write it outside the quotes, e.g. {{ "Hello " + ${bare} }}`;
}
