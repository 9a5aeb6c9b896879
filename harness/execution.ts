import type { ExecutionStatus, IDataObject, INodeExecutionData } from 'n8n-workflow';

/** What an execution or a node failed with, as n8n saved it. */
export interface SavedError extends IDataObject {
	message: string;
	description?: string | null;
	context?: { itemIndex?: number; data?: IDataObject };
}

/** One run of one node in an execution. */
export interface NodeRun {
	error?: SavedError;
	data?: { main?: Array<INodeExecutionData[] | null> };
}

/** An execution as `GET /api/v1/executions/:id?includeData=true` returns it. */
export interface RawExecution {
	id: number | string;
	status: ExecutionStatus;
	mode: string;
	workflowId: string;
	data?: { resultData?: { error?: SavedError; runData?: Record<string, NodeRun[]> } };
}

/** A saved execution, in the words of a test. */
export class Execution {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly mode: string;
	readonly error: SavedError | undefined;

	constructor(readonly raw: RawExecution) {
		this.id = String(raw.id);
		this.status = raw.status;
		this.mode = raw.mode;
		this.error = raw.data?.resultData?.error;
	}

	/** Whether nothing more will happen in it by itself. */
	get isOver(): boolean {
		return !['new', 'running', 'waiting', 'unknown'].includes(this.status);
	}

	/** Every run of a node; empty when the node did not run. */
	runs(nodeName: string): NodeRun[] {
		return this.raw.data?.resultData?.runData?.[nodeName] ?? [];
	}

	/** The items a node returned on one of its outputs, over all its runs. */
	output(nodeName: string, outputIndex = 0): INodeExecutionData[] {
		return this.runs(nodeName).flatMap((run) => run.data?.main?.[outputIndex] ?? []);
	}

	/** The JSON of these items. */
	json(nodeName: string, outputIndex = 0): IDataObject[] {
		return this.output(nodeName, outputIndex).map((item) => item.json);
	}
}
