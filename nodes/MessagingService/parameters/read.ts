import { get, isEqual, isNil, isPlainObject, memoize, upperFirst } from 'lodash';
import {
	UnexpectedError,
	type IExecuteFunctions,
	type INodeProperties,
	type IPollFunctions,
} from 'n8n-workflow';
import { z } from 'zod';
import { binaryFile, type BinaryFile } from '../api/binaryFile';
import { Failure, InputFailure, itemName } from '../api/failure';
import { fieldPath, isConstant, isSameForAll, plainValue, toolInputAsText } from './expressions';
import { gapChecks, type Gap } from './gaps';
import { fieldsOf, listed, shown } from './shown';
import type { Schema } from './schemas';
import { datePattern, expressionProblem } from './texts';

/**
 * Returns the checked value of a parameter, e.g. `options.timeout`; throws InputFailure. The advice is for values that
 * differ between the items where they may not.
 */
export type ReadValue = <T>(name: string, schema: Schema<T>, advice?: string) => T;

/** Reads the parameters of one input item. */
export interface Read extends ReadValue {
	/** Whether the workflow contains the parameter; a default value does not count. */
	has(name: string): boolean;

	/** The parameter as the user wrote it, before n8n evaluates its expressions. */
	written(name: string): string;

	/** The file of the binary property that the parameter names; throws InputFailure. */
	file(name: string): Promise<BinaryFile>;

	/** The workflow's time zone. */
	timeZone: string;

	/** Country codes that numbers must start with; empty if all are allowed. */
	countryCodes: readonly string[];

	/** The base URL of the credential; absent if the credential cannot be used. */
	baseUrl?: string;

	/** Gives access to n8n. */
	context: IExecuteFunctions;
}

/** Gives access to the parameters of the input items. */
export interface Reader {
	(itemIndex: number): Read;

	/** Reads the value of every item, in item order; throws InputFailure. */
	each<T>(name: string, schema: Schema<T>): T[];

	/** Reads a value that must be the same for all items; throws InputFailure with the advice if it differs. */
	same<T>(name: string, schema: Schema<T>, advice?: string): T;

	/** The country codes of the credential, once it has been read. */
	countryCodes: readonly string[];

	/** Its base URL. */
	baseUrl?: string;
}

/**
 * Reads the parameters of each input item. A value that is the same for all items is read and checked once; an
 * expression that only names a plain field is not evaluated.
 */
