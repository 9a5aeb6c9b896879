import axios, { type AxiosInstance } from 'axios';
import type { z } from 'zod';
import type { Assumptions } from '../assumptions';
import type { CallStatus, CarrierRoute, MessageStatus } from '../documented';
import type { EmitInput } from '../deliveries/emit';
import type { ActiveFault } from '../faults/faults';
import type { FaultInput } from '../faults/kinds';
import type { DeliveryEntry, JournalEntry, JournalFilter, RequestEntry } from '../journal';
import type { ApiKey } from '../keys';
import type { Lifecycle } from '../lifecycle';
import type { Account, ChatNumber, Template } from '../state/account';
import type { CallRecord } from '../state/calls';
import type { MessageRecord } from '../state/messages';
import type { Email, SmtpState } from '../state/state';
import type { WebhookRecord as Webhook } from '../state/webhooks';
import type { Stats } from '../traffic';
import type * as account from './account';
import type { newCallsSchema, newMessagesSchema } from '../seeding';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Controls a running sandbox over HTTP, in this process or another. Every method throws on failure. */
export class SandboxControl {
	private readonly http: AxiosInstance;

	/** `url` is the sandbox's address without a path. */
	constructor(url: string) {
		this.http = axios.create({
			baseURL: `${url.replace(/\/$/, '')}/__sandbox`,
			proxy: false,
			validateStatus: () => true,
		});
	}

	/** Restores the initial state, settings and keys. */
	async reset(): Promise<account.Info> {
		return this.call('POST', '/reset');
	}

	/** Keys, account, templates, numbers, settings and faults. */
	async info(): Promise<account.Info> {
		return this.call('GET', '/info');
	}

	/** Makes a key; all scopes without `scopes`. */
	async createKey(key: z.input<typeof account.newKeySchema> = {}): Promise<ApiKey> {
		return this.call('POST', '/keys', key);
	}

	/** Changes scopes, revokes (`revoked: true`) or re-enables (`false`) a key. */
	async updateKey(key: string, change: z.input<typeof account.keyChangeSchema>): Promise<ApiKey> {
		return this.call('PATCH', `/keys/${encodeURIComponent(key)}`, change);
	}

	async account(): Promise<Account> {
		return this.call('GET', '/account');
	}

	async setAccount(change: z.input<typeof account.accountChangeSchema>): Promise<Account> {
		return this.call('PATCH', '/account', change);
	}

	/** Adds or replaces a template. */
	async setTemplate(template: z.input<typeof account.templateSchema>): Promise<Template> {
		return this.call('POST', '/templates', template);
	}

	/** Connects a further chat number. */
	async addChatNumber(phoneNumber: string): Promise<ChatNumber> {
		return this.call('POST', '/chat-numbers', { phoneNumber });
	}

	async setSmtp(smtp: SmtpState): Promise<void> {
		await this.settings({ smtp });
	}

	/** Whether each route's credentials are configured; routes that are not named stay as they are. */
	async setVoiceRoutes(voiceRoutes: Partial<Record<CarrierRoute, boolean>>): Promise<void> {
		await this.settings({ voiceRoutes });
	}

	/** Whether a browser chat session is active. */
	async setChatSession(chatSession: boolean): Promise<void> {
		await this.settings({ chatSession });
	}

	async setLifecycle(lifecycle: Partial<Lifecycle>): Promise<void> {
		await this.settings({ lifecycle });
	}

	/** Changes assumptions while the sandbox runs; those that are not named stay as they are. */
	async setAssumptions(assumptions: Partial<Assumptions>): Promise<void> {
		await this.settings({ assumptions });
	}

	/** All registrations with their secrets. */
	async webhooks(): Promise<Webhook[]> {
		return this.call('GET', '/webhooks');
	}

	async updateWebhook(
		id: string,
		change: z.input<typeof account.webhookChangeSchema>,
	): Promise<Webhook> {
		return this.call('PATCH', `/webhooks/${encodeURIComponent(id)}`, change);
	}

