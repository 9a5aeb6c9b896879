import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/request';
import type { Read } from '../parameters/read';

/** What every operation states about itself. */
interface OperationBase {
	/** Value of the parameter `operation`. */
	value: string;
	name: string;
	action: string;
	description: string;
	/** Fields of this operation; their display options are added by `actions/index.ts`. */
	fields: INodeProperties[];
	/** Whether a request costs money and reaches people (docs/contract.md, section 4). */
	billable?: true;
	/** Path of the id that the documentation promises in a successful answer. */
	id?: string;
	/** The records of an answer; the answer itself if absent. */
	output?(answer: IDataObject): IDataObject[];
	/** Requests with the same key are carried out one after the other, each to its end. */
	turn?(request: ApiRequest, read: Read): string | undefined;
	/** What is needed from the service before the request goes out. Not repeated for a remembered send. */
	prepare?(call: Call, request: ApiRequest, read: Read): Promise<Prepared>;
	/** What happens after the service accepted the request; gives the final record. */
	follow?(following: Following): Promise<IDataObject>;
	/** Reads records that may need more than one request. */
	readAll?(call: Call, request: ApiRequest): Promise<IDataObject[]>;
}

/** An operation that makes one request per input item. */
export interface ItemOperation extends OperationBase {
	/** Builds the request from the parameters of one item; throws InputFailure. */
	request(read: Read): ApiRequest | Promise<ApiRequest>;
}

/** An operation that makes its requests, one after another, from all input items together. */
export interface JoinedOperation extends OperationBase {
	/** Builds the requests from the items and the parameters of the first; throws InputFailure. */
	requests(read: Read, items: INodeExecutionData[]): JoinedRequests;
	/**
	 * Looks once, before the first request, whether all of them can succeed; throws Failure.
	 *
	 * @param facts those of the requests that are still to be made
	 */
	check?(call: Call, read: Read, facts: IDataObject[]): Promise<void>;
	/** Names what a request made, for the report of a failure after it. */
	nameRecord(record: IDataObject): string;
}

/** One endpoint of the service as an operation of the node: data and pure functions. */
export type Operation = ItemOperation | JoinedOperation;

export interface JoinedRequests {
	requests: Array<{
		request: ApiRequest;
		/** Indices of the input items that it is made from. */
		items: number[];
		/** Added to the output, and to the details of a failure. */
		facts: IDataObject;
	}>;
	/** Further output items about input that no request was made from. */
	notes: Array<{ json: IDataObject; items: number[] }>;
	/** Until when the execution waits for an answer to what was sent; asked after sending. */
	waitUntil?(): Date;
}

/** A request ready to go out. */
export interface Prepared {
	request: ApiRequest;
	/** Ids of the records that were there before, so that the new one can be told apart. */
	earlierIds?: Set<string>;
}

export interface Following {
	call: Call;
	read: Read;
	request: ApiRequest;
	/** The service's answer that accepted the request. */
	answer: IDataObject;
	earlierIds?: Set<string>;
	/** Records that other items of this run have found to be theirs; add to it. */
	claimedIds: Set<string>;
	/** Aborts when the execution is stopped. */
	signal?: AbortSignal;
}

/** A resource of the service and its operations, in the order that the editor shows. */
export interface Resource {
	value: string;
	name: string;
	operations: Operation[];
	/** The operation that the editor presets. */
	defaultOperation: string;
}
