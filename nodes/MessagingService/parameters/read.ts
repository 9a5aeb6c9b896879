import { get, isEqual, isObject, isPlainObject, memoize, toPath, upperFirst } from 'lodash';
import {
	UnexpectedError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';
import { z } from 'zod';
import { binaryFile, type BinaryFile } from '../api/binaryFile';
import { Failure, InputFailure, itemName } from '../api/failure';
import type { Schema } from './schemas';

/**
 * The checked value of a parameter; its label and default are those of its field.
 *
 * @param name parameter name, dotted inside collections
 * @throws InputFailure that names the value's problem and the item
 */
export type ReadValue = <T>(name: string, schema: Schema<T>) => T;

/** Reads the parameters of one input item. */
export interface Read extends ReadValue {
	/** Whether the workflow has the parameter, whatever its expression gives; a default counts as none. */
	has(name: string): boolean;

	/** The file of the binary property that the parameter names; throws InputFailure. */
	file(name: string): Promise<BinaryFile>;

	/** The workflow's time zone. */
	timeZone: string;

	/** What numbers for chat and voice have to begin with; anything if there are none. */
	countryCodes: readonly string[];

	/** For what n8n knows besides parameters. */
	context: IExecuteFunctions;
}

/** Gives access to the parameters of the input items. */
export interface Reader {
	(itemIndex: number): Read;

	/** Reads the value of every item, in their order; throws InputFailure. */
	each<T>(name: string, schema: Schema<T>): T[];

	/** Reads what has to be the same for all items; throws InputFailure where they differ. */
	same: ReadValue;

	/** Those of the credential, once it is read. */
	countryCodes: readonly string[];
}

/** A parameter of the node. */
interface Parameter {
	field: INodeProperties;
	isThere: boolean;
	/** @throws InputFailure where an expression gives nothing that could be left out */
	valueOf(itemIndex: number): unknown;
	/** Whether it is the same for all items. */
	isConstant: boolean;
}

/**
 * Gives access to the parameters of each input item. One without an expression is read and checked
 * once for all items, and one that names a field is not evaluated at all.
 */
export function parameterReader(context: IExecuteFunctions, fields: INodeProperties[]): Reader {
	const items = context.getInputData();
	const timeZone = context.getTimezone();
	const parameter = memoize((name: string): Parameter => {
		const field = fieldAt(fields, name);
		// Null where neither the workflow nor the description has the parameter: n8n would throw.
		const evaluate = (itemIndex: number): unknown => {
			try {
				return context.getNodeParameter(name, itemIndex, null) ?? undefined;
			} catch (error) {
				throw asInputFailure(error, itemIndex);
			}
		};
		const raw: unknown = context.getNodeParameter(name, 0, null, { rawExpressions: true });
		const isThere = raw !== null && raw !== undefined;
		if (isConstant(raw)) {
			const value = evaluate(0);
			return { field, isThere, isConstant: true, valueOf: () => value };
		}
		const path = fieldPath(chosenIn(field, raw));
		// A filter without a value would give the records of everybody.
		const isFilter = name.startsWith('filters.') && field.type !== 'options';
		const isOptional = field.default === '' && !isFilter;
		const valueOf = (index: number) => {
			const value = (path && plainValue(items[index], path)) ?? evaluate(index);
			const chosen = chosenIn(field, value) ?? undefined;
			const isMissing = chosen === undefined || (isFilter && String(chosen).trim() === '');
			if (isOptional || !isMissing) return value;
			throw mistake(field, index, 'has an expression that gives nothing');
		};
		return { field, isThere, isConstant: false, valueOf };
	});
	const readerOf = (itemIndex: number): Read => {
		const read = <T>(name: string, schema: Schema<T>): T => {
			const { field, valueOf } = parameter(name);
			return checked(field, itemIndex, schema, valueOf(itemIndex));
		};
		return Object.assign(read, {
			has: (name: string) => parameter(name).isThere,
			file: async (name: string) => await binaryFile(context, itemIndex, read(name, z.unknown())),
			countryCodes: reader.countryCodes,
			timeZone,
			context,
		});
	};
	const each = <T>(name: string, schema: Schema<T>): T[] =>
		parameter(name).isConstant
			? new Array<T>(items.length).fill(readerOf(0)(name, schema))
			: items.map((_, item) => readerOf(item)(name, schema));
	const same = <T>(name: string, schema: Schema<T>): T => {
		const all = each(name, schema);
		// An operation may run without items.
		const value = all.length > 0 ? (all[0] as T) : readerOf(0)(name, schema);
		const item = all.findIndex((other) => other !== value && !isEqual(other, value));
		if (item === -1) return value;
		throw new InputFailure(
			`${parameter(name).field.displayName} differs between the input items: ${JSON.stringify(value)} for ${itemName(0)}, ${JSON.stringify(all[item])} for ${itemName(item)}`,
			'Give it the same value for all items, or use a node of its own for each group of items.',
		);
	};
	const reader: Reader = Object.assign(readerOf, { each, same, countryCodes: [] });
	return reader;
}

/** What was entered into a resource locator; any other parameter is that itself. */
const chosenIn = ({ type }: INodeProperties, entered: unknown): unknown =>
	type === 'resourceLocator' && isPlainObject(entered) ? get(entered, 'value') : entered;

/** Whether nothing in a parameter is an expression, which n8n marks with a leading equals sign. */
const isConstant = (raw: unknown): boolean =>
	isObject(raw) ? Object.values(raw).every(isConstant) : !String(raw).startsWith('=');

/** Checks a value, or the default of its field; throws InputFailure for the first thing that is wrong. */
export function checked<T>(
	field: INodeProperties,
	itemIndex: number,
	schema: Schema<T>,
	value: unknown,
): T {
	const result = schema.safeParse(chosenIn(field, value ?? field.default));
	if (result.success) return result.data;
	throw mistake(field, itemIndex, result.error.issues[0]?.message ?? 'is not valid');
}

const mistake = ({ displayName }: INodeProperties, itemIndex: number, problem: string) =>
	new InputFailure(
		`${displayName} ${problem} (${itemName(itemIndex)})`,
		`Correct the parameter "${displayName}" or the input item it comes from.`,
	);

/**
 * The field of a parameter.
 *
 * @param name parameter name, dotted inside collections, e.g. `options.batching.batch.batchSize`
 * @throws UnexpectedError if there is none: a mistake in this package
 */
export function fieldAt(fields: INodeProperties[], name: string): INodeProperties {
	const [first, ...rest] = name.split('.');
	const field = fields.find((one) => one.name === first);
	if (!field) throw new UnexpectedError(`There is no field ${name}`);
	if (rest.length === 0) return field;
	// A collection has its fields as options, and a group of a fixed one as values.
	const { options, values = options }: { options?: unknown; values?: unknown } = field;
	return fieldAt(values as INodeProperties[], rest.join('.'));
}

// `={{ $json.order.phone }}` or `={{ $json["Phone number"] }}`: what dragging a field gives.
const fieldExpression = /^=\{\{\s*(\$json(?:\.[A-Za-z_]\w*|\["[^"\\]+"\]|\['[^'\\]+'\])+)\s*\}\}$/;

/**
 * The keys of an expression that only names a field of the input item, so that its value can be
 * taken from there: evaluating it costs n8n as much as half a request.
 */
export function fieldPath(raw: unknown): string[] | undefined {
	const [, path] = fieldExpression.exec(String(raw)) ?? [];
	return path === undefined ? undefined : toPath(path).slice(1);
}

/** The value at a path if it is text, a number or a boolean; for all else n8n knows better. */
export function plainValue(item: INodeExecutionData | undefined, path: string[]): unknown {
	const value: unknown = get(item?.json, path);
	return ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;
}

/**
 * What the work gives, or why its input cannot be used: a failed expression or a missing file is a
 * matter of the input as much as a wrong value. No `itemIndex` where it reads no item.
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

function asInputFailure(thrown: unknown, itemIndex: number | undefined): Failure {
	if (thrown instanceof Failure) return thrown;
	const { message, description } = thrown as Error & { description?: string | null };
	// n8n counts items from 0, and its messages repeat values, however long they are.
	const text = upperFirst(message.replace(` [item ${itemIndex}]`, '').slice(0, 500));
	return new InputFailure(
		itemIndex === undefined ? text : `${text} (${itemName(itemIndex)})`,
		description ?? 'Correct the expression or the input item.',
	);
}
