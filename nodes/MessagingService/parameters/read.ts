import {
	get,
	isEqual,
	isFunction,
	isNil,
	isObject,
	isPlainObject,
	isString,
	memoize,
	upperFirst,
} from 'lodash';
import {
	UnexpectedError,
	type IExecuteFunctions,
	type INodeProperties,
	type IPollFunctions,
} from 'n8n-workflow';
import { binaryDataOf, binaryFile, type BinaryFile } from '../api/binaryFile';
import { Failure, InputFailure, itemName } from '../api/failure';
import {
	expressionIn,
	fieldPaths,
	isConstant,
	isSameForAll,
	longerTexts,
	plainExpressionIn,
	plainValue,
	type Piece,
} from './expressions';
import { wholeColumn } from './fields';
import { fieldsOf, listed, shown, textProblem } from './shown';
import { guardNames } from './options';
import { anything, type Advice, type Schema } from './schemas';

/** Returns the checked value of a parameter, e.g. `options.timeout`; throws InputFailure. */
export type ReadValue = <T>(name: string, schema: Schema<T>) => T;

/** Reads the parameters of one input item, or those that all items share. */
export interface ReadShared extends ReadValue {
	/** Whether the workflow contains the parameter; a default value does not count. */
	has(name: string): boolean;

	/** The workflow's time zone. */
	timeZone: string;

	/** Gives access to n8n. */
	context: IExecuteFunctions;

	/** The account that the credential belongs to. */
	account: Account;
}

/** Facts of the credential that checks depend on; the preset values count until it has been read. */
export interface Account {
	/** Country codes that numbers must start with; empty if all are allowed. */
	countryCodes: readonly string[];
	/** Whether the service is on n8n's own machine or in a private network, as a sandbox is. */
	isPrivate: boolean;
}

/** Reads the parameters of one input item. */
export interface Read extends ReadShared {
	/** The file of the binary property that the parameter names; throws InputFailure. */
	file(name: string): Promise<BinaryFile>;
}

/** Gives access to the parameters of the input items. */
export interface Reader {
	(itemIndex: number): Read;

	/** Reads the value of every item, in item order; throws InputFailure. */
	each<T>(name: string, schema: Schema<T>): T[];

	/** Reads values that must be the same for all items; throws InputFailure if one differs. */
	same: ReadShared;
}

/** Reads the parameters of each input item. A value that is the same for all items is checked once. */
export function parameterReader(
	context: IExecuteFunctions,
	fields: INodeProperties[],
	account: Account,
): Reader {
	const items = context.getInputData();
	const timeZone = context.getTimezone();
	const rawOf = memoize((name: string) => rawValue(context, name));
	const has = (name: string) => rawOf(name) !== absent;
	const parameter = memoize((name: string) =>
		parameterOf(context, fieldAt(fields, name), name, rawOf(name)),
	);
	/** The last checked value of each parameter that is the same for all items. */
	const checked = new Map<string, { schema: Schema<unknown>; value: unknown }>();
	const readerOf = (itemIndex: number): Read => {
		const read = <T>(name: string, schema: Schema<T>): T => {
			const last = checked.get(name);
			if (last?.schema === schema) return last.value as T;
			const { field, isOnce, expression, valueOf } = parameter(name);
			const given = valueOf(itemIndex) ?? field.default;
			const value = checkedValue(field, schema, given, itemIndex, expression);
			if (isOnce) checked.set(name, { schema, value });
			return value;
		};
		const file = async (name: string) => await fileOf(context, itemIndex, read(name, anything));
		return Object.assign(read, { has, file, timeZone, context, account });
	};
	const each = <T>(name: string, schema: Schema<T>): T[] =>
		parameter(name).isOnce
			? new Array<T>(items.length).fill(readerOf(0)(name, schema))
			: items.map((_, item) => readerOf(item)(name, schema));
	const readSame = <T>(name: string, schema: Schema<T>): T => {
		const all = each(name, schema);
		// An operation can run without items.
		const value = all.length > 0 ? (all[0] as T) : readerOf(0)(name, schema);
		const item = all.findIndex((other) => other !== value && !isEqual(other, value));
		if (item === -1) return value;
		throw new InputFailure(
			`${parameter(name).field.displayName} differs between the input items: ${JSON.stringify(value)} for ${itemName(0)}, ${JSON.stringify(all[item])} for ${itemName(item)}`,
			`Use the same value for all items, or a separate node for each group of items. ${columnAdvice}`,
		);
	};
	const same = Object.assign(readSame, { has, timeZone, context, account });
	return Object.assign(readerOf, { each, same });
}

