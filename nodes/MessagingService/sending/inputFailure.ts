import { Failure, InputFailure } from '../api/failure';

/**
 * What the work gives, or why its input cannot be used: a failed expression or a missing file is a
 * matter of the input as much as a wrong value.
 *
 * @param itemIndex the input item that is read
 */
export async function inputFailureOr<T>(
	itemIndex: number,
	work: () => T | Promise<T>,
): Promise<T | Failure> {
	try {
		return await work();
	} catch (error) {
		return error instanceof Failure ? error : asInputFailure(error, itemIndex);
	}
}

function asInputFailure(error: unknown, itemIndex: number): InputFailure {
	const { message, description } = error as { message?: string; description?: string | null };
	const place = ` [item ${itemIndex}]`;
	return new InputFailure(
		`${(message ?? String(error)).replace(place, '')}${place}`,
		description ?? 'Correct the expression or the input item. Nothing was sent for this item.',
	);
}
