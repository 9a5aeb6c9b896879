import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	attachN8n,
	chain,
	items,
	manualTrigger,
	messagingService,
	type CredentialRef,
	type Execution,
	type NodeExtra,
} from '../../../harness';
import { startSandbox, type Sandbox, type SandboxControl } from '../../../sandbox';
import type { RequestEntry } from '../../../sandbox/journal';

/** Name of the action node. */
export const node = 'Messaging Service';

/** What a run of the action node begins with. */
interface Run {
	parameters: INodeParameters;
	/** Its input items, or the node that makes them; one item if absent. */
	input?: IDataObject[] | INode;
	extra?: NodeExtra;
	timezone?: string;
}

/** The action node in a workflow of the real n8n, and a sandbox of its own that is reset before each test. */
interface OneNode {
	readonly n8n: ReturnType<typeof attachN8n>;
	readonly control: SandboxControl;
	run(run: Run): Promise<Execution>;
	/** The JSON of the items that a run gives; a failure fails the test. */
	json(run: Run): Promise<IDataObject[]>;
	/** What a run fails with. */
	failure(run: Run): Promise<NonNullable<Execution['error']>>;
	/** Requests that arrived, in order. */
	requests(path?: string): Promise<RequestEntry[]>;
	/** Bodies of the requests that the service acted on. */
	accepted(path: string): Promise<IDataObject[]>;
}

/** @param name of the test file, for the credential and the workflows */
export function useOneNode(name: string): OneNode {
	const n8n = attachN8n();
	let sandbox: Sandbox;
	let credential: CredentialRef;
	beforeAll(async () => {
		sandbox = await startSandbox();
		const { baseUrl, keys } = sandbox;
		credential = await n8n.createCredential(name, { baseUrl, apiKey: keys.production });
	});
	beforeEach(async () => {
		await sandbox.control.reset();
		await sandbox.control.setLifecycle({ enabled: false });
	});
	afterAll(async () => await sandbox.close());

	const run = async ({ parameters, input = [{}], extra = {}, timezone }: Run) => {
		const source = Array.isArray(input) ? items(input, 'Input') : input;
		const sender = messagingService(parameters, credential, { ...extra, name: node });
		const settings = timezone === undefined ? undefined : { timezone };
		const workflow = chain(name, [manualTrigger(), source, sender], settings);
		return await n8n.run(await n8n.createWorkflow(workflow));
	};
	const requests = async (path?: string) =>
		await sandbox.control.journal({ kind: 'request', ...(path === undefined ? {} : { path }) });
	return {
		n8n,
		get control() {
			return sandbox.control;
		},
		run,
		json: async (one) => {
			const execution = await run(one);
			expect(execution.error).toBeUndefined();
			return execution.json(node);
		},
		failure: async (one) => {
			const { error } = await run(one);
			if (!error) throw new Error('Expected a failure');
			return error;
		},
		requests,
		accepted: async (path) =>
			(await requests(path))
				.filter(({ processed }) => processed)
				.map(({ body }) => body as IDataObject),
	};
}
