import type { Read } from '../parameters/read';
import { flag, wholeNumber } from '../parameters/schemas';
import type { Pacing } from './flow';
import type { Operation } from '../operation';

/** The options that hold for all items of a run; read from the first. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
}

/** With fewer requests at once the notes in n8n's database would take longer than the requests. */
const mostInDoubt = 25;

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

/** Sends that a crash may leave in doubt (docs/contract.md, section 4.3); chunks go out one by one. */
export const inDoubtAt = ({ batchSize }: Settings, { kind }: Operation): number =>
	kind === 'joined' ? 1 : Math.max(mostInDoubt, 2 * batchSize);

const hasOption = ({ fields }: Operation, wanted: string): boolean =>
	fields.some(
		({ name, options }) => name === 'options' && options?.some((option) => option.name === wanted),
	);
