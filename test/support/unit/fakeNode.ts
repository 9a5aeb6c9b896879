import { randomUUID } from 'node:crypto';
import {
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { node } from '../../../harness/builders';
import type { Operation } from '../../../nodes/MessagingService/operation';
import { run } from '../../../nodes/MessagingService/running/run';
import { get } from 'lodash';

let executions = 0;

/** One execution of a workflow, as far as a node can tell. */
export class FakeExecution {
	readonly mode: WorkflowExecuteMode = 'trigger';

	/** When the first of those began that are retried from one. */
	readonly establishedAt: number = 1_700_000_000_001 + executions;

	readonly id: string = String(++executions);

	/** How the first of them began. */
	readonly source: string = 'trigger';

	/** The execution that has called it as a sub-workflow. */
	readonly calledBy?: string;

	/** What n8n keeps of the node. */
	readonly stored: IDataObject = {};

	/** What n8n keeps of the execution as a whole. */
	readonly flow: IDataObject = {};

	readonly stop = new AbortController();

	private readonly handlers: Array<() => unknown> = [];

	constructor(
		facts: Partial<
			Pick<FakeExecution, 'mode' | 'establishedAt' | 'id' | 'source' | 'calledBy' | 'stored'>
		> = {},
	) {
		Object.assign(this, facts);
	}

	/** The same one, as n8n goes on from what it has kept while it waited. */
	resumed(): FakeExecution {
		const { id, mode } = this;
		return new FakeExecution({ ...this.kept, id, mode });
	}

	/** Retry from the list of executions. */
	retried(): FakeExecution {
		return new FakeExecution({ ...this.kept, mode: 'retry' });
	}

	/** Retry after a crash: n8n has kept nothing, of a sub-workflow not even when it began. */
	afterCrash(): FakeExecution {
		const { calledBy, establishedAt } = this;
		const kept = calledBy === undefined ? { establishedAt } : { calledBy, source: 'retry' };
		return new FakeExecution({ ...kept, mode: 'retry' });
	}

	private get kept() {
		const { establishedAt, source, calledBy, stored } = this;
		return { establishedAt, source, calledBy, stored: structuredClone(stored) };
	}

	atEnd(handler: () => unknown): void {
		this.handlers.push(handler);
	}

	/** What n8n keeps of how it has ended. */
	readonly resultData: { error?: Error } = {};

	/** What n8n does once the execution is over, also if a later node has failed. */
	async end(error = this.resultData.error): Promise<void> {
		this.resultData.error = error;
		for (const handler of this.handlers.splice(0)) await handler();
	}
}

interface Settings {
	/**
	 * The service's JSON for what arrives, or the error that the connection ends in; JSON with an
	 * `error` comes with status 400.
	 */
	answer?(body: IDataObject): unknown;
	/** Called before each write into n8n's database; what it throws is what the database says. */
	onWrite?(): unknown;
	/** Whether the process dies with this call: a write, which is not made, or a request, which arrives. */
	diesWith?(body: IDataObject | undefined): boolean;
	/** The call with which it dies, by number. */
	diesAt?: number;
	/** Gets the body of the request with which it has died. */
	onLast?(body: IDataObject): void;
	/** The row of the node in n8n's database, for processes that share one. */
	entries?: Set<string>;
	/** Whether it is the tool of an agent. */
	isTool?: boolean;
	/** Undefined for a workflow that was never saved. */
	workflowId?: string | undefined;
}

/** One run of the node. */
export interface FakeRun {
	/** One empty item by default. */
	items?: IDataObject[];
	/** Parameters; a text `={{ $json.name }}` is the field of the item, or fails if that is an error. */
	parameters?: IDataObject;
	/** What expressions read in place of the items: those of an earlier node. */
	read?: IDataObject[];
	continueOnFail?: boolean;
	retryOnFail?: boolean;
	/** The same again is another try within one execution. */
	execution?: FakeExecution;
	runIndex?: number;
	/** Which run of the agent has called it. */
	caller?: number;
	/** What n8n gives of it, or how it fails to. */
	credential?: IDataObject | Error;
	credentialId?: string;
	/** An n8n that cannot say that an execution is stopped, or has ended. */
	isOld?: boolean;
	/** The time limit of the workflow in seconds. */
	executionTimeout?: number;
}

/** A node in one process of n8n, the service that it sends to, and the database that it notes in. */
export class FakeNode {
	/** Requests that reached the service. */
	readonly requests: IHttpRequestOptions[] = [];

	/** What n8n shows beside the output. */
	readonly hints: string[] = [];

	readonly store: Store;

	private readonly id = randomUUID();

	private isDead = false;

	private calls = 0;

	private die = (): void => {};

	private readonly death = new Promise<undefined>((resolve) => {
		this.die = () => resolve(undefined);
	});

	constructor(private readonly settings: Settings = {}) {
		this.store = new Store(async () => {
			this.live(undefined);
			if (this.isDead) await new Promise(() => {});
			await settings.onWrite?.();
		}, settings.entries);
	}

	private live(body: IDataObject | undefined): void {
		const { diesWith, diesAt } = this.settings;
		this.isDead ||= this.calls++ === diesAt || diesWith?.(body) === true;
		if (this.isDead) this.die();
	}

	private async request(options: IHttpRequestOptions): Promise<unknown> {
		if (this.isDead) throw lost();
		this.requests.push(options);
		const { answer = () => ({ success: true }) } = this.settings;
		const sent = bodyOf(options.body);
		this.live(sent);
		if (this.isDead) this.settings.onLast?.(sent);
		const body = this.isDead ? lost() : ((await answer(sent)) as IDataObject | Error);
		if (body instanceof Error) throw body;
		if ('error' in body) return { statusCode: 400, headers: {}, body };
		const said = options.method === 'GET' ? body : { success: true, ...body };
		return { statusCode: 200, headers: {}, body: said };
	}

	/** Whether its process has died. */
	get hasDied(): boolean {
		return this.isDead;
	}

	/** The bodies that reached the service. */
	get sent(): IDataObject[] {
		return this.requests.map(({ body }) => bodyOf(body));
	}

	/** Runs an operation; gives its items, what it throws, or undefined if the process died. */
	async tried(
		operation: Operation,
		one: FakeRun = {},
	): Promise<INodeExecutionData[] | NodeFailure | undefined> {
		const result = run(this.context(one), operation);
		const ended = result.catch((error: unknown) => {
			if (error instanceof Error && 'context' in error) return error as NodeFailure;
			throw error;
		});
		const items = await Promise.race([ended, this.death]);
		if (one.execution) one.execution.resultData.error = items instanceof Error ? items : undefined;
		expect(this.store.hasOverlapped).toBe(false);
		return items;
	}

	/** Runs an operation; gives its items. */
	async run(operation: Operation, one: FakeRun = {}): Promise<INodeExecutionData[]> {
		const items = await this.tried(operation, one);
		if (items instanceof Error) throw items;
		if (items) return items;
		throw new Error('The process died');
	}

	/** Runs an operation; gives the JSON of its items. */
	async json(operation: Operation, one: FakeRun = {}): Promise<IDataObject[]> {
		return (await this.run(operation, one)).map(({ json }) => json);
	}

	/** Runs an operation; gives what it throws. */
	async failure(operation: Operation, one: FakeRun = {}): Promise<NodeFailure> {
		const items = await this.tried(operation, one);
		if (items instanceof Error) return items;
		throw new Error(`Expected a failure, got ${JSON.stringify(items)}`);
	}

	private context(one: FakeRun): IExecuteFunctions {
		const { items = [{}], parameters = {}, execution = new FakeExecution(), runIndex = 0 } = one;
		const { isTool = false } = this.settings;
		const workflowId = 'workflowId' in this.settings ? this.settings.workflowId : 'workflow';
		const valueOf = (name: string, index: number): unknown => {
			const raw = get(parameters, name);
			const [, field] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(raw)) ?? [];
			const value = field === undefined ? raw : (one.read ?? items)[index]?.[field];
			if (value instanceof Error) throw value;
			return value;
		};
		return {
			helpers: {
				...this.store.helpers,
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await this.request(options),
			},
			getWorkflow: () => ({ id: workflowId }),
			getNode: () => ({
				...node('Send', `n8n-nodes-messaging-service.messagingService${isTool ? 'Tool' : ''}`),
				id: this.id,
				retryOnFail: one.retryOnFail === true,
				credentials: { messagingServiceApi: { id: one.credentialId ?? '1', name: 'Account' } },
			}),
			getInputData: () => items.map((json) => ({ json })),
			getTimezone: () => 'Asia/Kolkata',
			getNodeParameter: (name: string, index: number, missing: unknown, options?: object) =>
				(options ? get(parameters, name) : valueOf(name, index)) ?? missing,
			getCredentials: async () => {
				const { credential = { baseUrl: 'https://host.example/api/v1', apiKey: 'key' } } = one;
				if (credential instanceof Error) throw credential;
				return await Promise.resolve(credential);
			},
			getMode: () => execution.mode,
			getExecutionId: () => execution.id,
			getWorkflowSettings: () => ({ executionTimeout: one.executionTimeout }),
			addExecutionHints: ({ message }: { message: string }) => this.hints.push(message),
			getExecutionContext: () => ({
				establishedAt: execution.establishedAt,
				source: execution.source,
				parentExecutionId: execution.calledBy,
			}),
			getExecutionCancelSignal: () => (one.isOld ? undefined : execution.stop.signal),
			onExecutionFinish: one.isOld
				? undefined
				: (handler: () => unknown) => execution.atEnd(handler),
			getWorkflowDataProxy: () => ({
				$runIndex: runIndex,
				$prevNode: { name: 'Agent', runIndex: one.caller ?? 0 },
			}),
			getContext: (type: string) => (type === 'node' ? execution.stored : execution.flow),
			continueOnFail: () => one.continueOnFail === true,
			runExecutionData: { resultData: execution.resultData },
		} as unknown as IExecuteFunctions;
	}
}

