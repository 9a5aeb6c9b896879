import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Failure } from '../api/failure';
import type { Read, Reader } from '../parameters/read';
import { requiredName } from '../parameters/schemas';
import { inputFailureOr } from './inputFailure';
import type { Memory } from './memory';
import type {
	ItemOperation,
	JoinedOperation,
	JoinedPlan,
	JoinedPlans,
	Operation,
	Plan,
} from './operation';
import { readRows, writeRows } from './rows';

/** What is to be done for some input items, or why nothing can be. */
export interface Job {
	/** Indices of the input items that it is made from. */
	items: number[];
	/** Where it stands in the run, by which a retry knows it. */
	place: string;
	/** Absent where there is a failure, and for what a retry has found to be sent already. */
	plan?: Plan & Pick<JoinedPlan, 'rows' | 'recipients'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** Names its effect across executions, together with the rows it holds. */
	key?: string;
	/** What the ledger has been found to know of it. */
	claim?: 'accepted' | 'unknown';
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
}

/** All that is to be done in a run. */
export interface Jobs extends Pick<JoinedPlans, 'notes' | 'finish' | 'size'> {
	jobs: Job[];
}

/** A job of an earlier try that went out or may have, and its rows. */
export interface SentJob extends Job {
	rows: number[];
	isUnknown: boolean;
}

/** What planning needs to know of earlier tries. */
export interface Earlier {
	memory: Memory;
	/** Whether what may have been sent is sent again. */
	resendUnknown: boolean;
	/** A fingerprint of input items. */
	inputOf(items: number[]): string;
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
		? await planJoined(
				context,
				operation,
				reader,
				earlier ? toLeaveOut(sentJobs(earlier), earlier) : [],
			)
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
			const key = readKey(operation, read);
			return { plan: await operation.plan(read), key };
		});
		const job = { items: [index], place: String(index) };
		jobs.push(planned instanceof Failure ? { ...job, failure: planned } : { ...job, ...planned });
	}
	return jobs;
}

/**
 * Plans the requests of a joined operation.
 *
 * @param sent what is left out of them
 * @param size rows per request, instead of what the parameters say
 */
export async function planJoined(
	context: IExecuteFunctions,
	operation: JoinedOperation,
	reader: Reader,
	sent: SentJob[],
	size?: number,
): Promise<Jobs> {
	const items = context.getInputData();
	const leftOut = new Set(sent.flatMap(({ rows }) => rows));
	const planned = await inputFailureOr(0, async () => ({
		key: readKey(operation, reader(0)),
		...(await operation.plan(reader, items, { leftOut, size })),
	}));
	if (planned instanceof Failure) {
		return { jobs: [{ items: [...items.keys()], place: 'all', failure: planned }] };
	}
	const { plans, key, refused = [], ...others } = planned;
	const jobs = plans.map(({ items: from, facts, ...plan }): Job => {
		const place = plan.rows ? rowsPlace(plan.rows) : 'all';
		return { items: from, place, plan, facts, key };
	});
	const failing = refused.map((one): Job => ({ ...one, place: 'all' }));
	return { jobs: [...sent, ...jobs, ...failing], ...others };
}

const rowsPrefix = 'rows ';

const rowsPlace = (rows: Uint32Array): string => `${rowsPrefix}${writeRows(rows)}`;

/** The rows of a job that has rows. */
export const rowsOf = (place: string): number[] => readRows(place.slice(rowsPrefix.length));

/** What earlier tries have sent, or may have, of a run that has rows, however it was divided then. */
export const sentJobs = ({ memory, inputOf }: Earlier): SentJob[] =>
	memory
		.places()
		.filter(({ place }) => place.startsWith(rowsPrefix))
		.map(({ place, input, facts, items, isUnknown }) => {
			const rows = rowsOf(place);
			const from = items === undefined ? rows : readRows(items);
			return { place, input, facts, rows, isUnknown, items: from };
		})
		.filter(({ input, items }) => input === inputOf(items));

/** Those of them whose rows are not sent again. What was in doubt counts once it is sent again. */
export function toLeaveOut(
	sent: SentJob[],
	{ resendUnknown }: Pick<Earlier, 'resendUnknown'>,
): SentJob[] {
	if (!sent.some(({ isUnknown }) => isUnknown)) return sent;
	const covered = new Set<number>();
	const last = sent.toReversed().filter(({ rows }) => {
		const isCovered = rows.every((row) => covered.has(row));
		for (const row of rows) covered.add(row);
		return !isCovered;
	});
	return last.filter(({ isUnknown }) => !(isUnknown && resendUnknown)).toReversed();
}

/** The key of an item; undefined without the option. An empty one is a mistake of the item. */
const readKey = ({ billable }: Operation, read: Read): string | undefined =>
	billable && read.has('options.idempotencyKey')
		? read('options.idempotencyKey', requiredName)
		: undefined;
