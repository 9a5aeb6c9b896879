import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';
import type { Sandbox, Webhook } from '../../../sandbox';
import {
	chain,
	messagingServiceTrigger,
	noOp,
	type CredentialRef,
	type N8nApi,
} from '../../../harness';
import { useSandbox } from './sandbox';

/** A workflow's id, and its webhook's. */
interface Created {
	id: string;
	webhookId: string;
}

/** Workflows of the trigger and a node "Then", that start with the events of a sandbox. */
export class Triggers {
	constructor(
		private readonly n8n: () => N8nApi,
		readonly sandbox: Sandbox,
		readonly credential: CredentialRef,
	) {}

	/** Saves one, whose webhook path is unique. */
	async create(then = noOp('Then')): Promise<Created> {
		const webhookId = randomUUID();
		const events = ['message.sent', 'message.delivered', 'message.failed'];
		const trigger = messagingServiceTrigger({ events }, this.credential, { webhookId });
		const workflow = chain(`Trigger ${webhookId}`, [trigger, then]);
		return { id: await this.n8n().createWorkflow(workflow), webhookId };
	}

	/** The same, published; with its registration. */
	async publish(then?: INode): Promise<Created & { registration: Webhook }> {
		const created = await this.create(then);
		await this.n8n().publish(created.id);
		return { ...created, registration: await this.only(created.webhookId) };
	}

	/** Publishes a workflow again, with something of its trigger changed. */
	async change(id: string, changed: (trigger: INode) => Partial<INode>): Promise<void> {
		const { nodes } = await this.n8n().getWorkflow(id);
		await this.n8n().updateWorkflow(id, {
			nodes: nodes.map((node) => (node.name === 'Then' ? node : { ...node, ...changed(node) })),
		});
		await this.n8n().publish(id);
	}

	/** Publishes it again with other events. */
	async changeEvents(id: string, ...events: string[]): Promise<void> {
		await this.change(id, ({ parameters }) => ({ parameters: { ...parameters, events } }));
	}

	/** Registrations whose URL belongs to a workflow's trigger. */
	async registrations(webhookId: string): Promise<Webhook[]> {
		return (await this.sandbox.control.webhooks()).filter(({ url }) => url.includes(webhookId));
	}

	/** @throws when there is not exactly one */
	async only(webhookId: string): Promise<Webhook> {
		const all = await this.registrations(webhookId);
		if (all[0] && all.length === 1) return all[0];
		throw new Error(`Instead of one registration: ${all.length}`);
	}
}

/** Starts a sandbox for the tests of one file, whose messages move only when a test says so. */
export function useTriggers(n8n: () => N8nApi): Triggers {
	const { sandbox, credential } = useSandbox(n8n);
	return new Triggers(n8n, sandbox, credential);
}
