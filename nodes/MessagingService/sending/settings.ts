import type { IExecuteFunctions } from 'n8n-workflow';
import { readItem } from '../actions/read';
import { defaultTimeout } from '../api/request';
import { flag, wholeNumber } from '../api/schemas';
import type { Pacing } from './pacing';

/** The options that hold for all items of a run; read from the first. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
}

/** Reads `options` as the contract names them; throws InputFailure. */
export function readSettings(context: IExecuteFunctions): Settings {
	const read = readItem(context, 0);
	const batch = 'options.batching.batch';
	return {
		batchSize: read(`${batch}.batchSize`, 'Requests at Once', wholeNumber(1).optional().default(5)),
		batchInterval: read(
			`${batch}.batchInterval`,
			'Batch Interval (Ms)',
			wholeNumber(0).optional().default(0),
		),
		timeout: read(
			'options.timeout',
			'Timeout (Ms)',
			wholeNumber(1).optional().default(defaultTimeout),
		),
		resendUnknown: read('options.resendUnknown', 'Resend Unknown', flag),
	};
}
