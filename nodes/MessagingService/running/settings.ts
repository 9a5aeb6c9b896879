import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Operation } from '../operation';
import type { Reader, ReadShared } from '../parameters/read';
import { flag, oneOf, wholeNumber } from '../parameters/schemas';

export interface Settings {
	batchSize: number;
	/** Milliseconds between batches; with 0 the next request starts as soon as one ends. */
	batchInterval: number;
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
	maxSends: number;
	/** Which price of the operation's `cost` the balance check adds up; absent if the check is off. */
	priceKind?: 'amount' | 'marketing' | 'utility';
}

/** For a run that can send nothing. */
export const noSettings: Settings = {
	batchSize: 1,
	batchInterval: 0,
	timeout: 1,
	resendUnknown: false,
	maxSends: Infinity,
};

const atLeastZero = wholeNumber(0);
const atLeastOne = wholeNumber(1);

/** Reads the options of the operation; throws InputFailure if one is invalid or differs between items. */
export function readSettings(operation: Operation, { same: read }: Reader): Settings {
	const isLimited = operation.billable === true && read.has('options.maxSends');
	// Operations that do not offer Throttling make a single request, or one request after another.
	const isPaced = optionOf(operation, 'batching') !== undefined;
	return {
		batchSize: isPaced ? read('options.batching.batch.batchSize', atLeastOne) : 1,
		batchInterval: isPaced ? read('options.batching.batch.batchInterval', atLeastZero) : 0,
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
		maxSends: isLimited ? read('options.maxSends', atLeastOne) : Infinity,
		priceKind: readPriceKind(operation, read),
	};
}

/** Longer lists are recorded in larger groups, because n8n rewrites all records of a node at every write. */
const manySends = 2_000;

/**
 * How many sends are recorded together. A crash leaves up to two such groups uncertain, or one chunk of a
 * campaign (docs/contract.md, section 4.3).
 */
export function groupSizeOf({ batchSize }: Settings, { kind }: Operation, count: number): number {
	if (kind === 'joined') return 1;
	return count > manySends ? Math.max(batchSize, 12) : batchSize;
}

const prices = oneOf(['none', 'marketing', 'utility'] as const);

function readPriceKind(operation: Operation, read: ReadShared): Settings['priceKind'] {
	const option = optionOf(operation, 'checkBalance');
	if (!option || !read.has('options.checkBalance')) return undefined;
	if (option.type === 'boolean') return read('options.checkBalance', flag) ? 'amount' : undefined;
	const priceKind = read('options.checkBalance', prices);
	return priceKind === 'none' ? undefined : priceKind;
}

const optionOf = ({ fields }: Operation, wanted: string): INodeProperties | undefined =>
	fields
		.find(({ name }) => name === 'options')
		?.options?.find((option): option is INodeProperties => option.name === wanted);

export interface TimeLimit {
	/** Remaining milliseconds. */
	left(): number;
	/** Whether a request that starts in `delay` milliseconds might not end in time. */
	leavesNoTime(timeout: number, delay?: number): boolean;
}

/** When each execution first ran a node of this package in this process, by its flow context. */
const beginnings = new WeakMap<object, number>();

/**
 * The time limit in the workflow settings (docs/contract.md, section 4.3). The run ends before n8n would abort the
 * execution, because Retry does nothing for an aborted one. n8n's own default limit cannot be seen.
 */
export function timeLimitOf(context: IExecuteFunctions): TimeLimit {
	const limit = 1_000 * (context.getWorkflowSettings().executionTimeout ?? -1);
	if (limit <= 0) return { left: () => Infinity, leavesNoTime: () => false };
	const flow = context.getContext('flow');
	const began = beginnings.get(flow) ?? Date.now();
	beginnings.set(flow, began);
	const { establishedAt = began, source } = context.getExecutionContext() ?? {};
	// The limit of a retry, a sub-workflow or a resumed execution starts at a time that a node can't see.
	const isRestarted =
		[context.getMode(), source].some((one) => one === 'retry' || one === 'integrated') ||
		Date.now() >= establishedAt + limit;
	// The reserve lets n8n end the execution properly.
	const end = (isRestarted ? began : establishedAt) + limit - Math.min(2_000, limit / 5);
	const left = () => end - Date.now();
	// A request starts only if the time left covers its timeout or half the limit, whichever is shorter.
	return {
		left,
		leavesNoTime: (timeout, delay = 0) => left() - delay < Math.min(timeout, limit / 2),
	};
}

export const outOfTime = (): Failure =>
	new Failure('The time limit of the workflow leaves too little time to send this', {
		outcome: 'notSent',
		description:
			'Raise the limit in the workflow settings (Timeout Workflow), or send less in one execution.',
	});
