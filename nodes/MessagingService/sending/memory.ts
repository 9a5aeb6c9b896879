import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';

/** What is known of a request that an earlier try of this execution made. */
type Remembered =
	| { input: string; response: IDataObject }
	| {
			input: string;
			unknown: {
				message: string;
				description: string;
				statusCode: number | null;
				facts: IDataObject;
			};
	  };

const contextKey = 'sends';

/**
 * Remembers which sends of this run were accepted or may have been, so that a retry of the node in
 * the same execution does not send them twice (docs/contract.md, section 5, rules 3 and 4). A send
 * is known by its input items; what its expressions evaluate to does not matter.
 *
 * It lives in the node's context, which n8n keeps across "Retry On Fail" and saves with a failed
 * execution. Another run of the node in the same execution (a loop) has a memory of its own.
 */
export class Memory {
	private readonly runs: Record<string, Record<string, Remembered>>;

	private readonly run: Record<string, Remembered>;

	private readonly inputs = new Map<number, string>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly runIndex: number,
	) {
		const stored = context.getContext('node');
		stored[contextKey] ??= {};
		this.runs = stored[contextKey] as Record<string, Record<string, Remembered>>;
		this.run = this.runs[runIndex] ??= {};
	}

	/** The response to an accepted send of the same input. */
	accepted(index: number, items: number[]): IDataObject | undefined {
		const remembered = this.recall(index, items);
		return remembered && 'response' in remembered ? remembered.response : undefined;
	}

	/** The failure of a send of the same input whose outcome stayed unknown. */
	unknown(index: number, items: number[]): Failure | undefined {
		const remembered = this.recall(index, items);
		if (!remembered || !('unknown' in remembered)) return undefined;
		const { message, ...options } = remembered.unknown;
		return new Failure(message, { outcome: 'unknown', ...options });
	}

	rememberAccepted(index: number, items: number[], response: IDataObject): void {
		this.run[index] = { input: this.inputOf(index, items), response };
	}

	rememberUnknown(index: number, items: number[], failure: Failure): void {
		const { message, description, statusCode, facts } = failure;
		this.run[index] = {
			input: this.inputOf(index, items),
			unknown: { message, description, statusCode, facts },
		};
	}

	/** Forgets this run: everything went out and nothing is left to retry. */
	clear(): void {
		delete this.runs[this.runIndex];
	}

	private recall(index: number, items: number[]): Remembered | undefined {
		const remembered = this.run[index];
		return remembered?.input === this.inputOf(index, items) ? remembered : undefined;
	}

	/** A short fingerprint of the input items of a send. */
	private inputOf(index: number, items: number[]): string {
		const known = this.inputs.get(index);
		if (known !== undefined) return known;
		const input = this.context.getInputData();
		const hash = createHash('sha256');
		for (const item of items) hash.update(JSON.stringify([input[item]?.json, input[item]?.binary]));
		const fingerprint = hash.digest('base64url').slice(0, 16);
		this.inputs.set(index, fingerprint);
		return fingerprint;
	}
}
