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
	/** `isEarlier`: an earlier try has left it in doubt; it stops nothing now. */
	| { failure: Failure; isEarlier?: boolean };

/** What is to be done for some input items, and what became of it, as far as it is known. */
export interface Job {
	/** Indices of the input items that it is made from. */
	items: number[];
	/** Where it stands in the run, by which the same list in another try knows it. */
	place: string;
	/** Absent where there is a failure. */
	plan?: Plan & Pick<JoinedPlan, 'isPerItem'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** Whom a chunk of a campaign reaches. */
	recipients?: string[];
	/** What a chunk sends to all of them, in short. */
	campaign?: string;
	/** Whether nothing is sent for it. */
	isTrial?: boolean;
	/** Names its effect across executions. */
	key?: string;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
	/** Absent where it cannot be told. */
	source?: Source;
	/** As other tries know it. */
	send?: Send;
	/** Why it may have been sent before, although it is sent again. */
	doubt?: Failure;
	/** What comes out in its place where everybody whom it would reach has opted out. */
	excluded?: IDataObject;
	result?: Result;
}

/** Why a job has failed, if it has. */
export const failureOf = (job: Job | undefined): Failure | undefined =>
	job?.result && 'failure' in job.result ? job.result.failure : undefined;

/** The records that a job gives, if it went well. */
export const recordsIn = ({ result }: Job): IDataObject[] | undefined =>
	result && 'records' in result ? result.records : undefined;

/** Whether it was not sent because its recipient has opted out. */
export const isExcluded = (job: Job): boolean =>
	job.excluded !== undefined && recordsIn(job)?.[0] === job.excluded;

/** Whether it may have been sent, and nobody knows. */
export const isInDoubt = (job: Job): boolean => failureOf(job)?.outcome === 'unknown';

/** Whether it stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.isEarlier;

/** How many it reaches. */
export const sizeOf = ({ recipients }: Job): number => recipients?.length ?? 1;

/** Whether a job is a part of a campaign. */
export const isChunk = ({ recipients }: Job): boolean => recipients !== undefined;

/** The records of a response as they come out. */
export function recordsOf(
	{ output }: Operation,
	response: IDataObject,
	facts?: IDataObject,
): IDataObject[] {
	const records = output?.(response) ?? [response];
	return facts ? records.map((record) => ({ ...record, ...facts })) : records;
}
