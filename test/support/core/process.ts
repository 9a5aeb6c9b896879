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
		burial.signal.addEventListener('abort', () => reject(new Error('The process is dead')));
	});

/** To load the modules of a node takes longer than a history. */
const nodes: Array<InstanceType<Node>> = [];

/**
 * Runs the node in a process of n8n of which there were so many before: with modules of its own, as far
 * as the node's id is new, and once it has been killed no call of it comes back or reaches anybody.
 *
 * @returns its items, what it throws, or undefined if the process was killed meanwhile
 */
export async function executeInProcess(
	number: number,
	context: IExecuteFunctions,
	crash?: Crash,
): Promise<INodeExecutionData[] | Error | undefined> {
	const node = (nodes[number] ??= freshNode());
	let isDead = false;
	let die = () => {};
	const killed = new Promise<undefined>((resolve) => {
		die = () => {
			isDead = true;
			resolve(undefined);
		};
	});
	let calls = 0;
	/** A helper of n8n through which the process ends. */
	const gated = <Args extends unknown[], T>(helper: (...args: Args) => Promise<T>) =>
		async function (this: unknown, ...args: Args): Promise<T> {
			const isLast = calls++ === crash?.afterCalls;
			if (isLast && !crash.arrives) die();
			if (isDead) return await never();
			const result = await helper.apply(this, args);
			if (isLast) die();
			return isDead ? await never() : result;
		};
	const { helpers } = context;
	Object.assign(helpers, {
		checkProcessedAndRecord: gated(helpers.checkProcessedAndRecord),
		removeProcessed: gated(helpers.removeProcessed),
		httpRequestWithAuthentication: gated(helpers.httpRequestWithAuthentication),
	});
	const run = node.execute
		.call(context)
		.then(([items = []]) => items)
		.catch((error: unknown) => error as Error);
	return await Promise.race([run, killed]);
}
