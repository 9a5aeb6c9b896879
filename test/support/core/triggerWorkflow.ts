import { randomUUID } from 'node:crypto';
import { HookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeParameters,
	INode,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { TestCredentialsHelper } from './credentialsHelper';
import { workflowOf } from './workflow';

const trigger = new MessagingServiceTrigger();
const { checkExists, create, delete: remove } = trigger.webhookMethods.default;

const settings = {
	/** Beginning of webhook URLs: n8n's `WEBHOOK_URL`. */
	webhookUrl: 'https://n8n.example/',
	/** Identity of the n8n that the workflow is in. */
	instance: 'one',
	workflowId: 'workflow',
	nodeId: 'node',
	webhookId: 'hook',
	events: ['message.sent'],
	options: {} as INodeParameters,
	/** What n8n has saved of the workflow's static data. */
	saved: {} as IDataObject,
	/** Whether the hooks are those of "Listen for test event". */
	isTest: false,
};

export type TriggerSettings = typeof settings & {
	credential: { baseUrl: string; apiKey: string };
};

/** HookContext of an n8n with a certain identity; the real one reads it from n8n's folder. */
class Hooks extends HookContext {
	constructor(
		private readonly instance: string,
		...rest: ConstructorParameters<typeof HookContext>
	) {
		super(...rest);
	}

	override getInstanceId(): string {
		return this.instance;
	}
}

/**
 * A workflow with the webhook trigger, in contexts of the real n8n-core, published as n8n does: it
 * calls `delete` when creating fails, and saves the static data at the end.
 */
export class TriggerWorkflow {
	private settings: TriggerSettings;

	constructor(given: Pick<TriggerSettings, 'credential'> & Partial<TriggerSettings>) {
		this.settings = { ...settings, webhookId: randomUUID(), ...given };
	}

	/** The trigger's URL. */
	get url(): string {
		const { webhookUrl, webhookId, isTest } = this.settings;
		return `${webhookUrl}${isTest ? 'webhook-test' : 'webhook'}/${webhookId}/webhook`;
	}

	/** What n8n has saved for the trigger. */
	get stored(): IDataObject {
		return (this.settings.saved['node:Trigger'] ?? {}) as IDataObject;
	}

	/** @throws what n8n shows when it fails */
	async publish(): Promise<void> {
		const workflow = this.load();
		await this.register(workflow);
		this.save(workflow);
	}

	/** n8n publishes, but is killed before it saves. */
	async publishAndDie(): Promise<void> {
		await this.register(this.load());
	}

	/** Publishes in place of what is published: n8n asks to delete first. */
	async republish(change: Partial<TriggerSettings>): Promise<void> {
		const workflow = this.load();
		await remove.call(this.hooks(workflow));
		this.save(workflow);
		this.change(change);
		await this.publish();
	}

	/** @throws what n8n writes to its log when it fails; the workflow is unpublished anyway */
	async unpublish(): Promise<void> {
		const workflow = this.load();
		await remove.call(this.hooks(workflow));
		this.save(workflow);
	}

	/** What changes without n8n telling the trigger, such as `WEBHOOK_URL`. */
	change(change: Partial<TriggerSettings>): void {
		this.settings = { ...this.settings, ...change };
	}

	/** The workflow as export and import make it, in the same n8n or another one. */
	copy(change: Partial<TriggerSettings>): TriggerWorkflow {
		return new TriggerWorkflow({
			...this.settings,
			saved: structuredClone(this.settings.saved),
			...change,
		});
	}

	private async register(workflow: Workflow): Promise<void> {
		const context = () => this.hooks(workflow);
		try {
			if (!(await checkExists.call(context()))) await create.call(context());
		} catch (error) {
			await remove.call(context());
			this.save(workflow);
			throw error;
		}
	}

	private load(): Workflow {
		const { nodeId, webhookId, events, options, workflowId, saved } = this.settings;
		const node: INode = {
			id: nodeId,
			name: 'Trigger',
			type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
			typeVersion: 1.1,
			position: [0, 0],
			webhookId,
			parameters: { events, options },
			credentials: { messagingServiceApi: { id: '1', name: 'Sandbox' } },
		};
		const workflow = workflowOf(node, { active: true, staticData: structuredClone(saved) });
		workflow.id = workflowId;
		return workflow;
	}

	private save(workflow: Workflow): void {
		this.settings.saved = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	}

	private hooks(workflow: Workflow): HookContext {
		const { credential, webhookUrl, instance, isTest } = this.settings;
		const node = workflow.getNode('Trigger');
		if (!node) throw new Error('The workflow has no trigger');
		const additionalData = {
			credentialsHelper: new TestCredentialsHelper(credential),
			currentNodeParameters: node.parameters,
			variables: {},
			webhookBaseUrl: `${webhookUrl}webhook`,
			webhookTestBaseUrl: `${webhookUrl}webhook-test`,
		} as unknown as IWorkflowExecuteAdditionalData;
		const mode = isTest ? 'manual' : 'trigger';
		const activation = isTest ? 'manual' : 'activate';
		const data = { isTest } as IWebhookData;
		return new Hooks(instance, workflow, node, additionalData, mode, activation, data);
	}
}
