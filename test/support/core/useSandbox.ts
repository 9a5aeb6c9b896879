import type { INodeParameters } from 'n8n-workflow';
import type { FaultInput } from '../../../sandbox';
import { clearRows, useDeduplicator } from './deduplicator';
import { execute, failureOf, type Execution } from './execute';
import { useService } from './useService';

type Rest = Partial<Omit<Execution, 'parameters'>>;

/** A sandbox for one test file, reset before each test. */
export type SandboxOfTests = ReturnType<typeof useSandbox>;

/** Starts the sandbox of a test file; life cycles stand still unless a test sets them going. */
export function useSandbox() {
	const service = useService();
	beforeAll(useDeduplicator);
	beforeEach(clearRows);

	/** Base URL and key as a credential; the key with all scopes if none is given. */
	const credential = (apiKey = service.sandbox.keys.production) => ({
		baseUrl: service.sandbox.baseUrl,
		apiKey,
	});
	/** Runs the action node and gives its items. */
	const run = async (parameters: INodeParameters, rest: Rest = {}) =>
		await execute({ credential: credential(), parameters, ...rest });
	/** Requests that arrived, in order. */
	const requests = async (path?: string) =>
		await service.control.journal({ kind: 'request', ...(path === undefined ? {} : { path }) });
	/** Runs the action node and gives what it throws. */
	const failure = async (parameters: INodeParameters, rest?: Rest) =>
		await failureOf(run(parameters, rest));
	return {
		get control() {
			return service.control;
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
			await service.control.addFault({ kind: 'status', path, status, body, ...more } as FaultInput),
		requests,
	};
}
