import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type FaultInput, type Sandbox } from '../../../sandbox';
import { clearRows, useDeduplicator } from './deduplicator';
import { execute, failureOf, type Execution } from './execute';

type Rest = Partial<Omit<Execution, 'parameters'>>;

/** A sandbox for one test file, reset before each test. */
export type SandboxOfTests = ReturnType<typeof useSandbox>;

/** Starts the sandbox of a test file; life cycles stand still unless a test sets them going. */
export function useSandbox() {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox();
		await useDeduplicator();
	});
	beforeEach(async () => {
		clearRows();
		await sandbox.control.reset();
		await sandbox.control.setLifecycle({ enabled: false });
	});
	afterAll(async () => await sandbox.close());

	/** Base URL and key as a credential; the key with all scopes if none is given. */
	const credential = (apiKey = sandbox.keys.production) => ({ baseUrl: sandbox.baseUrl, apiKey });
	/** Runs the action node and gives its items. */
	const run = async (parameters: INodeParameters, rest: Rest = {}) =>
		await execute({ credential: credential(), parameters, ...rest });
	/** Requests that arrived, in order. */
	const requests = async (path?: string) =>
		await sandbox.control.journal({ kind: 'request', ...(path === undefined ? {} : { path }) });
	/** Runs the action node and gives what it throws. */
	const failure = async (parameters: INodeParameters, rest?: Rest) =>
		await failureOf(run(parameters, rest));
	return {
		get control() {
			return sandbox.control;
		},
		credential,
		run,
		/** Runs the action node and gives the JSON of its items. */
		json: async (parameters: INodeParameters, rest?: Rest) =>
			(await run(parameters, rest)).map(({ json }) => json),
		failure,
		/** Runs the action node, which sends nothing, and gives the message of what it throws. */
		refusal: async (parameters: INodeParameters, rest?: Rest) => {
			const { message } = await failure(parameters, rest);
			expect(await requests()).toEqual([]);
			return message;
		},
		/** Lets the service answer the next request to a path in another way. */
		answers: async (path: string, status: number, body: unknown, more?: Partial<FaultInput>) =>
			await sandbox.control.addFault({ kind: 'status', path, status, body, ...more } as FaultInput),
		requests,
	};
}
