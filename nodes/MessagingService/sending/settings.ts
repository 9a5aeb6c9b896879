import type { Read } from '../parameters/read';
import { flag, wholeNumber } from '../parameters/schemas';
import type { Pacing } from './pacing';
import type { Operation } from './operation';

/** The options that hold for all items of a run; read from the first. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
}

const atLeastZero = wholeNumber(0);
const atLeastOne = wholeNumber(1);

/** Reads `options` as far as the operation has them; throws InputFailure. */
export function readSettings(operation: Operation, read: Read): Settings {
	// What a joined operation makes of all items goes out one request after the other.
	const isJoined = operation.kind === 'joined';
	return {
		batchSize: isJoined ? 1 : read('options.batching.batch.batchSize', atLeastOne),
		batchInterval: isJoined ? 0 : read('options.batching.batch.batchInterval', atLeastZero),
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
	};
}