/** A parameter as it is written in the node. */
interface Parameter {
	field: INodeProperties;
	/** Whether it has one value for all items. */
	isOnce: boolean;
	/** What fills it, without braces; an example for texts that contain expressions. Absent for a fixed value. */
	expression?: string;
	/** Its value for an item, not yet checked by a schema; throws InputFailure for what n8n leaves in a value. */
	valueOf(itemIndex: number): unknown;
}

function parameterOf(
	context: IExecuteFunctions,
	field: INodeProperties,
	name: string,
	raw: unknown,
): Parameter {
	const items = context.getInputData();
	const textIn = textReader(context, field, raw);
	const path = fieldPaths(chosenIn(field, raw));
	const isFixed = isConstant(raw);
	const isFilter = name.startsWith('filters.');
	const isText = ['string', 'dateTime', 'resourceLocator'].includes(field.type);
	if (guardNames.has(name)) rejectFromModel(context, field, raw);
	const evaluate = (itemIndex: number): unknown =>
		// With null as the default, n8n does not throw if the workflow does not contain the parameter.
		context.getNodeParameter(name, itemIndex, null) ?? undefined;
	const valueOf = (itemIndex: number): unknown => {
		const item = items[itemIndex];
		try {
			const value = textIn(itemIndex) ?? (path && plainValue(item, path)) ?? evaluate(itemIndex);
			if (isFixed || !isNothing(chosenIn(field, value), isFilter)) return value;
			// As everywhere in n8n (docs/contract.md, section 4.1).
			if (isText && !field.required && !isFilter) return '';
			throw invalid(field, `${nothing}. ${fieldsOf(item)}`, itemIndex);
		} catch (error) {
			throw asInputFailure(error, itemIndex, field.displayName);
		}
	};
	const isOnce = isFixed || isSameForAll(raw);
	const expression = isFixed ? undefined : (expressionIn(raw) ?? '$json.phone');
	// If an expression returns a long list, n8n takes longer to evaluate it than to send a message.
	return { field, isOnce, expression, valueOf: isOnce ? memoize(valueOf, () => 0) : valueOf };
}

/**
 * Checks the texts of a parameter for the marks that n8n leaves (docs/contract.md, section 4.1), and returns a longer
 * text whose expressions return plain values, so that n8n need not evaluate them again. Throws InputFailure.
 */
function textReader(context: IExecuteFunctions, field: INodeProperties, raw: unknown) {
	const plainExpression = plainExpressionIn(raw);
	const texts = longerTexts(raw);
	const isManual = context.getMode() === 'manual';
	// n8n removes some backslashes.
	const isWhole = isString(raw) && texts.length === 1 && !raw.includes('\\');
	return (itemIndex: number): string | undefined => {
		const item = context.getInputData()[itemIndex];
		if (plainExpression !== undefined)
			throw invalid(
				field,
				`contains ${plainExpression}}} as plain text. Switch the field to Expression`,
				itemIndex,
			);
		const valueOf = (piece: Piece): unknown => {
			if ('text' in piece) return piece.text;
			const { expression, path } = piece;
			const value =
				(path && plainValue(item, path)) ?? context.evaluateExpression(expression, itemIndex);
			// n8n would leave a gap, as in "Dear ,". In production, a missing value is an empty text.
			if (value === undefined && isManual)
				throw invalid(
					field,
					`contains ${expression}, which returns nothing. ${fieldsOf(item)}`,
					itemIndex,
					'Correct the expression. If there may be no value, write what to send instead, e.g. {{ $json.name ?? "customer" }}, ?? 0 for a count, or ?? "" to leave it out.',
				);
			// n8n would write "[object Object]", or a list without spaces.
			const problem = isObject(value) ? textProblem(value) : undefined;
			if (problem !== undefined)
				throw invalid(field, `contains ${expression}, which ${problem}`, itemIndex);
			return value;
		};
		const values = texts.map((pieces) => pieces.map(valueOf));
		const [whole = []] = values;
		return isWhole && !whole.some(isObject) ? whole.map(written).join('') : undefined;
	};
}

/** A value as n8n writes it into a longer text. */
const written = (value: unknown): string => (Number.isNaN(value) ? '' : String(value ?? ''));

