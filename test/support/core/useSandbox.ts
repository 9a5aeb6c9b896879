import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { startSandbox, type FaultInput, type Sandbox, type SandboxControl } from '../../../sandbox';
import type { RequestEntry } from '../../../sandbox/journal';
import { clearRows, useDeduplicator } from './deduplicator';
import { execute, failureOf, type Execution, type NodeFailure } from './execute';

type Rest = Partial<Omit<Execution, 'parameters'>>;

/** A sandbox for one test file, reset before each test. */
export interface SandboxOfTests {
	readonly control: SandboxControl;
	/** Base URL and key as a credential; the key with all scopes if none is given. */
	credential(apiKey?: string): { baseUrl: string; apiKey: string };
	/** Runs the action node and gives its items. */
	run(parameters: INodeParameters, rest?: Rest): Promise<INodeExecutionData[]>;
	/** Runs the action node and gives the JSON of its items. */
	json(parameters: INodeParameters, rest?: Rest): Promise<IDataObject[]>;
	/** Runs the action node and gives what it throws. */
	failure(parameters: INodeParameters, rest?: Rest): Promise<NodeFailure>;
	/** Runs the action node, which sends nothing, and gives the message of what it throws. */
	refusal(parameters: INodeParameters, rest?: Rest): Promise<string>;
	/** Lets the service answer the next request to a path in another way. */
	answers(
		path: string,
		status: number,
		body: unknown,
		more?: Partial<FaultInput>,
	): Promise<unknown>;
	/** Requests that arrived, in order. */
	requests(path?: string): Promise<RequestEntry[]>;
}

/**
 * Starts the sandbox of a test file; life cycles stand still unless a test sets them going.
 *
 * @param start where the sandbox runs; in the process of the tests if it does not matter
 */
export function useSandbox(start: () => Promise<Sandbox> = startSandbox): SandboxOfTests {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await start();
		await useDeduplicator();
	});
	beforeEach(async () => {
		clearRows();
		await sandbox.control.reset();
		await sandbox.control.setLifecycle({ enabled: false });
	});
	afterAll(async () => await sandbox.close());

	const credential = (apiKey = sandbox.keys.production) => ({ baseUrl: sandbox.baseUrl, apiKey });
	const run = async (parameters: INodeParameters, rest: Rest = {}) =>
		await execute({ credential: credential(), parameters, ...rest });
	const requests = async (path?: string) =>
		await sandbox.control.journal({ kind: 'request', ...(path === undefined ? {} : { path }) });
	const failure = async (parameters: INodeParameters, rest?: Rest) =>
		await failureOf(run(parameters, rest));
	return {
		get control() {
			return sandbox.control;
		},
		credential,
		run,
		json: async (parameters, rest) => (await run(parameters, rest)).map(({ json }) => json),
		failure,
		refusal: async (parameters, rest) => {
			const { message } = await failure(parameters, rest);
			expect(await requests()).toEqual([]);
			return message;
		},
		answers: async (path, status, body, more) =>
			await sandbox.control.addFault({ kind: 'status', path, status, body, ...more } as FaultInput),
		requests,
	};
}
