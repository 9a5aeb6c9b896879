import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ApiRequest, Call } from '../api/request';
import type { Read } from './read';

/** One endpoint of the service as an operation of the node: data and pure functions. */
export interface Operation {
	/** Value of the parameter `operation`. */
	value: string;
	name: string;
	action: string;
	description: string;
	/** Fields of this operation; their display options are added by `actions/index.ts`. */
	fields: INodeProperties[];
	/** Whether a request costs money and reaches people (contract, rules for billable requests). */
	billable?: true;
	/** Path of the id that the documentation promises in a successful answer. */
	id?: string;
	/** Builds the request from the parameters of one item; throws InputFailure. */
	request(read: Read): ApiRequest | Promise<ApiRequest>;
	/** The records of an answer; the answer itself if absent. */
	output?(answer: IDataObject): IDataObject[];
	/** What is needed from the service before the request goes out. Not repeated for a remembered send. */
	prepare?(call: Call, request: ApiRequest, read: Read): Promise<Prepared>;
	/** What happens after the service accepted the request; gives the final record. */
	follow?(following: Following): Promise<IDataObject>;
	/** Reads records that may need more than one request. */
	readAll?(call: Call, request: ApiRequest): Promise<IDataObject[]>;
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
	preset: string;
}
