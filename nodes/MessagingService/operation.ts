import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import type { BinaryFile } from './api/binaryFile';
import type { ApiRequest, Call } from './api/client';
import type { withDeadline } from './api/deadline';
import type { TimedList } from './api/lists';
import type { Read, Reader } from './parameters/read';

/** The service's list that shows an operation's results. */
export interface RecordLookUp {
	list: TimedList;
	/** The recipient of a request, in the form that `recipientIn` returns. */
	recipientOf(request: ApiRequest): string;
	recipientIn(record: IDataObject): string;
}

interface OperationBase {
	value: string;
	/** Its label, if not derived from `value`. */
	name?: string;
	action: string;
	description: string;
	/** Its own parameters. `actions/index.ts` adds the display conditions and the shared options. */
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** Whether a request costs money and reaches people (docs/contract.md, section 4). */
	billable?: true;
	/** Where the service shows the result of a request, to find it after a crash. */
	recordLookUp?: RecordLookUp;
	/** What a request costs, in the service's units; for billable operations. */
	cost?(request: ApiRequest): IDataObject;
	/** Returns the records of a response. Without this function, the response itself is the record. */
	output?(response: IDataObject): IDataObject[];
}

/** One checked request that is ready to be sent. */
export interface Plan {
	request: ApiRequest;
	/** The file that `prepare` uploads. */
	file?: BinaryFile;
	/** Whether the next send to the recipient waits for `follow`, too, because a call keeps the line busy. */
	holdsRecipient?: boolean;
	/** Makes the requests that must come first, such as an upload, and returns the request to send. */
	prepare?(call: Call): Promise<ApiRequest>;
	/**
	 * Returns the final record after the service has accepted the request. `inTime` ends work when the execution is
	 * stopped; `remaining` is in milliseconds.
	 */
	follow?(
		response: IDataObject,
		call: Call,
		inTime: ReturnType<typeof withDeadline>,
		remaining: number,
	): Promise<IDataObject>;
	/** Returns what the item shows of the record if an earlier attempt made the send. */
	describe?(record: IDataObject): IDataObject;
	/** Reads the records itself; `request` is then not sent. */
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
	/** Added to the output and to the details of a failure. */
	facts: IDataObject;
	/** Its recipients, in the order of its rows. */
	recipients?: string[];
	/** Identifies what is sent to all recipients. */
	campaign?: string;
	/** Whether each input item gets its own output item: the nth record for the nth item, or the failure. */
	isPerItem?: true;
}

/** An output item, for a request or for a row of the input. */
export interface OutputItem {
	/** Indices of the input items that it comes from. */
	items: number[];
	/** Its request, by its place among the plans; absent if it is in none. If the request fails, it fails too. */
	plan?: number;
	/** Returns its JSON; `record` is the result of its request. */
	json(record: IDataObject | undefined, isSimulated: boolean): IDataObject;
}

/** All requests of a run of a joined operation. */
export interface JoinedPlans {
	plans: JoinedPlan[];
	/**
	 * The output, in this order. All items of a failed request are one failed item. Without it, the output is the
	 * records of all plans.
	 */
	output?: OutputItem[];
	/** Shown after the run. */
	hints?: string[];
	/** Runs once if every job has succeeded. It may change the output items. */
	finish?(context: IExecuteFunctions, output: INodeExecutionData[]): Promise<void> | void;
}

/** An operation that makes its requests, one after another, from all input items together. */
export interface JoinedOperation extends OperationBase {
	kind: 'joined';
	/** Whether its options are read from the first item only. */
	readsFirst?: true;
	/** Plans the requests from the parameters of all items; throws InputFailure. */
	plan(reader: Reader, items: INodeExecutionData[]): JoinedPlans | Promise<JoinedPlans>;
	/** Returns the name of a request's result, for the message if a later request fails. */
	nameRecord(record: IDataObject): string;
}

/** One endpoint of the service as an operation of the node: data and pure functions. */
export type Operation = ItemOperation | JoinedOperation;

/** Whether an operation has parameters of its own. Without any, it returns the same for every item, so it runs once. */
export const hasParameters = ({ fields }: Pick<Operation, 'fields'>): boolean =>
	fields.some(({ name, type }) => name !== 'options' && type !== 'notice');

export function recordsOf(
	{ output }: Operation,
	response: IDataObject,
	facts?: IDataObject,
): IDataObject[] {
	const records = output?.(response) ?? [response];
	return facts ? records.map((record) => ({ ...record, ...facts })) : records;
}
