import type { IExecuteFunctions } from 'n8n-workflow';

/** What is to be claimed in a run. */
export interface ClaimPlan {
	context: IExecuteFunctions;
	/** Indices of the sends in the order in which they start. */
	order: number[];
	/** What makes a send the same. */
	idOf(index: number): string;
	/** Sends of the run, those that are known to be accepted included. */
	count: number;
	/** What is the same in all tries of the run. */
	prefix: string;
	/** How many sends may be noted as under way and not yet as accepted: what a crash leaves in doubt. */
	mostInDoubt: number;
	/** Whether the sends have keys, which hold beyond this execution. */
	isKeyed: boolean;
	/** Whether a send that another run of this process has under way is waited for. */
	waits: boolean;
	/**
	 * For an execution that is no retry: its own mark. If sends were claimed before, but not by it,
	 * another execution began in the same millisecond; `ownIdOf` tells the two apart.
	 */
	fresh?: { mark: string; ownIdOf(index: number): string };
	/** What stands in the ledger for the run as a whole. */
	ofRun: string[];
}
