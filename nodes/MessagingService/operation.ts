import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import type { BinaryFile } from './api/binaryFile';
import type { ApiRequest, Call } from './api/client';
import type { TimedList } from './api/lists';
import type { Read, Reader } from './parameters/read';

/** A list of the service that shows what an operation made. */
export interface RecordLookUp {
	list: TimedList;
	/** Whom a request reaches; a record can be its own if that names the same. */
	recipientOf(request: ApiRequest): string;
	/** Whom a record names. */
	recipientIn(record: IDataObject): string;
}

/** What every operation states about itself. */
interface OperationBase {
	/** Value of the parameter `operation`. */
	value: string;
	/** Its label, where that is not the value in words. */
	name?: string;
	action: string;
	description: string;
	/** Its own parameters; when they are shown, and the options that all have, `actions/index.ts` adds. */
	fields: INodeProperties[];
	/** Its own options, in any order. */
	options?: INodeProperties[];
	/** Whether a request costs money and reaches people (docs/contract.md, section 4). */
	billable?: true;
	/** Where the service shows what a request made, to find it again after a crash. */
	records?: RecordLookUp;
	/** What a request costs, in the service's units; for billable operations. */
	cost?(request: ApiRequest): IDataObject;
	/** The records of a response; the response itself if absent. */
	output?(response: IDataObject): IDataObject[];
}

/** One request, checked and ready to go out, and what belongs to it. */
export interface Plan {
	request: ApiRequest;
	/** The file that `prepare` uploads. */
	file?: BinaryFile;
	/** Plans with the same key are carried out one after the other, each to its end. */
	queue?: string;
	/** Gets from the service what is needed first, and gives the request that goes out. */
	prepare?(call: Call): Promise<ApiRequest>;
	/** Gives the final record once the service has accepted; `left` are milliseconds of the workflow's time limit. */
	follow?(
		response: IDataObject,
		call: Call,
		signal: AbortSignal | undefined,
		left: number,
	): Promise<IDataObject>;
	/** Reads records that need more than the one request. */
	readAll?(call: Call): Promise<IDataObject[]>;
}

/** An operation that makes one request per input item. */
export interface ItemOperation extends OperationBase {
	kind: 'item';
	/** Plans the request from the parameters of one item; throws InputFailure. */
	plan(read: Read): Plan | Promise<Plan>;
}

/** A request made from several input items. */
export interface JoinedPlan extends Plan {
	/** Indices of the input items that it is made from. */
	items: number[];
	/** Added to the output, and to the details of a failure. */
	facts: IDataObject;
	/** Whom it reaches, in the order of its rows. */
	recipients?: string[];
	/** What it sends to all of them, in short; where it has recipients. */
	campaign?: string;
	/** Whether each of its items has its own record, in their order, or its own failure. */
	isPerItem?: true;
}

/** All requests of a run of a joined operation. */
export interface JoinedPlans {
	plans: JoinedPlan[];
	/** Further output items about input that no request was made from. */
	notes?: Array<{ json: IDataObject; items: number[] }>;
	/** Done once after everything was accepted, with the items that come out, which it may change. */
	finish?(context: IExecuteFunctions, output: INodeExecutionData[]): Promise<void> | void;
}

/** An operation that makes its requests, one after another, from all input items together. */
export interface JoinedOperation extends OperationBase {
	kind: 'joined';
	/** Whether it reads the first item alone, so that a mistake is that item's. */
	readsFirst?: true;
	/** Plans the requests from the parameters of all items; throws InputFailure. */
	plan(reader: Reader, items: INodeExecutionData[]): JoinedPlans | Promise<JoinedPlans>;
	/** Names what a request made, for the report of a failure after it. */
	nameRecord(record: IDataObject): string;
}

/** One endpoint of the service as an operation of the node: data and pure functions. */
export type Operation = ItemOperation | JoinedOperation;

/** The output records of a response. */
export function recordsOf(
	{ output }: Operation,
	response: IDataObject,
	facts?: IDataObject,
): IDataObject[] {
	const records = output?.(response) ?? [response];
	return facts ? records.map((record) => ({ ...record, ...facts })) : records;
}
