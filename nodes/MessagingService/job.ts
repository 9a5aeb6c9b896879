import type { IDataObject } from 'n8n-workflow';
import type { Failure } from './api/failure';
import type { JoinedPlan, Operation, Plan } from './operation';
import type { Source } from './sending/identity';

/** A send as the ledger knows it (README.md in sending/). */
export interface Send {
	/** Its own id, then that of its key, which all executions share. */
	ids: string[];
	/** Each recipient. */
	to: string[];
}

/** What became of a job. */
export type Result =
	| { records: IDataObject[] }
	/** `isEarlier`: unknown since an earlier attempt, so it does not stop this one. */
	| { failure: Failure; isEarlier?: boolean };

/** The work for some input items, and its result. */
export interface Job {
	/** Indices of its input items. */
	items: number[];
	/** Its position in the list: another attempt with the same list finds it there. */
	place: string;
	/** Absent where there is a failure. */
	plan?: Plan & Pick<JoinedPlan, 'isPerItem'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** The recipients of a campaign's chunk. */
	recipients?: string[];
	/** The template, language and number of a campaign's chunk. */
	campaign?: string;
	/** Whether nothing is sent for it. */
	isTrial?: boolean;
	/** The idempotency key. */
	key?: string;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
	/** Absent if there is no plan. */
	source?: Source;
	/** How the ledger knows it. */
	send?: Send;
	/** Why an earlier attempt may have sent it, although it is sent again. */
	doubt?: Failure;
	/** The output in its place if all its recipients have opted out. */
	excluded?: IDataObject;
	result?: Result;
}

/** Why a job has failed, if it has. */
export const failureOf = (job: Job | undefined): Failure | undefined =>
	job?.result && 'failure' in job.result ? job.result.failure : undefined;

/** The records of a job that succeeded. */
export const recordsIn = ({ result }: Job): IDataObject[] | undefined =>
	result && 'records' in result ? result.records : undefined;

/** Whether it was not sent because its recipient has opted out. */
export const isExcluded = (job: Job): boolean =>
	job.excluded !== undefined && recordsIn(job)?.[0] === job.excluded;

/** Whether it may have been sent. */
export const isInDoubt = (job: Job): boolean => failureOf(job)?.outcome === 'unknown';

/** Whether it stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.isEarlier;

/** How many people it reaches. */
export const sizeOf = ({ recipients }: Job): number => recipients?.length ?? 1;

/** Whether a job is a part of a campaign. */
export const isChunk = ({ recipients }: Job): boolean => recipients !== undefined;

/** The output records of a response. */
export function recordsOf(
	{ output }: Operation,
	response: IDataObject,
	facts?: IDataObject,
): IDataObject[] {
	const records = output?.(response) ?? [response];
	return facts ? records.map((record) => ({ ...record, ...facts })) : records;
}
