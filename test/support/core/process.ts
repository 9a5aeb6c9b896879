import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';

type Node = typeof MessagingService;

const workflowModule = jest.requireActual<object>('n8n-workflow');

const nodePath = '../../../nodes/MessagingService/MessagingService.node';

/**
 * Where a process ends: at which of its calls, be it to the service or to n8n's database, and whether
 * that one still takes effect.
 */
export interface Crash {
	/** Calls that the process makes before; counted from 0. */
	afterCalls: number;
	/** Whether the call that it dies with arrives. */
	arrives: boolean;
}

/** A node whose modules are its own. */
function freshNode(): InstanceType<Node> {
	let node: InstanceType<Node> | undefined;
	jest.isolateModules(() => {
		// The node tells its own failures from others by n8n's classes.
		jest.doMock('n8n-workflow', () => workflowModule);
		const { MessagingService: Fresh } = jest.requireActual<{ MessagingService: Node }>(nodePath);
		node = new Fresh();
	});
	if (!node) throw new Error('The node was not loaded');
	return node;
}

/** Fails what is left of dead processes, whose time limits would keep Jest waiting. */
const burial = new AbortController();

afterAll(() => burial.abort());

/** What a call gives in a process that is dead: nothing while there are tests. */
const never = async <T>(): Promise<T> =>
	await new Promise<T>((_, reject) => {
		const { signal } = burial;
		const bury = () => reject(new Error('The process is dead'));
		if (signal.aborted) bury();
		else signal.addEventListener('abort', bury);
	});

/**
 * A process of n8n as far as the node can tell: modules of its own, and once it has been killed no
 * call of it comes back or reaches anybody.
 */
class Process {
	readonly node: InstanceType<Node>;

	private isDead = false;

	private calls = 0;

	/** What it noted last in n8n's database. */
	private noted: string[] = [];

	private die: () => void = () => {};

	/**
	 * @param free nodes that no process of this history has had, and whose modules know nothing of it;
	 * one is made if there is none
	 */
	constructor(free: Array<InstanceType<Node>> = []) {
		this.node = free.pop() ?? freshNode();
	}

	/**
	 * Runs the node.
	 *
	 * @returns its items, what it throws, or undefined if the process was killed meanwhile
	 */
	async execute(
		context: IExecuteFunctions,
		crash?: Crash,
	): Promise<INodeExecutionData[] | Error | undefined> {
		const killed = new Promise<undefined>((resolve) => {
			this.die = () => {
				this.isDead = true;
				resolve(undefined);
			};
		});
		this.gate(context, crash);
		const run = this.node.execute
			.call(context)
			.then(([items = []]) => items)
			.catch((error: unknown) => error as Error);
		return await Promise.race([run, killed]);
	}

	/** Whether it was killed while it asked n8n's database how earlier tries had cut their list. */
	get wasLooking(): boolean {
		return this.noted.some((entry) => entry.startsWith('asking '));
	}

	private async end(): Promise<never> {
		this.die();
		return await never();
	}

	private gate({ helpers }: IExecuteFunctions, crash: Crash | undefined): void {
		const { httpRequestWithAuthentication, checkProcessedAndRecord, removeProcessed } = helpers;
		const call = async <T>(made: () => Promise<T>): Promise<T> => {
			const isLast = this.calls++ === crash?.afterCalls;
			if (this.isDead) return await never();
			if (isLast && !crash.arrives) return await this.end();
			const result = await made();
			if (isLast) return await this.end();
			return this.isDead ? await never() : result;
		};
		Object.assign(helpers, {
			checkProcessedAndRecord: async (...args: Parameters<typeof checkProcessedAndRecord>) => {
				this.noted = args[0].map(String);
				return await call(async () => await checkProcessedAndRecord(...args));
			},
			removeProcessed: async (...args: Parameters<typeof removeProcessed>) =>
				await call(async () => await removeProcessed(...args)),
			httpRequestWithAuthentication: async function (
				this: IExecuteFunctions,
				...args: Parameters<typeof httpRequestWithAuthentication>
			) {
				return await call(async () => await httpRequestWithAuthentication.apply(this, args));
			},
		});
	}
}

/**
 * The processes of one history after the other. To load the modules of a node takes longer than a
 * history, and what they keep belongs to a node's id: with another id they serve another history.
 */
export class Processes {
	private readonly all: Array<InstanceType<Node>> = [];

	private free: Array<InstanceType<Node>> = [];

	private histories = 0;

	/** Begins a history; gives the id of its node. */
	begin(): string {
		this.free = [...this.all];
		return `node of history ${++this.histories}`;
	}

	/** A process that knows nothing of the history. */
	start(): Process {
		const isNew = this.free.length === 0;
		const process = new Process(this.free);
		if (isNew) this.all.push(process.node);
		return process;
	}
}
