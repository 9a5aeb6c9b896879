import type { IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';

/** Milliseconds that n8n has to end in good order, at most. */
const longestMargin = 2_000;

/** The time that the settings of the workflow leave to a run. */
export interface TimeLimit {
	/** Milliseconds that a request may take now, at most. */
	left(): number;
	/** Whether a request cannot end in time that starts in so many milliseconds. */
	isOver(timeout: number, ahead?: number): boolean;
}

/**
 * The time limit of the workflow's settings (docs/contract.md, section 4.3): where n8n itself cuts an
 * execution, Retry sends nothing. n8n's own default limit is not visible to a node.
 */
export function timeLimitOf(context: IExecuteFunctions): TimeLimit {
	const limit = 1_000 * (context.getWorkflowSettings().executionTimeout ?? -1);
	if (limit <= 0) return { left: () => Infinity, isOver: () => false };
	const now = Date.now();
	const { establishedAt = now, source } = context.getExecutionContext() ?? {};
	const mode = context.getMode();
	// The clock of a retry, a sub-workflow and an execution that has waited starts anew; when is not visible.
	const isAnew =
		mode === 'retry' ||
		mode === 'integrated' ||
		source === 'integrated' ||
		now >= establishedAt + limit;
	const end = (isAnew ? now : establishedAt) + limit - Math.min(longestMargin, limit / 5);
	const left = () => end - Date.now();
	// A timeout that is longer than half the limit would leave no time to send anything.
	return { left, isOver: (timeout, ahead = 0) => left() - ahead < Math.min(timeout, limit / 2) };
}

/** Why what is left is not sent. */
export const outOfTime = (): Failure =>
	new Failure('The time limit of the workflow leaves no time to send this', {
		outcome: 'notSent',
		description:
			'Raise the limit in the settings of the workflow (Timeout Workflow), or send less in one execution. Where the node continues on fail, send these items again.',
	});
