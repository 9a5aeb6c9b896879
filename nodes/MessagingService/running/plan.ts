import { attempt, isNumber, isString, mapValues, pickBy, sumBy, uniqBy } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { pathOf, type ApiRequest } from '../api/client';
import { Failure, InputFailure } from '../api/failure';
import { isConstant, isSameForAll, nodeReference, readsNoItem } from '../parameters/expressions';
import {
	inputFailureOr,
	rawValue,
	type Read,
	type Reader,
	type ReadValue,
} from '../parameters/read';
import { idempotencyKey, oneOf } from '../parameters/schemas';
import { applyGuards, readGuards, type Guards } from '../parameters/recipients';
import {
	isSimulatedItem,
	type JoinedOperation,
	type JoinedPlans,
	type Operation,
	type Plan,
} from '../operation';
import { failureOf, isChunk, type Job } from '../job';
import { sendOf } from '../sending/identity';

/** The work of a run. */
export interface Jobs extends Pick<JoinedPlans, 'extraItems' | 'finish'> {
	jobs: Job[];
}

/**
 * Plans every request before the first one is sent, so that an invalid last item costs nothing
 * (docs/contract.md, section 4.1).
 */
export async function planRun(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
): Promise<Jobs> {
	if (operation.kind === 'joined') return await planJoined(context, operation, reader);
	const jobs: Job[] = [];
	const sharedFailure =
		sharedKeyFailureOf(context, operation) ??
		sharedRecipientFailureOf(context, operation) ??
		singleOptOutFailureOf(context, operation);
	for (const [index, item] of context.getInputData().entries()) {
		const read = reader(index);
		const planned = await inputFailureOr(index, async () => {
			if (sharedFailure) throw sharedFailure;
			const { guards, ...billable } = readBillable(context, operation, read, read);
			if (operation.billable && !billable.isSimulated) rejectTestItem(context, item);
			const plan = await operation.plan(read);
			return { ...billable, plan, ...applyGuards(plan.request, guards, index) };
		});
		const job = { items: [index], place: String(index) };
		jobs.push(planned instanceof Failure ? { ...job, failure: planned } : { ...job, ...planned });
	}
	return { jobs };
}

async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
	reader: Reader,
): Promise<Jobs> {
	const items = context.getInputData();
	const sharedFailure = singleOptOutFailureOf(context, operation);
	const planned = await inputFailureOr(0, async () => {
		if (sharedFailure) throw sharedFailure;
		const { guards, ...billable } = readBillable(context, operation, reader(0), reader.same);
		if (operation.billable && !billable.isSimulated)
			for (const item of items) rejectTestItem(context, item);
		const { plans, ...rest } = await operation.plan(reader, items);
		// The operation has already checked a campaign's rows against Allowed and Excluded Recipients.
		const jobs = plans.map(({ items: from, facts, recipients, campaign, ...plan }, index): Job => {
			const guarded = recipients ? {} : applyGuards(plan.request, guards);
			return {
				...billable,
				items: from,
				place: String(index),
				plan,
				recipients,
				campaign,
				...guarded,
				facts: { ...facts, ...guarded.facts },
			};
		});
		return { jobs, ...rest };
	});
	if (planned instanceof Failure) {
		const failing = operation.readsFirst ? [0] : [...items.keys()];
		return { jobs: [{ items: failing, place: 'all', failure: planned }] };
	}
	return planned;
}

/** Reads the options that apply to every billable operation; throws InputFailure. */
const readBillable = (
	context: IExecuteFunctions,
	operation: Operation,
	readItem: Read,
	read: ReadValue,
): Pick<Job, 'key' | 'isSimulated'> & { guards: Guards } => ({
	guards: operation.billable ? readGuards(readItem, read) : {},
	isSimulated: readSimulate(context, operation, readItem.has, read),
	// `has` is also true for an empty key, which then fails as invalid.
	key:
		operation.billable && readItem.has('options.idempotencyKey')
			? read('options.idempotencyKey', idempotencyKey)
			: undefined,
});

