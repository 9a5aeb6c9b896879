import { mapValues, sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { accountOf, unknownShape } from '../api/response';
import { pathOf, type ApiRequest, type Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, InputFailure } from '../api/failure';
import type { JoinedPlan, Operation } from '../operation';
import type { Read, Reader, ReadValue } from '../parameters/read';
import { flag, oneOf, wholeNumber } from '../parameters/schemas';
import type { Pacing } from './flow';
import type { Job } from './plan';

/** The options that hold for all items of a run. */
export interface Settings extends Pacing {
	/** Milliseconds. */
	timeout: number;
	resendUnknown: boolean;
	/** Sends of the node in one execution. */
	maxSends: number;
	/** The price by which the balance is checked first; none without the check. */
	price?: 'amount' | 'marketing' | 'utility';
}

/** With fewer the notes in n8n's database would hold up requests that go out one by one. */
const mostInDoubt = 10;

const mostInDoubtOfMany = 25;

const atLeastZero = wholeNumber(0);
const atLeastOne = wholeNumber(1);

/** Reads `options` as far as the operation has them; throws InputFailure, also where items differ. */
export function readSettings(operation: Operation, reader: Reader): Settings {
	const { same: read } = reader;
	const { has } = reader(0);

	// Without the option requests go out one after the other, or there is only one.
	const isPaced = optionOf(operation, 'batching') !== undefined;
	return {
		batchSize: isPaced ? read('options.batching.batch.batchSize', atLeastOne) : 1,
		batchInterval: isPaced ? read('options.batching.batch.batchInterval', atLeastZero) : 0,
		timeout: read('options.timeout', atLeastOne),
		resendUnknown: operation.billable === true && read('options.resendUnknown', flag),
		maxSends:
			operation.billable && has('options.maxSends')
				? read('options.maxSends', atLeastOne)
				: Infinity,
		price: readPrice(operation, reader),
	};
}

/**
 * Sends that a crash may leave in doubt (docs/contract.md, section 4.3): more in a long list, for each
 * note costs more there. Chunks go out one by one.
 */
export function inDoubtAt({ batchSize }: Settings, { kind }: Operation, isLong: boolean): number {
	if (kind === 'joined') return 1;
	return Math.max(isLong ? mostInDoubtOfMany : mostInDoubt, 2 * batchSize);
}

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

/** Which balance a unit of cost is taken from (docs/service.md, sections 4.1 and 8.2). */
const balances: Record<string, string> = {
	'chat credits': 'chatBalance',
	'email credits': 'emailBalance',
	'voice minutes': 'voiceMins',
};

/** Looks once whether the balance covers all that is to be sent; throws Failure. */
export async function checkBalance(
	call: Call,
	{ cost }: Operation,
	price: NonNullable<Settings['price']>,
	jobs: Job[],
): Promise<void> {
	const costs = jobs.flatMap(({ plan }) => (plan && cost ? [cost(plan.request)] : []));
	const unit = String(costs[0]?.unit);
	const needed = sumBy(costs, ({ [price]: one }) => Number(one ?? 0));
	const name = balances[unit] ?? unit;
	const response = await call({ endpoint: endpoints.getBalance });
	const available = accountOf(response)[name];
	if (typeof available !== 'number') throw unknownShape(response, name);
	if (available >= needed) return;
	throw new Failure(
		`What is to be sent needs ${needed} ${unit}, but the account has ${available}`,
		{
			outcome: 'notSent',
			description: `Top up the ${unit} by ${needed - available} or more on the dashboard, or send less.`,
			facts: { needed, available },
		},
	);
}

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** Recipients of a campaign that its simulated request shows. */
const mostShown = 3;

/** What a person starts by hand, and what n8n's evaluations start. */
const trials = new Set(['manual', 'evaluation']);

/** Whether nothing billable is to be sent (docs/contract.md, section 3.3); throws InputFailure. */
export function isSimulated(
	context: IExecuteFunctions,
	{ billable }: Operation,
	has: Read['has'],
	read: ReadValue,
): boolean {
	if (!billable) return false;
	const simulate = has('options.simulate') ? read('options.simulate', choice) : 'never';
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry has a mode of its own; where its first try came from tells what it is.
	const source = context.getExecutionContext()?.source;
	const mode = context.getMode();
	if (mode === 'integrated' || source === 'integrated') {
		throw new InputFailure(
			'Simulate cannot be Not in Production in a sub-workflow: n8n does not tell a node there who started it',
			'Set Simulate to Never or Always, or to an expression from what the calling workflow hands over, e.g. {{ $json.simulate }}.',
		);
	}
	return trials.has(mode) || (source !== undefined && trials.has(source));
}

/** What stands for the response to a request that was not made; nobody can take it for one. */
export const simulated = (
	{ cost }: Operation,
	{ request, rows }: Pick<JoinedPlan, 'request' | 'rows'>,
	facts?: IDataObject,
): IDataObject => ({
	simulated: true,
	...(rows ? { total: rows.length } : {}),
	cost: cost?.(request) ?? {},
	...facts,
	request: {
		method: request.endpoint.method,
		path: pathOf(request),
		...(request.query ? { query: request.query } : {}),
		...contentOf(request, rows !== undefined),
	},
});

/** Says of a simulated run what it would have cost. */
export function simulationHint(records: IDataObject[]): string {
	const costs = records.map(({ cost }) => cost as IDataObject);
	const { unit, ...prices } = costs[0] ?? {};
	const sums = Object.keys(prices).flatMap((kind) => {
		if (costs.some(({ [kind]: price }) => typeof price !== 'number')) return [];
		const sum = sumBy(costs, ({ [kind]: price }) => Number(price));
		return `${sum} ${String(unit)}${kind === 'amount' ? '' : ` (${kind})`}`;
	});
	const cost =
		sums.length > 0 ? `Sending would cost ${sums.join(' or ')}.` : 'The price is not documented.';
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}`;
}

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) {
		const { fileName, mimeType, size } = form.file;
		return { form: { ...form.fields, file: { fileName, mimeType, size } } };
	}
	if (!body) return {};
	const json = Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as IDataObject) : body;
	return { body: hasRows ? mapValues(json, inShort) : json };
}

/** Of many recipients the first ones, and how many more there are. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > mostShown + 1
		? [...value.slice(0, mostShown), `(${value.length - mostShown} more)`]
		: value;
