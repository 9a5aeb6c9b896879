import { Failure, InputFailure, itemName } from '../api/failure';

/** Characters of a message that is not the package's own. */
const longestMessage = 500;

/**
 * What the work gives, or why its input cannot be used: a failed expression or a missing file is a
 * matter of the input as much as a wrong value.
 *
 * @param itemIndex the input item that is read; undefined where it is none
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

/** A failed expression or a missing file as a matter of the input. */
export function asInputFailure(error: unknown, itemIndex: number | undefined): Failure {
	if (error instanceof Failure) return error;
	const { message, description } = error as { message?: string; description?: string | null };
	// n8n counts items from 0, and its messages repeat values, however long they are.
	const text = (message ?? String(error)).replace(` [item ${itemIndex}]`, '');
	return new InputFailure(
		text.slice(0, longestMessage) + (itemIndex === undefined ? '' : ` (${itemName(itemIndex)})`),
		description ?? 'Correct the expression or the input item.',
	);
}
