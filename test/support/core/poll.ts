import { PollContext } from 'n8n-core';
import {
	type IDataObject,
	type INode,
	type INodeParameters,
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
} from 'n8n-workflow';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { TestCredentialsHelper } from './credentialsHelper';
import { workflowOf } from './workflow';

const trigger = new MessagingServicePollingTrigger();

interface Published {
	credential: { baseUrl: string; apiKey: string };
	parameters: INodeParameters;
	/** Id of the credential in n8n. */
	credentialId?: string;
	/** Milliseconds that n8n lets a poll take; its own default if absent. */
	budget?: number;
}

/**
 * A workflow with the polling trigger, in contexts of the real n8n-core. As n8n does, it keeps one
 * context and the static data in memory, and saves the static data only at publishing and with
 * items.
 */
export class PolledWorkflow {
	private context: PollContext;

	private saved: IDataObject = {};

	constructor(private published: Published) {
		this.context = this.makeContext('activate');
	}

	/** The items of a poll; empty when it gives none. */
	async poll(): Promise<IDataObject[]> {
		const output = await trigger.poll.call(this.context);
		if (output) this.save();
		return (output?.[0] ?? []).map(({ json }) => json);
	}

	/** Publishes after it was unpublished, which polls once. */
	async publish(): Promise<IDataObject[]> {
		return await this.begin('activate');
	}

	/** Publishes with other parameters in place of what is published. */
	async republish(change: Partial<Published>): Promise<IDataObject[]> {
		this.save();
		this.published = { ...this.published, ...change };
		return await this.begin('update');
	}

	/** What a restart of n8n does: what was not saved is lost. */
	async restart(): Promise<IDataObject[]> {
		return await this.begin('init');
	}

	private async begin(mode: WorkflowActivateMode): Promise<IDataObject[]> {
		this.context = this.makeContext(mode);
		const items = await this.poll();
		this.save();
		return items;
	}

	private save(): void {
		this.saved = JSON.parse(
			JSON.stringify(this.context.getWorkflowStaticData('node')),
		) as IDataObject;
	}

	private makeContext(mode: WorkflowActivateMode): PollContext {
		const { credential, credentialId = '1', parameters } = this.published;
		const node: INode = {
			id: '1',
			name: 'Poll',
			type: 'n8n-nodes-messaging-service.messagingServicePollingTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: { messagingServiceApi: { id: credentialId, name: 'Sandbox' } },
		};
		const workflow = workflowOf(node, {
			active: true,
			staticData: { 'node:Poll': structuredClone(this.saved) },
		});
		const additionalData = {
			credentialsHelper: new TestCredentialsHelper(credential),
			currentNodeParameters: node.parameters,
			variables: {},
		} as unknown as IWorkflowExecuteAdditionalData;
		const context = new PollContext(workflow, node, additionalData, 'trigger', mode);
		const { budget } = this.published;
		return budget === undefined
			? context
			: Object.assign(context, { getPollBudgetMs: () => budget });
	}
}
