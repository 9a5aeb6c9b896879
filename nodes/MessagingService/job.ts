import type { IDataObject } from 'n8n-workflow';
import type { Failure } from './api/failure';
import type { JoinedPlan, Plan } from './operation';

/** A send as memory and ledger know it (README.md in sending/). */
export interface Send {
	/** All recipients together, of a campaign with its template: the same list has the same at a place. */
	people: string;
	/** Each recipient: of an email each address, of a campaign's chunk the campaign and its key. */
	to: string[];
	/** The recipients and what they get. */
	content: string;
	/** Its own id, then that of its key, which all executions share. */
	ids: string[];
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

/** How many people it reaches. */
export const sizeOf = ({ recipients }: Job): number => recipients?.length ?? 1;

/** Whether a job is a part of a campaign. */
export const isChunk = ({ recipients }: Job): boolean => recipients !== undefined;
