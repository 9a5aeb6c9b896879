import { difference, sortBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import { inputFailureOr, type Read, type Reader, type ReadValue } from '../parameters/read';
import { idempotencyKey } from '../parameters/schemas';
import type {
	ItemOperation,
	JoinedOperation,
	JoinedPlan,
	JoinedPlans,
	Operation,
	Plan,
} from '../operation';
import type { Results, Source } from './results';
import type { Send } from './sendLog';
import { isSimulated } from './settings';

/** What became of a job. */
export type Result =
	| { records: IDataObject[] }
	/** `isEarlier`: an earlier try has left it in doubt; it stops nothing now. */
	| { failure: Failure; isEarlier?: true };

/** What is to be done for some input items, and what became of it, as far as it is known. */
export interface Job {
	/** Indices of the input items that it is made from. */
	items: number[];
	/** Where it stands in the run, by which a retry knows it. */
	place: string;
	/** Absent where there is a failure, and for what a retry knows to be sent already. */
	plan?: Plan & Pick<JoinedPlan, 'rows' | 'isPerItem'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** What a send is made from; absent where there is no plan, and for a read. */
	source?: Source;
	/** Whom a chunk of a campaign reaches. */
	recipients?: string[];
	/** What a chunk sends to all of them, in short. */
	campaign?: string;
	/** Of a chunk that is remembered: which of those to the same recipients it is noted as. */
	nth?: number;
	/** Whether nothing is sent for it. */
	isTrial?: boolean;
	/** Whether some of its recipients may have been reached before, and are tried again. */
	isAgain?: boolean;
	/** Names its effect across executions. */
	key?: string;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
	/** As other tries know it; for what costs money. */
	send?: Send;
	result?: Result;
}

/** All that is to be done in a run. */
export interface Jobs extends Pick<JoinedPlans, 'notes' | 'finish'> {
	jobs: Job[];
}

/** What planning needs to know of earlier tries. */
export interface Earlier {
	results: Results;
	/** Whether what may have been sent is sent again. */
	isResent: boolean;
}

/**
 * Plans every request before the first one goes out, so that a mistake in the last item costs
 * nothing (docs/contract.md, section 4.1).
 *
 * @param earlier absent where nothing is remembered
 */
export async function planRun(
	context: IExecuteFunctions,
	operation: Operation,
	reader: Reader,
	earlier?: Earlier,
): Promise<Jobs> {
	return operation.kind === 'joined'
		? await planJoined(context, operation, reader, earlier)
		: { jobs: await planItems(context, operation, reader) };
}

async function planItems(
	context: IExecuteFunctions,
	operation: ItemOperation,
	reader: Reader,
): Promise<Job[]> {
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
	return jobs;
}

async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
	reader: Reader,
	earlier: Earlier | undefined,
): Promise<Jobs> {
	const items = context.getInputData();
	const once = await inputFailureOr(0, () =>
		readOnce(context, operation, reader(0).has, reader.same),
	);
	const isTrial = !(once instanceof Failure) && once.isTrial;
	const sent = earlier && !isTrial ? earlier.results.chunks() : [];
	const found = new Set<Job>();
	const doubted = new Set<number>();
	const planned = await inputFailureOr(0, async () => {
		if (once instanceof Failure) throw once;
		if (sent.length === 0)
			return { ...once, ...(await operation.plan(reader, items, () => false)) };
		// Only all rows together tell which of those to the same recipient has gone out.
		const asked: Asked[] = [];
		await operation.plan(reader, items, (recipient, row, item) => {
			asked.push({ recipient, row, item });
			return false;
		});
		const reached = reachedBy(sent, asked);
		const isLeftOut = (_: string, row: number): boolean => {
			const job = reached.get(row);
			if (!job) return false;
			if (job.isUnknown && earlier?.isResent) doubted.add(row);
			else found.add(job);
			return !doubted.has(row);
		};
		return { ...once, ...(await operation.plan(reader, items, isLeftOut)) };
	});
	if (planned instanceof Failure) {
		const all = [...items.keys()];
		const others = difference(
			all,
			sent.flatMap((job) => job.items),
		);
		// Of an item that was sent in part more is not known without a plan.
		const failing = others.length > 0 ? others : all;
		return { jobs: [...sent, { items: failing, place: 'all', failure: planned }] };
	}
	const { plans, key, ...others } = planned;
	const used = Math.max(0, ...sent.map(({ place }) => Number(place.split(' ')[2])));
	const jobs = plans.map(({ items: from, facts, recipients, campaign, ...plan }, index): Job => {
		const [first] = plan.rows ?? [];
		const place = recipients ? `${chunkPrefix}${first} ${used + index + 1}` : 'all';
		const isAgain = plan.rows?.some((row) => doubted.has(row));
		return { items: from, place, plan, facts, recipients, campaign, key, isTrial, isAgain };
	});
	// What was in doubt and has been sent again since is no more than that.
	const known = sent.filter((job) => !job.isUnknown || found.has(job));
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
function reachedBy<Chunk extends Job>(chunks: Chunk[], rows: Asked[]): Map<number, Chunk> {
	const places = new Map<string, Array<{ chunk: Chunk; items: Set<number> }>>();
	for (const chunk of chunks) {
		const place = { chunk, items: new Set(chunk.items) };
		for (const recipient of chunk.recipients ?? []) {
			const known = places.get(recipient);
			if (known) known.push(place);
			else places.set(recipient, [place]);
		}
	}
	const reached = new Map<number, Chunk>();
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

const chunkPrefix = 'chunk ';

export const isFailed = (
	result: Result | undefined,
): result is Extract<Result, { failure: Failure }> => result !== undefined && 'failure' in result;

export const failedBy = (failure: Failure | undefined): Result | undefined =>
	failure && { failure };

/** How many it reaches. */
export const sizeOf = ({ recipients }: Job): number => recipients?.length ?? 1;

/** Whether a job is a part of a campaign. */
export const isChunk = ({ recipients }: Job): boolean => recipients !== undefined;

/** All jobs as their rows follow each other, whichever of them are sent already. */
export const inRowOrder = (jobs: Job[]): Job[] =>
	jobs.some(isChunk)
		? sortBy(jobs, ({ place }) => parseInt(place.slice(chunkPrefix.length)))
		: jobs;

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

/**
 * Writes ascending row numbers in short: `0+1*3` stands for 0, 1, 2, and `4+5*2` for 4, 9. A chunk
 * of 10,000 rows of one template takes a dozen characters, and so does one of five that alternate.
 */
export function writeRows(rows: number[]): string {
	const parts: string[] = [];
	for (let start = 0; start < rows.length; ) {
		const first = rows[start] ?? 0;
		const step = (rows[start + 1] ?? first + 1) - first;
		let end = start + 1;
		while ((rows[end] ?? 0) - (rows[end - 1] ?? 0) === step) end++;
		parts.push(`${first}+${step}*${end - start}`);
		start = end;
	}
	return parts.join(',');
}

/** The row numbers that were written with `writeRows`. */
export function readRows(text: string): number[] {
	return text.split(',').flatMap((part) => {
		const [first = 0, step = 1, count = 0] = part.split(/[+*]/).map(Number);
		return Array.from({ length: count }, (_, index) => first + index * step);
	});
}
