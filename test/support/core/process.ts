import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';

type Node = typeof MessagingService;

const nodePath = '../../../nodes/MessagingService/MessagingService.node';

/** Where a process ends: at which of its requests, and whether that one still reaches the service. */
export interface Crash {
	/** Requests that the process makes before; counted from 0. */
	afterRequests: number;
	/** Whether the request that it dies with arrives. */
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

/** What a call gives in a process that is dead. */
const never = async <T>(): Promise<T> => await new Promise<T>(() => {});

/**
 * A process of n8n as far as the node can tell: modules of its own, and once it has been killed no
 * call of it comes back or reaches anybody.
 */
export class Process {
	readonly node: InstanceType<Node>;

	private isDead = false;

	private requests = 0;

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

	private gate({ helpers }: IExecuteFunctions, crash: Crash | undefined): void {
		const { httpRequestWithAuthentication, checkProcessedAndRecord, removeProcessed } = helpers;
		const alive = async <T>(call: () => Promise<T>): Promise<T> => {
			if (this.isDead) return await never();
			const result = await call();
			return this.isDead ? await never() : result;
		};
		const { isDying } = this;
		Object.assign(helpers, {
			checkProcessedAndRecord: async (...args: Parameters<typeof checkProcessedAndRecord>) =>
				await alive(async () => await checkProcessedAndRecord(...args)),
			removeProcessed: async (...args: Parameters<typeof removeProcessed>) =>
				await alive(async () => await removeProcessed(...args)),
			httpRequestWithAuthentication: async function (
				this: IExecuteFunctions,
				...args: Parameters<typeof httpRequestWithAuthentication>
			) {
				const request = async () => await httpRequestWithAuthentication.apply(this, args);
				return await alive(async () => await isDying(crash, request));
			},
		});
	}

	private readonly isDying = async <T>(
		crash: Crash | undefined,
		request: () => Promise<T>,
	): Promise<T> => {
		if (this.requests++ !== crash?.afterRequests) return await request();
		if (crash.arrives) await request();
		this.die();
		return await never();
	};
}

const workflowModule = jest.requireActual<object>('n8n-workflow');