export function parameterReader(context: IExecuteFunctions, fields: INodeProperties[]): Reader {
	const items = context.getInputData();
	const timeZone = context.getTimezone();
	const rawOf = memoize((name: string) => rawValue(context, name));
	const parameter = memoize((name: string) => {
		const field = fieldAt(fields, name);
		const raw = rawOf(name);
		const withToolInput = toolInputAsText(raw);
		const checks = gapChecks(context, field, name, raw);
		const rejectIf = (gap: Gap | undefined, itemIndex: number) => {
			if (gap) throw invalid(field, gap.problem, itemIndex, gap.advice);
		};
		const evaluateFor = (itemIndex: number): unknown => {
			try {
				rejectIf(checks.asWritten(itemIndex), itemIndex);
				// With null as the default, n8n does not throw if neither the workflow nor the node's fields contain
				// the parameter.
				const value = withToolInput
					? context.evaluateExpression(withToolInput, itemIndex)
					: (context.getNodeParameter(name, itemIndex, null) ?? undefined);
				rejectIf(checks.asEvaluated(itemIndex, value), itemIndex);
				return value;
			} catch (error) {
				throw asInputFailure(error, itemIndex, field.displayName);
			}
		};
		// If an expression returns a long list, n8n takes longer to evaluate it than to send a message. So an
		// expression with the same value for all items is evaluated once.
		const once = memoize(evaluateFor, () => 0);
		if (isConstant(raw)) return { field, raw, isConstant: true, isOnce: true, valueOf: once };
		const isOnce = isSameForAll(raw);
		const evaluate = isOnce ? once : evaluateFor;
		const path = fieldPath(chosenIn(field, raw));
		// An empty filter would return the records of all recipients.
		const isFilter = name.startsWith('filters.') && field.type !== 'options';
		const isKey = name === 'options.idempotencyKey';
		const isOptional = field.default === '' && !isFilter && !isKey && field.required !== true;
		const valueOf = (index: number): unknown => {
			const plain = path && plainValue(items[index], path);
			if (plain !== undefined) rejectIf(checks.asEvaluated(index, plain), index);
			const value = plain ?? evaluate(index);
			const chosen = chosenIn(field, value) ?? undefined;
			const isMissing = chosen === undefined || (isFilter && String(chosen).trim() === '');
			if (isOptional || !isMissing) return value;
			const problem = `is empty: its expression returns nothing. ${fieldsOf(items[index])}`;
			// Only Sent After has a preset expression. It reads the item of the node that sent the campaign.
			const source = String(raw).slice(1).replace('$json', "$('Send Campaign').first().json");
			const advice = `Name the node that sent the campaign, e.g. ${source}.`;
			throw invalid(field, problem, index, raw === field.default ? advice : undefined);
		};
		return { field, raw, isConstant: false, isOnce, valueOf };
	});
	/** The last checked value of each parameter that is the same for all items. */
	const checked = new Map<string, { schema: Schema<unknown>; value: unknown }>();
	const readerOf = (itemIndex: number): Read => {
		const read = <T>(name: string, schema: Schema<T>): T => {
			const { field, raw, valueOf, isOnce } = parameter(name);
			const last = checked.get(name);
			if (last?.schema === schema) return last.value as T;
			const value = valueOf(itemIndex) ?? field.default;
			const result = checkedValue(field, schema, value, itemIndex, raw);
			if (isOnce) checked.set(name, { schema, value: result });
			return result;
		};
		return Object.assign(read, {
			has: (name: string) => !isNil(rawOf(name)),
			written: (name: string) => String(parameter(name).raw),
			file: async (name: string) => {
				const property = read(name, z.unknown());
				const files = items[itemIndex]?.binary ?? {};
				return await binaryFile(context, itemIndex, property).catch((error: unknown) => {
					const isName = typeof property === 'string';
					if (isName ? files[property] !== undefined : error instanceof Failure) throw error;
					const label = fieldAt(fields, name).displayName;
					const has = `has ${listed(Object.keys(files), 'binary fields')}`;
					const problem = isName
						? `The item has no binary field ${shown(property)}; it ${has}`
						: `${label} is an object instead of a field name; the item ${has}`;
					const isText = isName && typeof items[itemIndex]?.json[property] === 'string';
					const missingAdvice = isText
						? `${shown(property)} is a text: turn it into a file with the node Convert to File.`
						: 'The node before passes on no file: read or download the file there.';
					const nameAdvice = `In "${label}", enter the name of a binary field. Case matters.`;
					const advice = Object.keys(files).length > 0 ? nameAdvice : missingAdvice;
					throw new InputFailure(withItem(problem, itemIndex), advice);
				});
			},
			countryCodes: reader.countryCodes,
			baseUrl: reader.baseUrl,
			timeZone,
			context,
		});
	};
	const each = <T>(name: string, schema: Schema<T>): T[] =>
		parameter(name).isConstant
			? new Array<T>(items.length).fill(readerOf(0)(name, schema))
			: items.map((_, item) => readerOf(item)(name, schema));
	const same = <T>(name: string, schema: Schema<T>, advice = differs): T => {
		const all = each(name, schema);
		// An operation can run without items.
		const value = all.length > 0 ? (all[0] as T) : readerOf(0)(name, schema);
		const item = all.findIndex((other) => other !== value && !isEqual(other, value));
		if (item === -1) return value;
		throw new InputFailure(
			`${parameter(name).field.displayName} differs between the input items: ${JSON.stringify(value)} for ${itemName(0)}, ${JSON.stringify(all[item])} for ${itemName(item)}`,
			advice,
		);
	};
	const reader: Reader = Object.assign(readerOf, { each, same, countryCodes: [] });
	return reader;
}

const differs = 'Use the same value for all items, or a separate node for each group of items.';

/** The value of a resource locator; other parameters are returned as they are. */
const chosenIn = ({ type }: INodeProperties, entered: unknown): unknown =>
	type === 'resourceLocator' && isPlainObject(entered) ? get(entered, 'value') : entered;

export const rawValue = (context: IExecuteFunctions, name: string): unknown =>
	context.getNodeParameter(name, 0, null, { rawExpressions: true });

/** Whether an AI model could choose the value: models write a tool's input and parameters. */
function isFromModel(context: IExecuteFunctions, name: string): boolean {
	const raw = rawValue(context, name);
	if (isConstant(raw)) return false;
	const mentionsModel = /\$(fromai|tool)\b/i.test(JSON.stringify(raw));
	return mentionsModel || (context.getNode().type.endsWith('Tool') && !isSameForAll(raw));
}