	async removeWebhook(id: string): Promise<void> {
		await this.call('DELETE', `/webhooks/${encodeURIComponent(id)}`);
	}

	/** All messages, oldest first. */
	async messages(): Promise<MessageRecord[]> {
		return this.call('GET', '/messages');
	}

	/**
	 * Seeds `n` messages that stay as they are and emit no event; gives their ids. Lists show them
	 * in the order of seeding, whatever their times.
	 */
	async addMessages(
		n: number,
		template?: z.input<typeof newMessagesSchema>['template'],
	): Promise<string[]> {
		return (await this.call<{ ids: string[] }>('POST', '/messages', { n, template })).ids;
	}

	/** Moves a message; its webhooks get the event as for any change. */
	async updateMessage(id: string, status: MessageStatus): Promise<MessageRecord> {
		return this.call('PATCH', `/messages/${encodeURIComponent(id)}`, { status });
	}

	/** All calls as the call log shows them, those of other types too, oldest first. */
	async calls(): Promise<CallRecord[]> {
		return this.call('GET', '/calls');
	}

	/** Seeds `n` calls that stay as they are; gives their ids. Lists show them in the order of seeding. */
	async addCalls(
		n: number,
		template?: z.input<typeof newCallsSchema>['template'],
	): Promise<string[]> {
		return (await this.call<{ ids: string[] }>('POST', '/calls', { n, template })).ids;
	}

	/** Changes a call by its `callId` or log id, and its `updatedAt`. */
	async updateCall(
		id: string,
		change: { callStatus?: CallStatus; duration?: number; transcript?: string },
	): Promise<CallRecord> {
		return this.call('PATCH', `/calls/${encodeURIComponent(id)}`, change);
	}

	/** Emails that went out. */
	async emails(): Promise<Email[]> {
		return this.call('GET', '/emails');
	}

	/** What was received and delivered, in order. */
	async journal(filter: JournalFilter & { kind: 'request' }): Promise<RequestEntry[]>;
	async journal(filter: JournalFilter & { kind: 'delivery' }): Promise<DeliveryEntry[]>;
	async journal(filter?: JournalFilter): Promise<JournalEntry[]>;
	async journal(filter: JournalFilter = {}): Promise<JournalEntry[]> {
		return this.call('GET', `/journal?${new URLSearchParams({ ...filter }).toString()}`);
	}

	async clearJournal(): Promise<void> {
		await this.call('DELETE', '/journal');
	}

	async stats(): Promise<Stats> {
		return this.call('GET', '/stats');
	}

	async resetStats(): Promise<void> {
		await this.call('DELETE', '/stats');
	}

	/** Adds a fault; it hits once unless `count` says otherwise (`Infinity` is `'infinite'`). */
	async addFault(fault: FaultInput): Promise<ActiveFault> {
		const count = fault.count === Infinity ? 'infinite' : fault.count;
		return this.call('POST', '/faults', { ...fault, count });
	}

	/** Removes all faults; connections that a fault already holds open stay so until a reset. */
	async clearFaults(): Promise<void> {
		await this.call('DELETE', '/faults');
	}

	/** Sends to webhooks now and waits for their responses; gives one entry per delivery. */
	async emit(event: EmitInput = {}): Promise<DeliveryEntry[]> {
		return this.call('POST', '/emit', event);
	}

	/**
	 * Waits until no delivery waits or is under way and no step (life cycle, bulk campaign) is left.
	 * Requests that are still being served are not waited for. Throws after `timeoutMs` (30,000).
	 */
	async settle(timeoutMs?: number): Promise<void> {
		await this.call('POST', '/settle', { timeoutMs });
	}

	private async settings(change: z.input<typeof account.settingsSchema>): Promise<void> {
		await this.call('PATCH', '/settings', change);
	}

	private async call<Result>(method: Method, path: string, data?: unknown): Promise<Result> {
		const response = await this.http.request<Result & { error?: string }>({
			method,
			url: path,
			data,
		});
		if (response.status < 300) return response.data;
		throw new Error(`Sandbox control ${method} ${path}: ${response.data.error ?? response.status}`);
	}
}
