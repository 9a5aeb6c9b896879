import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import type { Mask } from './masking';

/**
 * What became of a request that failed:
 * - `rejected`: the service answered with an error and did not act;
 * - `unknown`: it may have reached the service, nobody can tell;
 * - `notSent`: no request left.
 */
export type Outcome = 'rejected' | 'unknown' | 'notSent';

const mayBeSent = 'It may have been sent and must not be repeated before a check';

/** A failed request in the words the user reads; carries no header, no key and no request. */
export class Failure extends Error {
	readonly outcome: Outcome;

	/** HTTP status of the answer, or null when there was none. */
	readonly statusCode: number | null;

	/** What to do next. */
	readonly description: string;

	/** Further facts for `details` of a failed item, such as the `screenshot` of a failed send. */
	readonly facts: IDataObject;

	/** Files that belong to the failed item. */
	readonly binary: IBinaryKeyData | undefined;

	/** Whether the connection was never made, so that trying again cannot send twice. */
	readonly neverConnected: boolean;

	constructor(
		message: string,
		options: {
			outcome: Outcome;
			description: string;
			statusCode?: number | null;
			facts?: IDataObject;
			binary?: IBinaryKeyData;
			neverConnected?: boolean;
		},
	) {
		super(message);
		this.outcome = options.outcome;
		this.statusCode = options.statusCode ?? null;
		this.description = options.description;
		this.facts = options.facts ?? {};
		this.binary = options.binary;
		this.neverConnected = options.neverConnected ?? false;
	}

	/** The failure of a send, whose message itself asks for care: an AI agent hears nothing else. */
	ofSend(): Failure {
		if (this.outcome !== 'unknown') return this;
		const message = `${this.message.replace(/\.$/, '')}. ${mayBeSent}`;
		return new Failure(message, { ...this });
	}

	/** The same failure without the key in its texts. */
	masked(mask: Mask): Failure {
		const { message, description, facts } = mask({
			message: this.message,
			description: this.description,
			facts: this.facts,
		});
		return new Failure(message, { ...this, description, facts });
	}
}

/** How texts name an input item: counted from 1, as people count. */
export const itemName = (itemIndex: number): string => `item ${itemIndex + 1}`;

/** The value of a promise or the `Failure` that it ended in; any other error goes on. */
export async function failureOr<T>(work: Promise<T>): Promise<T | Failure> {
	return await work.catch((error: unknown) => {
		if (error instanceof Failure) return error;
		throw error;
	});
}

/** A value that cannot be sent as it is; found before any request. */
export class InputFailure extends Failure {
	constructor(message: string, description: string, facts?: IDataObject) {
		super(message, { outcome: 'notSent', description, facts });
	}
}
