import { map } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import type { FaultInput } from '../../../sandbox';
import { clearRows, useDeduplicator } from './deduplicator';
import { execute, executeContext, failureOf, type Execution } from './execute';
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
	/** Runs the action node and returns its items. */
	const run = async (parameters: INodeParameters, rest: Rest = {}) =>
		await execute({ credential: credential(), parameters, ...rest });
	/** Requests that arrived, in order. */
	const requests = async (path?: string) =>
		await service.control.journal({ kind: 'request', ...(path === undefined ? {} : { path }) });
	/** Runs the action node and returns what it throws. */
	const failure = async (parameters: INodeParameters, rest?: Rest) =>
		await failureOf(run(parameters, rest));
	return {
		get control() {
			return service.control;
		},
		credential,
		run,
		/** Runs the action node and returns the JSON of its items. */
		json: async (parameters: INodeParameters, rest?: Rest) =>
			(await run(parameters, rest)).map(({ json }) => json),
		/** Runs the action node and returns its items and the texts of its hints. */
		hinted: async (parameters: INodeParameters, rest: Rest = {}) => {
			const context = executeContext({ credential: credential(), parameters, ...rest });
			const [items = []] = await new MessagingService().execute.call(context);
			return { items, hints: map(context.hints, 'message') };
		},
		failure,
		/** Runs the action node, which sends nothing, and returns the message of what it throws. */
		refusal: async (parameters: INodeParameters, rest?: Rest) => {
			const { message } = await failure(parameters, rest);
			expect(await requests()).toEqual([]);
			return message;
		},
		/** Bodies of the requests that arrived at a path, in order. */
		bodies: async (path: string) => map(await requests(path), 'body') as IDataObject[],
		/** Replaces the response to the next request to a path. */
		responds: async (path: string, status: number, body: unknown, more?: Partial<FaultInput>) =>
			await service.control.addFault({ kind: 'status', path, status, body, ...more } as FaultInput),
		requests,
	};
}
