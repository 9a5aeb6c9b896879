import type { IExecuteFunctions } from 'n8n-workflow';
import { binaryFile, type BinaryFile } from '../api/binaryFile';
import { InputFailure } from '../api/failure';
import { flag, wholeNumber, type Schema } from '../api/schemas';
import { fieldPath, plainValue } from './dataPath';

/** Reads the parameters of one input item. */
export interface Read {
	/**
	 * The checked value of a parameter.
	 *
	 * @param name parameter name, dotted inside collections
	 * @param label what the user calls it, for the message
	 * @throws InputFailure that names the value's problem and the item
	 */
	<T>(name: string, label: string, schema: Schema<T>): T;

	/** The file of the binary property that the parameter names; throws InputFailure. */
	file(name: string): Promise<BinaryFile>;

	/** The workflow's time zone. */
	timeZone: string;
}

/**
 * Gives access to the parameters of each input item. n8n evaluates only what has to be: a parameter
 * without an expression once for all items, and one that names a field not at all.
 */
export function parameterReader(context: IExecuteFunctions): (itemIndex: number) => Read {
	const items = context.getInputData();
	const getters = new Map<string, (itemIndex: number) => unknown>();
	const getter = (name: string): ((itemIndex: number) => unknown) => {
		// Null where neither the workflow nor the description has the parameter: n8n would throw.
		const evaluate = (itemIndex: number): unknown =>
			context.getNodeParameter(name, itemIndex, null) ?? undefined;
		const raw: unknown = context.getNodeParameter(name, 0, null, { rawExpressions: true });
		if (isConstant(raw)) {
			const value = evaluate(0);
			return () => value;
		}
		const path = fieldPath(raw);
		return path ? (index) => plainValue(items[index], path) ?? evaluate(index) : evaluate;
	};
	const valueOf = (name: string, itemIndex: number): unknown => {
		const get = getters.get(name) ?? getter(name);
		getters.set(name, get);
		return get(itemIndex);
	};
	return (itemIndex) => readItem(context, itemIndex, (name) => valueOf(name, itemIndex));
}

/** Whether nothing in a parameter is an expression, which n8n marks with a leading equals sign. */
function isConstant(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return true;
	return Object.values(raw).every(isConstant);
}

function readItem(
	context: IExecuteFunctions,
	itemIndex: number,
	value: (name: string) => unknown,
): Read {
	const read = <T>(name: string, label: string, schema: Schema<T>): T =>
		checked(label, itemIndex, schema, value(name));
	return Object.assign(read, {
		file: async (name: string) => await binaryFile(context, itemIndex, value(name)),
		timeZone: context.getTimezone(),
	});
}

/** How many records to read: Infinity for `returnAll`. */
export const readLimit = (read: Read): number =>
	read('returnAll', 'Return All', flag) ? Infinity : read('limit', 'Limit', wholeNumber(1));

/**
 * Checks a value and words the first thing that is wrong with it.
 *
 * @throws InputFailure
 */
export function checked<T>(label: string, itemIndex: number, schema: Schema<T>, value: unknown): T {
	const result = schema.safeParse(value);
	if (result.success) return result.data;
	const problem = result.error.issues[0]?.message ?? 'is not valid';
	throw new InputFailure(
		`${label} ${problem} [item ${itemIndex}]`,
		`Correct the parameter "${label}" or the input item it comes from. Nothing was sent for this item.`,
	);
}
