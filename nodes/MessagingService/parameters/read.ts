import type { IExecuteFunctions } from 'n8n-workflow';
import { binaryFile, type BinaryFile } from '../api/binaryFile';
import { InputFailure } from '../api/failure';
import { flag, wholeNumber, type Schema } from './schemas';
import { fieldPath, plainValue } from './dataPath';

/**
 * The checked value of a parameter.
 *
 * @param name parameter name, dotted inside collections
 * @param label what the user calls it, for the message
 * @throws InputFailure that names the value's problem and the item
 */
export type ReadValue = <T>(name: string, label: string, schema: Schema<T>) => T;

/** Reads the parameters of one input item. */
export interface Read extends ReadValue {
	/** The file of the binary property that the parameter names; throws InputFailure. */
	file(name: string): Promise<BinaryFile>;

	/** The workflow's time zone. */
	timeZone: string;

	/**
	 * Address that continues this execution once it waits; n8n signs it with its query.
	 *
	 * @throws UnexpectedError if the execution has no id
	 */
	resumeUrl(query: Record<string, string>): string;
}

/** A parameter of the node. */
interface Parameter {
	valueOf(itemIndex: number): unknown;
	/** What a value that is the same for all items has become, by the schema that it has passed. */
	passed?: WeakMap<Schema<unknown>, unknown>;
}

/**
 * Gives access to the parameters of each input item. What can be done once for all items is: a
 * parameter without an expression is read and checked once, and one that names a field is not
 * evaluated at all.
 */
export function parameterReader(context: IExecuteFunctions): (itemIndex: number) => Read {
	const items = context.getInputData();
	const timeZone = context.getTimezone();
	const resumeUrl = (query: Record<string, string>) => context.getSignedResumeUrl(query);
	const parameters = new Map<string, Parameter>();
	const make = (name: string): Parameter => {
		// Null where neither the workflow nor the description has the parameter: n8n would throw.
		const evaluate = (itemIndex: number): unknown =>
			context.getNodeParameter(name, itemIndex, null) ?? undefined;
		const raw: unknown = context.getNodeParameter(name, 0, null, { rawExpressions: true });
		if (isConstant(raw)) {
			const value = evaluate(0);
			return { valueOf: () => value, passed: new WeakMap() };
		}
		const path = fieldPath(raw);
		return {
			valueOf: path ? (index) => plainValue(items[index], path) ?? evaluate(index) : evaluate,
		};
	};
	const parameter = (name: string): Parameter => {
		const known = parameters.get(name) ?? make(name);
		parameters.set(name, known);
		return known;
	};
	return (itemIndex) => {
		const read = <T>(name: string, label: string, schema: Schema<T>): T => {
			const { valueOf, passed } = parameter(name);
			if (passed?.has(schema)) return passed.get(schema) as T;
			const value = checked(label, itemIndex, schema, valueOf(itemIndex));
			passed?.set(schema, value);
			return value;
		};
		const file = async (name: string) =>
			await binaryFile(context, itemIndex, parameter(name).valueOf(itemIndex));
		return Object.assign(read, { file, timeZone, resumeUrl });
	};
}

/** Whether nothing in a parameter is an expression, which n8n marks with a leading equals sign. */
function isConstant(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return true;
	return Object.values(raw).every(isConstant);
}

const atLeastOne = wholeNumber(1);

/** How many records to read: Infinity for `returnAll`. */
export const readLimit = (read: Read): number =>
	read('returnAll', 'Return All', flag) ? Infinity : read('limit', 'Limit', atLeastOne);

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