/** In manual runs, throws InputFailure for a sample of the polling trigger or a simulated item. */
function rejectTestItem(context: IExecuteFunctions, item: INodeExecutionData): void {
	if (!testModes.has(context.getMode())) return;
	const isSample = item.json.sample === true;
	if (!isSample && !isSimulatedItem(item)) return;
	throw new InputFailure(
		isSample
			? 'The input item is only a sample of the polling trigger'
			: 'The input item was only simulated by the node before',
		`To try this node, add its option Simulate (Send in Production Only). To send, remove the field ${isSample ? 'sample' : 'simulated'} with Edit Fields.`,
	);
}

const alwaysNew =
	/^=.*(?:\$now\.(?:toMillis|toUnixInteger|toISO|valueOf)\(|\$now\s*\}\}|Date\.now\(|random\w*\()/is;

/** Parts of an expression with which a time may stay the same, or with which it is only a substitute. */
const mayRepeat = /\?|\|\||\.slice\(|\.split\(|\.substr|\.replace|floor|round|trunc|ceil/;

/** The failure if all items have the same key, or a key that cannot repeat. */
function sharedKeyFailureOf(
	context: IExecuteFunctions,
	{ billable }: Operation,
): Failure | undefined {
	const key = billable ? rawValue(context, 'options.idempotencyKey') : null;
	if (typeof key === 'string' && alwaysNew.test(key) && !mayRepeat.test(key)) {
		return new InputFailure(
			'Send Only Once per Key contains the time or a random value, so no key ever repeats',
			'Use only what stays the same when the item is sent again, e.g. {{ $json.orderId }}. To send once a day, write {{ $json.phone }} {{ $today.toISODate() }}.',
		);
	}
	const { length } = context.getInputData();
	if (length < 2 || typeof key !== 'string' || !(isConstant(key) || isSameForAll(key)))
		return undefined;
	return new InputFailure(
		`Send Only Once per Key: these ${length} items share a key, so only the first would be sent`,
		'Switch the field to Expression and give each item its own key, e.g. {{ $json.orderId }}.',
	);
}

/** The failure if several items, or rounds of a loop, get their recipient from one of a node's several items. */
function sharedRecipientFailureOf(
	context: IExecuteFunctions,
	{ billable, fields }: Operation,
): InputFailure | undefined {
	const oneOfNode = new RegExp(`(${nodeReference})\\.(first|last)\\(\\)`);
	const field = fields.find(
		({ name }) =>
			['phone', 'to', 'mediaId'].includes(name) &&
			oneOfNode.test(String(rawValue(context, name))) &&
			readsNoItem(rawValue(context, name)),
	);
	if (!billable || !field) return undefined;
	const [, node = '', which] = oneOfNode.exec(String(rawValue(context, field.name))) ?? [];
	// In the first round of a loop, the first item may be the right one.
	const round = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
	if (context.getInputData().length < 2 && round === 0) return undefined;
	if (!(countOf(context, node) > 1)) return undefined;
	return new InputFailure(
		`${field.displayName} is the same for all items: ${which}() reads only one item of its node`,
		`Write ${node}.item instead. To use one for all, enter it as a fixed value.`,
	);
}

/** The failure if the list of opt-outs comes from only one of a node's several items. */
function singleOptOutFailureOf(
	context: IExecuteFunctions,
	{ billable }: Operation,
): InputFailure | undefined {
	const raw = billable ? String(rawValue(context, 'options.excludedRecipients')) : '';
	const [, node, which, path = ''] =
		/^=\{\{\s*(\$\((?:"[^"\\]*"|'[^'\\]*')\))\.(first|last)\(\)\.json(\S*)\s*\}\}$/.exec(raw) ?? [];
	const count = node ? countOf(context, node) : 0;
	const entry: unknown = count > 1 && attempt(() => context.evaluateExpression(raw.slice(1), 0));
	if (!isString(entry) && !isNumber(entry)) return undefined;
	if (/[,;\n]/.test(String(entry))) return undefined;
	return new InputFailure(
		`Excluded Recipients contains only one of ${count} entries: ${which}() reads a single item`,
		`Write {{ ${node}.all().map((one) => one.json${path}) }}.`,
	);
}

/** How many items a node has passed on; NaN if it did not run. */
const countOf = (context: IExecuteFunctions, node: string): number =>
	Number(attempt(() => context.evaluateExpression(`{{ ${node}.all().length }}`, 0)));

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** Maximum recipients of a list that a simulation shows. */
const maxShown = 3;

/** Modes of runs that a user or n8n's evaluations start. */
export const testModes = new Set(['manual', 'evaluation']);

/** Whether the item is only simulated (docs/contract.md, section 3.3); throws InputFailure. */
export function readSimulate(
	context: IExecuteFunctions,
	{ billable }: Operation,
	has: Read['has'],
	read: ReadValue,
): boolean {
	if (!billable) return false;
	const simulate = has('options.simulate') ? read('options.simulate', choice) : 'never';
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry has its own mode; `source` shows how the first attempt was started.
	const source = context.getExecutionContext()?.source;
	const mode = context.getMode();
	if (mode === 'integrated' || source === 'integrated') {
		throw new InputFailure(
			'In a sub-workflow, Simulate cannot be "Send in Production Only": n8n does not show who started the run',
			'Set Simulate to "Send Always" or "Send Nothing". To let the calling workflow decide, set it to {{ $json.simulate }}. In that workflow, set the field simulate to "never" (send) or "always" (do not send).',
		);
	}
	return testModes.has(mode) || (source !== undefined && testModes.has(source));
}

/** The failure of simulated items in a retry of an execution that has sent something, perhaps these items. */
export const simulatedRetry = (): Failure =>
	new Failure(
		'A retry cannot be simulated after something was sent: once it succeeds, n8n offers no further retry',
		{
			outcome: 'unknown',
			description: 'Remove Simulate and press Retry on the same execution: it sends only the rest.',
		},
	);

/** The output of a simulated request, in a shape that nobody takes for a response. */
export const simulated = (
	{ cost }: Operation,
	{ plan, recipients, facts }: Job & { plan: Plan },
): IDataObject => ({
	simulated: true,
	...(recipients ? { total: recipients.length } : {}),
	cost: cost?.(plan.request) ?? {},
	...facts,
	request: {
		method: plan.request.endpoint.method,
		path: pathOf(plan.request),
		...(plan.request.query ? { query: plan.request.query } : {}),
		...contentOf(plan.request, recipients !== undefined),
		...(plan.file && { file: factsOf(plan.file) }),
	},
});

/** The hint of a simulated run, with the cost of sending. */
export function simulationHint(context: IExecuteFunctions, records: IDataObject[]): string {
	const costs = records.map(({ cost }) => cost as IDataObject);
	const { unit, ...prices } = costs[0] ?? {};
	const sums = Object.keys(pickBy(prices, isNumber)).map((kind) => {
		const sum = sumBy(costs, ({ [kind]: price }) => Number(price));
		return `${sum} ${sum === 1 ? String(unit).replace(/s$/, '') : String(unit)}${kind === 'amount' ? '' : ` (${kind})`}`;
	});
	const cost =
		sums.length > 0 ? `Sending would cost ${sums.join(' or ')}.` : 'The price is not documented.';
	const sendsLater = rawValue(context, 'options.simulate') === 'notInProduction';
	const later = sendsLater ? ' When published, the workflow sends.' : '';
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}${later}`;
}

/**
 * The hint for items that repeat the recipient and content of another item. Campaigns have a hint of their
 * own.
 */
export function repeatHint(jobs: Job[]): string | undefined {
	const sends = jobs.filter((job) => !failureOf(job) && !job.excludedRecord && !isChunk(job));
	const { length } = uniqBy(sends, (job) => (job.send ?? sendOf(job))?.content);
	if (length === sends.length) return undefined;
	return `${sends.length - length} of ${sends.length} items repeat the recipient and content of another. To send once, remove duplicates before this node, or turn on Execute Once in its settings.`;
}

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) return { form: { ...form.fields, file: factsOf(form.file) } };
	if (!body) return {};
	return { body: hasRows ? mapValues(body, inShort) : body };
}

const factsOf = ({ fileName, mimeType, size }: BinaryFile) => ({ fileName, mimeType, size });

/** The first entries of a long array, and a count. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > maxShown + 1
		? [...value.slice(0, maxShown), `(${value.length - maxShown} more)`]
		: value;