/** Throws InputFailure if an AI model could choose an option that restricts the model. */
export function rejectFromModel(context: IExecuteFunctions, name: string, label: string): void {
	if (!isFromModel(context, name)) return;
	throw new InputFailure(
		`The expression in ${label} lets an AI model choose its value`,
		`Enter a fixed value, or read it from a node outside the agent with $('Node name').all(), .first() or .last(). In a tool, the model sets $json, $input, $fromAI and $parameter.`,
	);
}

/** Reads the parameters of a trigger, which has no input items. */
export const triggerReader =
	(context: Pick<IPollFunctions, 'getNodeParameter'>, fields: INodeProperties[]): ReadValue =>
	(name, schema) => {
		const field = fieldAt(fields, name);
		return checkedValue(field, schema, context.getNodeParameter(name, field.default));
	};

/** Checks the value of a field, written as `raw`; throws InputFailure for the first invalid part. */
export function checkedValue<T>(
	field: INodeProperties,
	schema: Schema<T>,
	value: unknown,
	itemIndex?: number,
	raw?: unknown,
): T {
	const entered = chosenIn(field, value);
	const problem = expressionProblem(entered, raw ?? value);
	if (problem !== undefined) throw invalid(field, problem, itemIndex);
	const result = schema.safeParse(entered);
	if (result.success) return result.data;
	const [issue] = result.error.issues;
	const message = get(issue, 'params.isChoice') ? notAmong(field) : `${issue?.message}`;
	throw invalid(field, message, itemIndex, get(issue, 'params.advice'));
}

/** Lists the choices as the editor shows them, each with the value that an expression must return. */
const notAmong = ({ options = [] }: INodeProperties): string =>
	`is not one of ${options
		.map((one) =>
			'value' in one && one.value !== one.name ? `${one.name} (${one.value})` : one.name,
		)
		.join(', ')}`;

function invalid(
	{ displayName }: INodeProperties,
	problem: string,
	itemIndex: number | undefined,
	advice = `Correct the parameter "${displayName}"${itemIndex === undefined ? '' : ' or the input item that fills it'}.`,
) {
	return new InputFailure(withItem(`${displayName} ${problem}`, itemIndex), advice);
}

const withItem = (text: string, itemIndex: number | undefined): string =>
	itemIndex === undefined ? text : `${text} (${itemName(itemIndex)})`;

/** The field of a parameter, e.g. `options.timeout`; throws UnexpectedError for a bug in this package. */
export function fieldAt(fields: INodeProperties[], name: string): INodeProperties {
	const [first, ...rest] = name.split('.');
	const field = fields.find((one) => one.name === first);
	if (!field) throw new UnexpectedError(`There is no field ${name}`);
	if (rest.length === 0) return field;
	// The fields of a collection are `options`; those of a group in a fixed collection are `values`.
	const { options, values = options }: { options?: unknown; values?: unknown } = field;
	return fieldAt(values as INodeProperties[], rest.join('.'));
}

/**
 * The result of the work, or why its input cannot be used. A failed expression or a missing file counts as
 * an invalid value. `itemIndex` is undefined if the work reads no item.
 */
export async function inputFailureOr<T>(
	itemIndex: number | undefined,
	work: () => T | Promise<T>,
): Promise<T | Failure> {
	try {
		return await work();
	} catch (error) {
		return asInputFailure(error, itemIndex);
	}
}

function asInputFailure(thrown: unknown, itemIndex: number | undefined, label?: string): Failure {
	if (thrown instanceof Failure) return thrown;
	const { message, description } = thrown as Error & { description?: string | null };
	if (message.includes('could not be cloned') && /\bfunction\b|=>/.test(message)) {
		const problem = `${label ?? 'Expression'}: the expression returns a function`;
		const cure = 'Add () to its end, as in {{ $json.name.trim() }}.';
		return new InputFailure(withItem(problem, itemIndex), cure);
	}
	// n8n counts items from 0, and its messages repeat values, however long they are.
	const text = upperFirst(message.replace(` [item ${itemIndex}]`, '').slice(0, 500));
	const [, advice] = advices.find(([pattern]) => pattern.test(message)) ?? [];
	return new InputFailure(
		withItem(label ? `${label}: ${text}` : text, itemIndex),
		advice ?? description ?? 'Correct the expression or the input item.',
	);
}

/** What to do about some of n8n's messages. */
const advices: Array<[RegExp, string]> = [
	[/Luxon DateTime/, `${upperFirst(datePattern)}.`],
	[
		/^invalid syntax$/i,
		'Correct the expression. Every {{ needs its }}. A condition is written as {{ $json.a ? "yes" : "no" }}. A field name with a space is written as in {{ $json["First Name"] }}.',
	],
];
