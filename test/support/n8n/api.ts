/* eslint-disable @n8n/community-nodes/require-node-api-error -- runs on the developer's machine, never inside n8n */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { CredentialRef, WorkflowJson } from './builders';
import { N8nClient, N8nHttpError, type Session } from './client';
import { Execution, type RawExecution } from './execution';
import { PACKAGE_NAME } from './paths';
import { PATIENCE_MS, waitFor } from './waiting';

const CREDENTIAL_TYPE = 'messagingServiceApi';

interface SavedWorkflow extends WorkflowJson {
	id: string;
	versionId: string;
	active: boolean;
	isArchived: boolean;
}

interface PublicationStatus {
	status: 'failed' | 'in_progress' | 'not_published' | 'partial' | 'published';
	liveVersionId: string | null;
	triggers: Array<{ errorMessage: string | null }>;
}

/** Everything a person does in the editor, over HTTP. */
export class N8nApi {
	private readonly client: N8nClient;

	constructor(readonly session: Session) {
		this.client = new N8nClient(session);
	}

	get url(): string {
		return this.session.url;
	}

	/** A raw call of the editor's interface (`/rest`), for what has no method here. */
	async rest<T>(method: string, path: string, body?: unknown): Promise<T> {
		return await this.client.rest<T>(method, path, body);
	}

	// --- Credentials -----------------------------------------------------------------------------

	async createCredential(
		name: string,
		data: IDataObject,
		type = CREDENTIAL_TYPE,
	): Promise<CredentialRef> {
		const { id } = await this.rest<{ id: string }>('POST', '/credentials', { name, type, data });
		return { id, name };
	}

	/**
	 * What the editor does when a credential is saved or "Retry" is pressed.
	 * @param credential a saved one's id, or values that were never saved
	 */
	async testCredential(
		credential: string | IDataObject,
		type = CREDENTIAL_TYPE,
	): Promise<{ status: 'Error' | 'OK'; message: string }> {
		const credentials =
			typeof credential === 'string'
				? await this.rest<IDataObject>('GET', `/credentials/${credential}?includeData=true`)
				: { id: '', name: 'Unsaved', type, data: credential };
		return await this.rest('POST', '/credentials/test', { credentials });
	}

	// --- Workflows -------------------------------------------------------------------------------

	/** @returns the new workflow's id */
	async createWorkflow(workflow: WorkflowJson): Promise<string> {
		const settings = { executionOrder: 'v1', ...workflow.settings };
		const body = { ...workflow, settings };
		return (await this.rest<{ id: string }>('POST', '/workflows', body)).id;
	}

	async getWorkflow(id: string): Promise<SavedWorkflow> {
		return await this.rest('GET', `/workflows/${id}`);
	}

	/** Saves a draft; what is published stays as it is until `republish`. */
	async updateWorkflow(id: string, changes: Partial<WorkflowJson>): Promise<void> {
		await this.rest('PATCH', `/workflows/${id}`, changes);
	}

	async deleteWorkflow(id: string): Promise<void> {
		await this.rest('DELETE', `/workflows/${id}`);
	}

	async archive(id: string): Promise<void> {
		await this.rest('POST', `/workflows/${id}/archive`, {});
		await this.waitUntilUnpublished(id);
	}

