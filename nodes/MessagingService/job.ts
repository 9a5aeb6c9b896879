import type { IDataObject } from 'n8n-workflow';
import type { Failure } from './api/failure';
import type { JoinedPlan, Plan } from './operation';

/** Hash of a send's recipients and, for a campaign's chunk, of `campaign`: who is reached, whatever the text. */
export type Audience = string & { readonly hashOf: 'recipients' };

/** Hash of a send's recipients and its content: what reaches whom. */
export type Content = string & { readonly hashOf: 'recipients and content' };

/** A send in memory and ledger. README.md in sending/ shows what each hash decides. */
export interface Send {
	/** A stored result counts only for the same audience. */
	audience: Audience;
	/** Hash of each recipient; for a campaign's chunk, the constant `campaignRecipient` and the id of its key. */
	countedFor: string[];
	content: Content;
	/** Absent beyond the ledger's limit. */
	id?: string;
	/** The id of its key, if it has one: the same in all executions. */
	keyId?: string;
	/** Number of recipients, which Max Sends counts. */
	size: number;
}

export type Result =
	| { records: IDataObject[] }
	/** `continues`: it does not stop the run, because the send became unknown in an earlier attempt. */
	| { failure: Failure; continues?: boolean };

/** The work for some input items, and its result. */
export interface Job {
	/** Indices of its input items. */
	items: number[];
	/** Its place among the jobs: a retry with the same input finds the same job at the same place. */
	place: string;
	/** Absent if `failure` is set. */
	plan?: Plan & Pick<JoinedPlan, 'isPerItem'>;
	/** Why there is no plan. */
	failure?: Failure;
	/** The recipients of a campaign's chunk. */
	recipients?: string[];
	/** A chunk's template, sending number and language. */
	campaign?: string;
	isSimulated?: boolean;
	key?: string;
	/** Added to the output, and to the details of a failure. */
	facts?: IDataObject;
	/** Only for a billable plan. */
	send?: Send;
	/** An earlier uncertain failure, if the job is sent again. */
	earlierUnknown?: Failure;
	/** The output if all its recipients are excluded. */
	excludedRecord?: IDataObject;
	result?: Result;
}

export const failureOf = (job: Job | undefined): Failure | undefined =>
	job?.result && 'failure' in job.result ? job.result.failure : undefined;

export const recordsIn = ({ result }: Job): IDataObject[] | undefined =>
	result && 'records' in result ? result.records : undefined;

export const isUncertain = (job: Job): boolean => failureOf(job)?.outcome === 'unknown';

/** The records of a job that was sent; undefined if it failed, was simulated or reaches only excluded recipients. */
export function sentRecords(job: Job): IDataObject[] | undefined {
	const records = recordsIn(job);
	const isExcluded = job.excludedRecord !== undefined && records?.[0] === job.excludedRecord;
	return job.isSimulated || isExcluded ? undefined : records;
}

/** Its count for Max Sends: each recipient of a request counts. */
export const sizeOf = ({ send }: Job): number => send?.size ?? 1;

export const isChunk = ({ recipients }: Job): boolean => recipients !== undefined;
