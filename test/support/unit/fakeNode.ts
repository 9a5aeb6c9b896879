import { randomUUID } from 'node:crypto';
import { get } from 'lodash';
import {
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { node } from '../../../harness/builders';
import type { Operation } from '../../../nodes/MessagingService/operation';
import type { NodeFailure } from '../core/execute';
import { note, strike } from '../row';
import { run } from '../../../nodes/MessagingService/running/run';

let executions = 0;

/** One execution of a workflow, as far as a node can see. */
export class FakeExecution {
	readonly mode: WorkflowExecuteMode = 'trigger';
	/** Start and mode of the first of the executions that are retried from one. */
	readonly establishedAt: number = 1_700_000_000_001 + executions;
	readonly source: string = 'trigger';
	/** Whether the workflow is published. */
	readonly active: boolean = true;
	/** What n8n notes of whoever started it. */
	readonly manualData?: { source: string };
	/** The kind of n8n process in which it runs. */
	readonly instanceType?: string = 'main';
	readonly id: string = String(++executions);
	/** The execution that called it as a sub-workflow. */
	readonly calledBy?: string;
	/** The context of the node, which n8n saves. */
	readonly stored: IDataObject = {};
	/** The context of the execution. */
	readonly flow: IDataObject = {};
	readonly stop = new AbortController();
	readonly resultData: { error?: Error } = {};
	readonly handlers: Array<() => unknown> = [];

	constructor(facts: Partial<FakeExecution> = {}) {
		Object.assign(this, facts);
	}

	/** The same one, as n8n continues it after a wait. */
	resumed(): FakeExecution {
		return new FakeExecution({ ...this.kept, id: this.id, mode: this.mode });
	}

	/** Retry from the list of executions. */
	retried(): FakeExecution {
		return new FakeExecution({ ...this.kept, mode: 'retry' });
	}

	/** Retry after a crash: the node's context is lost, and when a sub-workflow began. */
	afterCrash(): FakeExecution {
		const { calledBy, establishedAt } = this;
		const kept = calledBy === undefined ? { establishedAt } : { calledBy, source: 'retry' };
		return new FakeExecution({ ...kept, mode: 'retry' });
	}

	private get kept() {
		const { establishedAt, source, calledBy, stored } = this;
		return { establishedAt, source, calledBy, stored: structuredClone(stored) };
	}

	/** Ends the execution, with the error of a later node if there is one. */
	async end(error = this.resultData.error): Promise<void> {
		this.resultData.error = error;
		for (const handler of this.handlers.splice(0)) await handler();
	}
}

interface Settings {
	/** The service's JSON (with `error`: status 400), or the error in which the connection ends. */
	respond?(body: IDataObject): unknown;
	/** Called before each write to n8n's database; may throw. */
	onWrite?(): unknown;
	/** Whether the process dies with this write, which is not made, or this request, which arrives. */
	diesWith?(body: IDataObject | undefined): boolean;
	/** The number of the write or request with which it dies. */
	diesAt?: number;
	/** Gets the body of the request with which it died. */
	onLast?(body: IDataObject): void;
	/** The node's row in n8n's database, for processes that share one. */
	entries?: Set<string>;
	isTool?: boolean;
	/** Whether its workflow was never saved, so that it has no row. */
	isUnsaved?: boolean;
}

/** One run of the node. */
export interface FakeRun {
	/** One empty item by default. */
	items?: IDataObject[];
	/** A text `={{ $json.name }}` is the field of the item; if that is an error, it is thrown. */
	parameters?: IDataObject;
	continueOnFail?: boolean;
	retryOnFail?: boolean;
	/** The same one again is another attempt of Retry On Fail. */
	execution?: FakeExecution;
	runIndex?: number;
	credential?: IDataObject | Error;
	credentialId?: string;
	/** The time limit of the workflow in seconds. */
	executionTimeout?: number;
}

/** A node in one n8n process, with a fake service and row. */
export class FakeNode {
	/** Requests that reached the service. */
	readonly requests: IHttpRequestOptions[] = [];
	/** Execution hints. */
	readonly hints: string[] = [];
	/** The entries of its row. */
	readonly entries: Set<string>;
	private readonly id = randomUUID();
	/** Whether two writes overlapped: n8n would have lost one of them. */
	private hasOverlapped = false;
	private writing = 0;
	private calls = 0;
	private isDead = false;
	private die = (): void => {};
	private readonly death = new Promise<undefined>((resolve) => {
		this.die = () => resolve(undefined);
	});

	constructor(private readonly settings: Settings = {}) {
		this.entries = settings.entries ?? new Set();
	}

	/** Counts a write, or a request with its body; never ends if the process dies with it. */
	private async live(body?: IDataObject): Promise<void> {
		const { diesWith, diesAt, onLast } = this.settings;
		if (!this.isDead && this.calls++ !== diesAt && diesWith?.(body) !== true) return;
		if (!this.isDead && body) onLast?.(body);
		this.isDead = true;
		this.die();
		await new Promise(() => {});
	}

	private async request(options: IHttpRequestOptions): Promise<unknown> {
		if (!this.isDead) this.requests.push(options);
		const sent = bodyOf(options.body);
		await this.live(sent);
		const { respond = () => ({}) } = this.settings;
		const body = (await respond(sent)) as IDataObject | Error;
		if (body instanceof Error) throw body;
		if ('error' in body) return { statusCode: 400, headers: {}, body };
		const success = options.method === 'GET' ? {} : { success: true };
		return { statusCode: 200, headers: {}, body: { ...success, ...body } };
	}

	private async write(scope: string, mode: string): Promise<void> {
		expect([scope, mode]).toEqual(['node', 'entries']);
		this.hasOverlapped ||= this.writing++ > 0;
		try {
			await this.live();
			await this.settings.onWrite?.();
		} finally {
			this.writing--;
		}
	}

	/** n8n's helpers. */
	private readonly helpers = {
		httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
			await this.request(options),
		checkProcessedAndRecord: async (
			items: string[],
			scope: string,
			{ mode, maxEntries }: { mode: string; maxEntries: number },
		) => {
			await this.write(scope, mode);
			return note(this.entries, items, maxEntries);
		},
		removeProcessed: async (items: string[], scope: string, { mode }: { mode: string }) => {
			await this.write(scope, mode);
			strike(this.entries, items);
		},
	};

	/** The bodies that reached the service. */
	get sent(): IDataObject[] {
		return this.requests.map(({ body }) => bodyOf(body));
	}

	/** Runs an operation; returns its items, what it throws, or undefined if the process died. */
	async tried(
		operation: Operation,
		one: FakeRun = {},
	): Promise<INodeExecutionData[] | NodeFailure | undefined> {
		const ended = run(this.context(one), operation).catch((error: unknown) => {
			if (error instanceof Error && 'context' in error) return error as NodeFailure;
			throw error;
		});
		const items = await Promise.race([ended, this.death]);
		if (one.execution) one.execution.resultData.error = items instanceof Error ? items : undefined;
		expect(this.hasOverlapped).toBe(false);
		return items;
	}

	/** Runs an operation; returns its items. */
	async run(operation: Operation, one?: FakeRun): Promise<INodeExecutionData[]> {
		const items = await this.tried(operation, one);
		if (Array.isArray(items)) return items;
		throw items ?? new Error('The process died');
	}

	/** Runs an operation; returns the JSON of its items. */
	async json(operation: Operation, one?: FakeRun): Promise<IDataObject[]> {
		return (await this.run(operation, one)).map(({ json }) => json);
	}

	/** Runs an operation; returns what it throws. */
	async failure(operation: Operation, one?: FakeRun): Promise<NodeFailure> {
		const items = await this.tried(operation, one);
		if (items instanceof Error) return items;
		throw new Error(`Expected a failure, got ${JSON.stringify(items)}`);
	}

	private context(one: FakeRun): IExecuteFunctions {
		const { items = [{}], parameters = {}, execution = new FakeExecution(), runIndex = 0 } = one;
		const { credential = { baseUrl: 'https://host.example/api/v1', apiKey: 'key' } } = one;
		const { establishedAt, source, calledBy, active, instanceType, manualData } = execution;
		const valueOf = (name: string, index: number): unknown => {
			const raw = get(parameters, name);
			const [, field] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(raw)) ?? [];
			const value = field === undefined ? raw : items[index]?.[field];
			if (value instanceof Error) throw value;
			return value;
		};
		return {
			helpers: this.helpers,
			getWorkflow: () => ({ id: this.settings.isUnsaved ? undefined : 'workflow', active }),
			instanceSettings: { instanceType },
			getNode: () => ({
				...node('Send', `messagingService${this.settings.isTool ? 'Tool' : ''}`),
				id: this.id,
				retryOnFail: one.retryOnFail === true,
				credentials: { messagingServiceApi: { id: one.credentialId ?? '1', name: 'Account' } },
			}),
			getInputData: () => items.map((json) => ({ json })),
			getTimezone: () => 'Asia/Kolkata',
			getNodeParameter: (name: string, index: number, missing: unknown, options?: object) => {
				const raw: unknown = get(parameters, name, missing);
				return options || raw === missing ? raw : valueOf(name, index);
			},
			getCredentials: async () =>
				credential instanceof Error
					? await Promise.reject(credential)
					: { countryCodes: '', ...credential },
			getMode: () => execution.mode,
			getExecutionId: () => execution.id,
			getWorkflowSettings: () => ({ executionTimeout: one.executionTimeout }),
			addExecutionHints: ({ message }: { message: string }) => this.hints.push(message),
			getExecutionContext: () => ({ establishedAt, source, parentExecutionId: calledBy }),
			getExecutionCancelSignal: () => execution.stop.signal,
			onExecutionFinish: (handler: () => unknown) => execution.handlers.push(handler),
			getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
			getContext: (type: string) => (type === 'node' ? execution.stored : execution.flow),
			continueOnFail: () => one.continueOnFail === true,
			runExecutionData: { resultData: execution.resultData, manualData },
		} as unknown as IExecuteFunctions;
	}
}

const bodyOf = (body: unknown): IDataObject =>
	Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as IDataObject) : {};

/** A connection that breaks off: the request may have arrived. */
export const lost = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