	/**
	 * Publishes the saved draft and waits until its triggers are active.
	 * @throws with n8n's own words when a trigger cannot be activated
	 */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
		const result = await waitFor(`workflow ${id} to be published`, async () => {
			const state = await this.publicationStatus(id);
			const isDone =
				state.status === 'published'
					? state.liveVersionId === versionId
					: ['failed', 'partial'].includes(state.status);
			return isDone ? state : undefined;
		});
		if (result.status === 'published') return;
		throw new Error(result.triggers.map((trigger) => trigger.errorMessage ?? '').join(' '));
	}

	/** Publishes the draft in place of what is published now. */
	async republish(id: string): Promise<void> {
		await this.publish(id);
	}

	async unpublish(id: string): Promise<void> {
		await this.rest('POST', `/workflows/${id}/deactivate`, {});
		await this.waitUntilUnpublished(id);
	}

	private async waitUntilUnpublished(id: string): Promise<void> {
		await waitFor(`workflow ${id} to be unpublished`, async () => {
			const { status } = await this.publicationStatus(id);
			return status === 'not_published' ? true : undefined;
		});
	}

	private async publicationStatus(id: string): Promise<PublicationStatus> {
		return await this.rest('GET', `/workflows/${id}/publication-status`);
	}

	// --- Executions ------------------------------------------------------------------------------

	/**
	 * Presses "Execute workflow".
	 * @param trigger name of the trigger to start from; the workflow's only one when left out
	 * @returns the execution's id; the execution goes on
	 */
	async start(id: string, trigger?: string): Promise<string> {
		const answer = await this.runManually(id, trigger);
		if (answer.executionId !== undefined) return answer.executionId;
		await this.stopListening(id);
		throw new Error('n8n waits for a test event of this trigger: use listen()');
	}

	/** Presses "Execute workflow" and waits for the end. */
	async run(
		id: string,
		options: { trigger?: string; timeoutMs?: number } = {},
	): Promise<Execution> {
		return await this.waitForExecution(await this.start(id, options.trigger), options.timeoutMs);
	}

	/** Presses "Listen for test event"; the trigger's test URL is registered when this returns. */
	async listen(id: string, trigger?: string): Promise<void> {
		const { waitingForWebhook } = await this.runManually(id, trigger);
		if (waitingForWebhook !== true) throw new Error('This trigger has no test URL: use run()');
	}

	async stopListening(id: string): Promise<void> {
		await this.rest('DELETE', `/test-webhook/${id}`);
	}

	private async runManually(
		id: string,
		trigger?: string,
	): Promise<{ executionId?: string; waitingForWebhook?: boolean }> {
		const name = trigger ?? (await this.onlyTrigger(id));
		return await this.rest('POST', `/workflows/${id}/run`, { triggerToStartFrom: { name } });
	}

	private async onlyTrigger(id: string): Promise<string> {
		const { nodes } = await this.getWorkflow(id);
		const triggers = nodes.filter(({ type }) => /trigger$/i.test(type));
		const [first, ...others] = triggers;
		if (first && others.length === 0) return first.name;
		throw new Error(`The workflow has ${triggers.length} triggers: name the one to start from`);
	}

	/** @throws N8nHttpError 404 when there is none */
	async execution(executionId: string): Promise<Execution> {
		const query = 'includeData=true&ignoreDataSizeLimit=true';
		return new Execution(await this.client.api('GET', `/executions/${executionId}?${query}`));
	}

	/**
	 * Waits until an execution is over.
	 * @param until other states to be content with, e.g. `waiting`
	 */
	async waitForExecution(
		executionId: string,
		timeoutMs = PATIENCE_MS,
		until: Array<Execution['status']> = [],
	): Promise<Execution> {
		return await waitFor(
			`execution ${executionId} to finish`,
			async () => {
				const found = await this.execution(executionId).catch((error: unknown) => {
					// Saved a moment after it has started.
					if (error instanceof N8nHttpError && error.status === 404) return undefined;
					throw error;
				});
				return found && (found.isOver || until.includes(found.status)) ? found : undefined;
			},
			timeoutMs,
		);
	}

	/** The finished executions of a workflow with their data, oldest first. */
	async executions(id: string): Promise<Execution[]> {
		const found: Execution[] = [];
		let cursor: string | null = null;
		do {
			const page: { data: RawExecution[]; nextCursor: string | null } = await this.client.api(
				'GET',
				`/executions?workflowId=${id}&includeData=true&ignoreDataSizeLimit=true&limit=100${cursor ? `&cursor=${cursor}` : ''}`,
			);
			found.push(...page.data.map((raw) => new Execution(raw)));
			cursor = page.nextCursor;
		} while (cursor);
		return found.filter(({ isOver }) => isOver).sort((a, b) => Number(a.id) - Number(b.id));
	}

	/** Waits until a workflow has at least so many finished executions. */
	async waitForExecutions(id: string, count: number, timeoutMs?: number): Promise<Execution[]> {
		return await waitFor(
			`${count} finished executions of workflow ${id}`,
			async () => {
				const found = await this.executions(id);
				return found.length >= count ? found : undefined;
			},
			timeoutMs,
		);
	}

	/** Presses "Retry with original workflow" on a failed execution and waits for the retry's end. */
	async retry(executionId: string): Promise<Execution> {
		const { id } = await this.rest<{ id: string }>('POST', `/executions/${executionId}/retry`, {});
		return await this.waitForExecution(id);
	}

	/** Presses "Stop" and waits until the execution is over. */
	async stopExecution(executionId: string): Promise<Execution> {
		await this.rest('POST', `/executions/${executionId}/stop`, {});
		return await this.waitForExecution(executionId);
	}

	// --- Lists of the editor ---------------------------------------------------------------------

	/**
	 * Opens the list of a resource locator, as the editor does.
	 * @param method name in the node's `methods.listSearch`
	 * @param parameters the node's parameters as they are set
	 */
	async listSearch(
		method: string,
		credential: CredentialRef,
		options: {
			parameters?: INodeParameters;
			path?: string;
			filter?: string;
			paginationToken?: string;
			nodeType?: string;
		} = {},
	): Promise<{ results: IDataObject[]; paginationToken?: string }> {
		const name = options.nodeType ?? `${PACKAGE_NAME}.messagingService`;
		return await this.rest('POST', '/dynamic-node-parameters/resource-locator-results', {
			methodName: method,
			path: options.path ?? 'parameters.configId',
			nodeTypeAndVersion: { name, version: 1 },
			currentNodeParameters: options.parameters ?? {},
			credentials: { [CREDENTIAL_TYPE]: credential },
			filter: options.filter,
			paginationToken: options.paginationToken,
		});
	}

	/** The description of a node type as this n8n has loaded it; `undefined` when it has not. */
	async nodeType(name: string): Promise<IDataObject | undefined> {
		const nodeInfos = [{ name, version: 1 }];
		try {
			const [found] = await this.rest<IDataObject[]>('POST', '/node-types', { nodeInfos });
			return found;
		} catch (error) {
			if (error instanceof N8nHttpError && error.status === 400) return undefined;
			throw error;
		}
	}
}