/** What n8n offers a node for noting entries, held in memory. */
class Store {
	/** Each call, as `note` or `strike` and what was given. */
	readonly calls: Array<[string, string[]]> = [];

	/** Whether one process has made two writes at once: n8n would have lost one of them. */
	hasOverlapped = false;

	private writing = 0;

	constructor(
		private readonly onWrite: () => Promise<void>,
		readonly entries = new Set<string>(),
	) {}

	private async write(call: string, items: string[], asked: unknown[]): Promise<void> {
		expect(asked).toEqual(['node', 'entries']);
		this.calls.push([call, items]);
		this.hasOverlapped ||= this.writing++ > 0;
		try {
			await this.onWrite();
		} finally {
			this.writing--;
		}
	}

	readonly helpers = {
		checkProcessedAndRecord: async (
			items: string[],
			scope: string,
			{ mode, maxEntries = Infinity }: { mode: string; maxEntries?: number },
		) => {
			await this.write('note', items, [scope, mode]);
			const processed = items.filter((item) => this.entries.has(item));
			for (const item of items) this.entries.add(item);
			for (const oldest of this.entries) {
				if (this.entries.size <= maxEntries) break;
				this.entries.delete(oldest);
			}
			return { new: [], processed };
		},
		removeProcessed: async (items: string[], scope: string, { mode }: { mode: string }) => {
			await this.write('strike', items, [scope, mode]);
			for (const item of items) this.entries.delete(item);
		},
	};
}

/** What n8n shows of a failed node. */
export interface NodeFailure extends Error {
	description: string;
	context: { itemIndex?: number; data?: IDataObject };
}

const bodyOf = (body: unknown): IDataObject =>
	Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as IDataObject) : {};

/** A connection that breaks off: whether the request arrived is not known. */
export const lost = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