/** The file of an input item; `property` is the name of its binary field, or the binary data itself. */
async function fileOf(
	context: IExecuteFunctions,
	itemIndex: number,
	property: unknown,
): Promise<BinaryFile> {
	if (typeof property !== 'string' || binaryDataOf(context, itemIndex, property))
		return await binaryFile(context, itemIndex, property);
	const names = Object.keys(context.getInputData()[itemIndex]?.binary ?? {});
	const others = names.length > 0 ? `; it has ${listed(names)}` : '';
	throw new InputFailure(
		`The item has no binary field ${shown(property)}${others} (${itemName(itemIndex)})`,
		"Enter the name of the file's field as the input panel shows it under Binary, e.g. data. Case matters. If another node has the file, join both with Merge (Combine, All Possible Combinations): the rows of a campaign come out without files.",
	);
}

const columnAdvice = `For a whole column, as in Excluded Recipients, use ${wholeColumn}.`;

/** The value of a resource locator; other parameters are returned as they are. */
const chosenIn = ({ type }: INodeProperties, entered: unknown): unknown =>
	type === 'resourceLocator' && isPlainObject(entered) ? get(entered, 'value') : entered;

/** Stands for a parameter that the workflow does not contain; one that is null limits as well. */
const absent = Symbol('absent');

const rawValue = (context: IExecuteFunctions, name: string): unknown =>
	context.getNodeParameter(name, 0, absent, { rawExpressions: true });

/** Throws InputFailure if an AI model could choose an option that restricts the model. */
function rejectFromModel(context: IExecuteFunctions, field: INodeProperties, raw: unknown): void {
	// Models write a tool's input and parameters.
	const isFromModel =
		/\$(fromai|tool)\b/i.test(JSON.stringify(raw)) ||
		(context.getNode().type.endsWith('Tool') && !isSameForAll(raw));
	if (isConstant(raw) || !isFromModel) return;
	throw new InputFailure(
		`The expression in ${field.displayName} lets an AI model choose its value`,
		`Enter a fixed value, or read it from a node outside the agent with $('Node name').all(), .first() or .last(). In a tool, the model sets $json, $input, $fromAI and $parameter.`,
	);
}

const nothing = 'is empty: its expression returns nothing';

/** Whether an expression returned nothing: for a filter, a blank text or an empty list as well. */
const isNothing = (value: unknown, isFilter: boolean): boolean =>
	isNil(value) || (isFilter && String(value).trim() === '');

/**
 * Reads the parameters of a trigger, which has no input items. They only select what starts the workflow, so an
 * expression must return a value for each. Throws InputFailure.
 */
export const triggerReader =
	(context: Pick<IPollFunctions, 'getNodeParameter'>, fields: INodeProperties[]): ReadValue =>
	(name, schema) => {
		const field = fieldAt(fields, name);
		const value = context.getNodeParameter(name, field.default);
		const raw = context.getNodeParameter(name, field.default, { rawExpressions: true });
		if (!isConstant(raw) && isNothing(value, true)) throw invalid(field, nothing, undefined);
		return checkedValue(field, schema, value);
	};

/** Checks the value of a field; throws InputFailure for the first invalid part. */
export function checkedValue<T>(
	field: INodeProperties,
	schema: Schema<T>,
	value: unknown,
	itemIndex?: number,
	expression?: string,
): T {
	const result = schema.safeParse(chosenIn(field, value));
	if (result.success) return result.data;
	const [issue] = result.error.issues;
	const message = get(issue, 'params.isChoice') ? notAmong(field) : `${issue?.message}`;
	const advice = get(issue, 'params.advice') as Advice | undefined;
	const ownAdvice = isFunction(advice) ? expression && advice(expression) : advice;
	throw invalid(field, message, itemIndex, ownAdvice || undefined, get(issue, 'params.what'));
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
	advice = `Correct the parameter '${displayName}'${itemIndex === undefined ? '' : ' or the input item that fills it'}.`,
	what = displayName,
) {
	return new InputFailure(withItem(`${what} ${problem}`, itemIndex), advice);
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
	// n8n counts items from 0, and its messages repeat values, however long they are.
	const text = upperFirst(message.replace(` [item ${itemIndex}]`, '').slice(0, 500));
	const isUnpaired = /^paired_item/.test(String(get(thrown, 'context.type')));
	const advice = isUnpaired
		? `n8n cannot determine which item of that node belongs to this one. ${columnAdvice}`
		: (description ?? 'Correct the expression or the input item.');
	return new InputFailure(withItem(label ? `${label}: ${text}` : text, itemIndex), advice);
}
