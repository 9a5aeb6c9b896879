import type { IExecuteFunctions } from 'n8n-workflow';
import { binaryFile, type BinaryFile } from '../api/binaryFile';
import { InputFailure } from '../api/failure';
import { flag, wholeNumber, type Schema } from '../api/schemas';

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

/** Gives access to the parameters of an input item. */
export function readItem(context: IExecuteFunctions, itemIndex: number): Read {
	// Null where neither the workflow nor the description has the parameter: n8n would throw.
	const value = (name: string): unknown =>
		context.getNodeParameter(name, itemIndex, null) ?? undefined;
	const read = <T>(name: string, label: string, schema: Schema<T>): T =>
		checked(label, itemIndex, schema, value(name));
	return Object.assign(read, {
		file: async (name: string) => await binaryFile(context, itemIndex, value(name)),
		timeZone: context.getTimezone(),
		resumeUrl: (query: Record<string, string>) => context.getSignedResumeUrl(query),
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
