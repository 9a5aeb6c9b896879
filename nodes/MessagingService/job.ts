import type { IDataObject } from 'n8n-workflow';
import type { Failure } from './api/failure';
import type { JoinedPlan, Operation, Plan } from './operation';

/** A send as other tries know it (README.md in sending/). */
export interface Send {
	/** What it is the same by: first its input, then what is sent and its key; of a long list its place. */
	ids: string[];
	/** Noted where several sends have the same input. */
	several?: string;
	isSeveral?: boolean;
	/** Whom it reaches, one by one; absent where it is known by its place in a list or as a chunk. */
	each?: string[];
	/** Of a long list: what stands for its block once all of that was accepted. */
	block?: string;
	/** By which other executions know it. */
	key?: string;
}

/** Whom a send reaches, and what with, as fingerprints. */
export interface Source {
	/** Whom it reaches, and through which service. */
	to: string;
	/** The same, one by one; none of a chunk of a campaign. */
	each: string[];
	/** What is sent to whom. */
	content: string;
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
	/** Absent where there is a failure, and for what is known to be sent already. */
	plan?: Plan & Pick<JoinedPlan, 'rows' | 'isPerItem'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** Whom a chunk of a campaign reaches. */
	recipients?: string[];
	/** What a chunk sends to all of them, in short. */
	campaign?: string;
	/** By what the log knows a chunk. */
	chunkId?: string;
	/** Whether nothing is sent for it. */
	isTrial?: boolean;
	/** Names its effect across executions. */
	key?: string;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
	/** A fingerprint of its input items; of what costs money. */
	input?: string;
	/** Absent where it cannot be told. */
	source?: Source;
	/** As other tries know it. */
	send?: Send;
	/** Why it may have been sent before, although it is sent again. */
	doubt?: Failure;
	result?: Result;
}

/** Why a job has failed, if it has. */
export const failureOf = (job: Job | undefined): Failure | undefined =>
	job?.result && 'failure' in job.result ? job.result.failure : undefined;

/** The records that a job gives, if it went well. */
export const recordsIn = ({ result }: Job): IDataObject[] | undefined =>
	result && 'records' in result ? result.records : undefined;

/** Whether it may have been sent, and nobody knows. */
export const isInDoubt = (job: Job): boolean => failureOf(job)?.outcome === 'unknown';

/** Whether it stops a run that does not continue on fail. */
export const isStopping = ({ result }: Job): boolean =>
	result !== undefined && 'failure' in result && !result.isEarlier;

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
