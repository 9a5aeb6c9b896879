import { randomUUID } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { WebhookRecord } from '../../../sandbox/state/webhooks';
import {
	chain,
	messagingServiceTrigger,
	noOp,
	type CredentialRef,
	type N8nApi,
} from '../../../harness';

/** A sandbox, and workflows that start with its events. */
interface Triggers {
	readonly sandbox: Sandbox;
	readonly credential: CredentialRef;
	/** A workflow of the trigger and a node "Then"; its webhook path is unique. */
	create(): Promise<{ id: string; webhookId: string }>;
	/** Registrations whose URL belongs to a workflow's trigger. */
	registrations(webhookId: string): Promise<WebhookRecord[]>;
	/** @throws when there is not exactly one */
	only(webhookId: string): Promise<WebhookRecord>;
}

/** Starts a sandbox for the tests of one file, whose messages move only when a test says so. */
export function useTriggers(n8n: () => N8nApi): Triggers {
	let sandbox: Sandbox;
	let credential: CredentialRef;
	beforeAll(async () => {
		sandbox = await startSandbox({ lifecycle: { enabled: false } });
		credential = await n8n().createCredential(`Trigger ${randomUUID()}`, {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.keys.production,
		});
	});
	afterAll(async () => await sandbox.close());

	const registrations = async (webhookId: string) =>
		(await sandbox.control.webhooks()).filter(({ url }) => url.includes(webhookId));
	return {
		get sandbox() {
			return sandbox;
		},
		get credential() {
			return credential;
		},
		create: async () => {
			const webhookId = randomUUID();
			const events = ['message.sent', 'message.delivered', 'message.failed'];
			const trigger = messagingServiceTrigger({ events }, credential, { webhookId });
			const workflow = chain(`Trigger ${webhookId}`, [trigger, noOp('Then')]);
			return { id: await n8n().createWorkflow(workflow), webhookId };
		},
		registrations,
		only: async (webhookId) => {
			const [registration, ...others] = await registrations(webhookId);
			if (registration && others.length === 0) return registration;
			throw new Error(`Instead of one registration: ${others.length + (registration ? 1 : 0)}`);
		},
	};
}
