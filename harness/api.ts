import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../sandbox';
import type { CredentialRef, WorkflowJson } from './builders';
import { unless } from './client';
import type { Execution } from './execution';
import { ExecutionApi } from './executions';
import { waitFor } from './waiting';

const credentialType = 'messagingServiceApi';

interface PublicationStatus {
	status: 'failed' | 'in_progress' | 'not_published' | 'partial' | 'published';
	liveVersionId: string | null;
	triggers: Array<{ errorMessage: string | null }>;
}

/** Everything a person does in the editor, over HTTP. */
export class N8nApi extends ExecutionApi {
	/** @param name only for a workflow that looks it up: whatever shares an n8n shares no names */
	async createCredential(
		data: IDataObject,
		type = credentialType,
		name: string = crypto.randomUUID(),
	): Promise<CredentialRef> {
		const { id } = await this.rest<{ id: string }>('POST', '/credentials', { name, type, data });
		return { id, name };
	}

	/** The package's credential for an account of the sandbox, or for one key of it. */
	async createAccount(
		{ baseUrl, keys }: Pick<Sandbox, 'baseUrl' | 'keys'>,
		apiKey = keys.production,
		name?: string,
	): Promise<CredentialRef> {
		return await this.createCredential({ baseUrl, apiKey }, credentialType, name);
	}

	/** @returns the new workflow's id */
	async createWorkflow(workflow: WorkflowJson): Promise<string> {
		const settings = { executionOrder: 'v1', ...workflow.settings };
		const body = { ...workflow, settings };
		return (await this.rest<{ id: string }>('POST', '/workflows', body)).id;
	}

	/** @returns the new workflow's id, once its triggers are active */
	async createPublished(workflow: WorkflowJson): Promise<string> {
		const id = await this.createWorkflow(workflow);
		await this.publish(id);
		return id;
	}

	/** Saves a workflow, runs it by hand and waits for the end. */
	async tryOut(workflow: WorkflowJson): Promise<Execution> {
		return await this.run(await this.createWorkflow(workflow));
	}

	async getWorkflow(id: string): Promise<WorkflowJson & { versionId: string }> {
		return await this.rest('GET', `/workflows/${id}`);
	}

	/** Saves a draft; what is published stays as it is until the next `publish`. */
	async updateWorkflow(id: string, changes: Partial<WorkflowJson>): Promise<void> {
		await this.rest('PATCH', `/workflows/${id}`, changes);
	}

	/**
	 * Publishes the saved draft and waits until its triggers are active.
	 * @throws with n8n's own words when a trigger cannot be activated
	 */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.getWorkflow(id);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
		await waitFor(`workflow ${id} to be published`, async () => {
			const state = await this.publicationStatus(id);
			if (!state) return true;
			if (state.status === 'published') return state.liveVersionId === versionId;
			if (!['failed', 'partial'].includes(state.status)) return false;
			throw new Error(state.triggers.map((trigger) => trigger.errorMessage ?? '').join(' '));
		});
	}

	/** Takes a workflow out of production, which archiving does, too. */
	async unpublish(id: string, by: 'archive' | 'deactivate' = 'deactivate'): Promise<void> {
		await this.rest('POST', `/workflows/${id}/${by}`, {});
		await waitFor(`workflow ${id} to be unpublished`, async () => {
			const state = await this.publicationStatus(id);
			return !state || state.status === 'not_published';
		});
	}

	/** Versions of n8n that publish before they respond, and throw what went wrong, have none. */
	private async publicationStatus(id: string): Promise<PublicationStatus | undefined> {
		const path = `/workflows/${id}/publication-status`;
		return await this.rest<PublicationStatus>('GET', path).catch(unless(404));
	}

	/**
	 * Opens the list of a resource locator, as the editor does.
	 * @param method name in the node's `methods.listSearch`
	 */
	async listSearch(
		method: string,
		credential: CredentialRef,
		nodeType: string,
		filter: string,
	): Promise<{ results: IDataObject[] }> {
		return await this.rest('POST', '/dynamic-node-parameters/resource-locator-results', {
			methodName: method,
			path: 'parameters.additionalFields.configId',
			nodeTypeAndVersion: { name: nodeType, version: 1 },
			currentNodeParameters: {},
			credentials: { [credentialType]: credential },
			filter,
		});
	}

	/** The description of a node type as this n8n has loaded it; `undefined` when it has not. */
	async nodeType(name: string): Promise<IDataObject | undefined> {
		const nodeInfos = [{ name, version: 1 }];
		const types = this.rest<IDataObject[]>('POST', '/node-types', { nodeInfos });
		return (await types.catch(unless(400)))?.[0];
	}
}
