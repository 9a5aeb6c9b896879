import type { IExecuteFunctions } from 'n8n-workflow';
import { parameterReader } from '../parameters/read';
import type { Failure } from '../api/failure';
import { defaultTimeout } from '../api/request';
import { flag, wholeNumber } from '../parameters/schemas';
import { inputFailureOr } from './inputFailure';
import type { Pacing } from './pacing';

/** The options that hold for all items of a run; read from the first. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
}

export const defaultSettings: Settings = {
	batchSize: 5,
	batchInterval: 0,
	timeout: defaultTimeout,
	resendUnknown: false,
};

/** Reads `options` as docs/contract.md, section 3 names them; a Failure if one of them is wrong. */
export async function readSettings(context: IExecuteFunctions): Promise<Settings | Failure> {
	const read = parameterReader(context)(0);
	const number = (name: string, label: string, least: number, preset: number) =>
		read(name, label, wholeNumber(least).optional().default(preset));
	const { batchSize, batchInterval, timeout } = defaultSettings;
	return await inputFailureOr(0, () => ({
		batchSize: number('options.batching.batch.batchSize', 'Requests at Once', 1, batchSize),
		batchInterval: number(
			'options.batching.batch.batchInterval',
			'Batch Interval (Ms)',
			0,
			batchInterval,
		),
		timeout: number('options.timeout', 'Timeout (Ms)', 1, timeout),
		resendUnknown: read('options.resendUnknown', 'Resend Unknown', flag),
	}));
}
