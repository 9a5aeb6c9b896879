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
	// Without the option requests go out one after the other, or there is only one.
	const isPaced = hasOption(operation, 'batching');
	return {
		batchSize: isPaced ? read('options.batching.batch.batchSize', atLeastOne) : 1,
		batchInterval: isPaced ? read('options.batching.batch.batchInterval', atLeastZero) : 0,
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
	};
}

const hasOption = ({ fields }: Operation, wanted: string): boolean =>
	fields.some(
		({ name, options }) => name === 'options' && options?.some((option) => option.name === wanted),
	);
