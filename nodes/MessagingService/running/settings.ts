import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Operation } from '../operation';
import { refuseFromModel, type Reader } from '../parameters/read';
import { flag, oneOf, wholeNumber } from '../parameters/schemas';

/** The options that hold for all items of a run. */
export interface Settings {
	/** Requests in flight at once. */
	batchSize: number;
	/** Milliseconds between batches; with 0 the next request starts as soon as one ends. */
	batchInterval: number;
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
	/** Sends of the node in one execution. */
	maxSends: number;
	/** The price by which the balance is checked first; none without the check. */
	price?: 'amount' | 'marketing' | 'utility';
}

const atLeastZero = wholeNumber(0);
const atLeastOne = wholeNumber(1);

/** Reads `options` as far as the operation has them; throws InputFailure, also where items differ. */
export function readSettings(operation: Operation, reader: Reader): Settings {
	const { same: read } = reader;
	const { has, context } = reader(0);
	const isLimited = operation.billable === true && has('options.maxSends');
	if (isLimited) refuseFromModel(context, 'options.maxSends', 'Max Sends');

	// Without the option requests go out one after the other, or there is only one.
	const isPaced = optionOf(operation, 'batching') !== undefined;
	return {
		batchSize: isPaced ? read('options.batching.batch.batchSize', atLeastOne) : 1,
		batchInterval: isPaced ? read('options.batching.batch.batchInterval', atLeastZero) : 0,
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
		maxSends: isLimited ? read('options.maxSends', atLeastOne) : Infinity,
		price: readPrice(operation, reader),
	};
}

/** Lists of more sends are noted in larger groups, because n8n rewrites a node's row at every note. */
const manySends = 2_000;

/**
 * Sends that are noted together. Two groups are in flight at once, so a crash leaves twice as many
 * uncertain (docs/contract.md, section 4.3); of a campaign one chunk.
 */
export const groupSizeOf = (
	{ batchSize }: Settings,
	{ kind }: Operation,
	count: number,
): number => {
	if (kind === 'joined') return 1;
	return count > manySends ? Math.max(batchSize, 12) : batchSize;
};

const prices = oneOf(['none', 'marketing', 'utility'] as const);

function readPrice(operation: Operation, reader: Reader): Settings['price'] {
	const option = optionOf(operation, 'checkBalance');
	const { same: read } = reader;
	if (!option || !reader(0).has('options.checkBalance')) return undefined;
	if (option.type === 'boolean') return read('options.checkBalance', flag) ? 'amount' : undefined;
	const price = read('options.checkBalance', prices);
	return price === 'none' ? undefined : price;
}

const optionOf = ({ fields }: Operation, wanted: string): INodeProperties | undefined =>
	fields
		.find(({ name }) => name === 'options')
		?.options?.find((option): option is INodeProperties => option.name === wanted);

/** The time that the settings of the workflow leave to a run. */
export interface TimeLimit {
	/** Milliseconds that a request may take now, at most. */
	left(): number;
	/** Whether a request cannot end in time that starts in so many milliseconds. */
	isOver(timeout: number, ahead?: number): boolean;
}

/** When this process has first run one of these nodes in an execution, by what n8n keeps of that. */
const beginnings = new WeakMap<object, number>();

/**
 * The time limit of the workflow's settings (docs/contract.md, section 4.3): where n8n itself cuts an
 * execution, Retry sends nothing. n8n's own default limit is not visible to a node.
 */
export function timeLimitOf(context: IExecuteFunctions): TimeLimit {
	const limit = 1_000 * (context.getWorkflowSettings().executionTimeout ?? -1);
	if (limit <= 0) return { left: () => Infinity, isOver: () => false };
	const flow = context.getContext('flow');
	const began = beginnings.get(flow) ?? Date.now();
	beginnings.set(flow, began);
	const { establishedAt = began, source } = context.getExecutionContext() ?? {};
	const mode = context.getMode();
	// The clock of a retry, a sub-workflow and a resumed execution starts at a time that a node can't see.
	const isAnew =
		mode === 'retry' ||
		mode === 'integrated' ||
		source === 'integrated' ||
		Date.now() >= establishedAt + limit;
	// What is left lets n8n end in good order.
	const end = (isAnew ? began : establishedAt) + limit - Math.min(2_000, limit / 5);
	const left = () => end - Date.now();
	// A timeout that is longer than half the limit would leave no time to send anything.
	return { left, isOver: (timeout, ahead = 0) => left() - ahead < Math.min(timeout, limit / 2) };
}

/** Why what is left is not sent. */
export const outOfTime = (): Failure =>
	new Failure('The time limit of the workflow leaves too little time to send this', {
		outcome: 'notSent',
		description:
			'Raise the limit in the workflow settings (Timeout Workflow), or send less in one execution. If the node continues on fail, send these items again.',
	});
