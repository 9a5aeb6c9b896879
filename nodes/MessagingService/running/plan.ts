import { difference, isNumber, mapValues, pickBy, sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { pathOf, type ApiRequest } from '../api/client';
import { Failure, InputFailure } from '../api/failure';
import { inputFailureOr, type Read, type Reader, type ReadValue } from '../parameters/read';
import { idempotencyKey, oneOf } from '../parameters/schemas';
import type { JoinedOperation, JoinedPlan, JoinedPlans, Operation } from '../operation';
import { failureOf, isInDoubt, type Job } from '../job';

/** All that is to be done in a run. */
export interface Jobs extends Pick<JoinedPlans, 'notes' | 'finish'> {
	jobs: Job[];
}

/** Chunks of a campaign that this execution remembers, and whether those in doubt are sent again. */
export interface Chunks {
	sent: Job[];
	isResent: boolean;
}

/**
 * Plans every request before the first one goes out, so that a mistake in the last item costs
 * nothing (docs/contract.md, section 4.1).
 */
export async function planRun(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
	chunks: Chunks,
): Promise<Jobs> {
	if (operation.kind === 'joined') return await planJoined(context, operation, reader, chunks);
	const jobs: Job[] = [];
	for (const index of context.getInputData().keys()) {
		const read = reader(index);
		const planned = await inputFailureOr(index, async () => {
			const once = readOnce(context, operation, read.has, read);
			return { ...once, plan: await operation.plan(read) };
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
	{ sent, isResent }: Chunks,
): Promise<Jobs> {
	const items = context.getInputData();
	/** By row, which chunk has reached it or may have. */
	let reached = new Map<number, Job>();
	const planned = await inputFailureOr(0, async () => {
		const once = readOnce(context, operation, reader(0).has, reader.same);
		if (sent.length > 0 && !once.isTrial) {
			// Only all rows together tell which of those to the same recipient has gone out.
			const asked: Asked[] = [];
			await operation.plan(reader, items, (recipient, row, item) => {
				asked.push({ recipient, row, item });
				return false;
			});
			reached = reachedBy(sent, asked);
		}
		const isLeftOut = (_: string, row: number): boolean => {
			const chunk = reached.get(row);
			return chunk !== undefined && !(isResent && isInDoubt(chunk));
		};
		return { ...once, ...(await operation.plan(reader, items, isLeftOut)) };
	});
	if (planned instanceof Failure) {
		const all = [...items.keys()];
		const others = difference(all, ...sent.map((chunk) => chunk.items));
		// Of an item that was sent in part more is not known without a plan.
		const failing = others.length > 0 ? others : all;
		const doubt = others.length > 0 ? undefined : planned;
		return { jobs: [...sent, { items: failing, place: 'all', failure: planned, doubt }] };
	}
	const { plans, key, isTrial, ...others } = planned;
	const used = Math.max(0, ...sent.map(({ place }) => Number(place.split(' ')[1])));
	const jobs = plans.map(({ items: from, facts, recipients, campaign, ...plan }, index): Job => {
		const place = recipients ? `${plan.rows?.[0]} ${used + index + 1}` : 'all';
		const again = plan.rows?.find((row) => reached.has(row));
		const doubt = again === undefined ? undefined : failureOf(reached.get(again));
		return { items: from, place, plan, facts, recipients, campaign, key, isTrial, doubt };
	});
	// What was in doubt and has been sent again since is no more than that.
	const still = new Set(isResent ? [] : reached.values());
	const known = sent.filter((chunk) => !isTrial && (!isInDoubt(chunk) || still.has(chunk)));
	return { jobs: [...known, ...jobs], ...others };
}

/** A row that a chunk may have reached. */
interface Asked {
	recipient: string;
	row: number;
	item: number;
}

/**
 * Which chunk has reached which row: one that held its item, or else one that reached its recipient for
 * an item that is gone. Each place in a chunk stands for one row.
 */
function reachedBy(chunks: Job[], rows: Asked[]): Map<number, Job> {
	const places = new Map<string, Array<{ chunk: Job; items: Set<number> }>>();
	for (const chunk of chunks) {
		const place = { chunk, items: new Set(chunk.items) };
		for (const recipient of chunk.recipients ?? []) {
			const known = places.get(recipient);
			if (known) known.push(place);
			else places.set(recipient, [place]);
		}
	}
	const reached = new Map<number, Job>();
	for (const isSameItem of [true, false]) {
		for (const { recipient, row, item } of rows) {
			if (reached.has(row)) continue;
			const left = places.get(recipient) ?? [];
			const place = left.findLastIndex(({ items }) => !isSameItem || items.has(item));
			const [one] = place < 0 ? [] : left.splice(place, 1);
			if (one) reached.set(row, one.chunk);
		}
	}
	return reached;
}

/** The key and whether nothing is sent, of an item or of all together; throws InputFailure. */
const readOnce = (
	context: IExecuteFunctions,
	operation: Operation,
	has: Read['has'],
	read: ReadValue,
): Pick<Job, 'key' | 'isTrial'> => ({
	isTrial: isSimulated(context, operation, has, read),
	// An empty one is a mistake.
	key:
		operation.billable && has('options.idempotencyKey')
			? read('options.idempotencyKey', idempotencyKey)
			: undefined,
});

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
			'Simulate cannot be Send in Production Only in a sub-workflow: n8n does not tell a node there who started it',
			'Set Simulate to Send Always or Send Nothing, or to an expression from what the calling workflow hands over, e.g. {{ $json.simulate }}.',
		);
	}
	return trials.has(mode) || (source !== undefined && trials.has(source));
}

/** What stands for the response to a request that was not made; nobody can take it for one. */
export const simulated = (
	{ cost }: Operation,
	{ request, file, rows }: Pick<JoinedPlan, 'request' | 'file' | 'rows'>,
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
		...(file && { file: factsOf(file) }),
	},
});

/** Says of a simulated run what it would have cost. */
export function simulationHint(records: IDataObject[]): string {
	const costs = records.map(({ cost }) => cost as IDataObject);
	const { unit, ...prices } = costs[0] ?? {};
	const sums = Object.keys(pickBy(prices, isNumber)).map((kind) => {
		const sum = sumBy(costs, ({ [kind]: price }) => Number(price));
		return `${sum} ${String(unit)}${kind === 'amount' ? '' : ` (${kind})`}`;
	});
	const cost =
		sums.length > 0 ? `Sending would cost ${sums.join(' or ')}.` : 'The price is not documented.';
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}`;
}

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) return { form: { ...form.fields, file: factsOf(form.file) } };
	if (!body) return {};
	return { body: hasRows ? mapValues(body, inShort) : body };
}

const factsOf = ({ fileName, mimeType, size }: BinaryFile) => ({ fileName, mimeType, size });

/** Of many recipients the first ones, and how many more there are. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > mostShown + 1
		? [...value.slice(0, mostShown), `(${value.length - mostShown} more)`]
		: value;
