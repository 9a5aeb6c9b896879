import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { assumptionsSchema, type Assumptions } from '../assumptions';
import { emit, emitSchema, type EmitInput } from '../deliveries/emit';
import { messageStatuses, scopes, type MessageStatus } from '../documented';
import { faultSchema, type FaultInput } from '../faults/kinds';
import { ServiceError } from '../http/endpoint';
import { schema, validate } from '../http/validate';
import {
	journalFilter,
	type DeliveryEntry,
	type JournalEntry,
	type JournalFilter,
} from '../journal';
import { lifecycleSchema, moveMessage, type Lifecycle } from '../lifecycle';
import { addCalls, addMessages, newCalls, newMessages, seededCount } from '../seeding';
import type { Service } from '../service';
import { templates } from '../state/account';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
import { webhookRecord } from '../state/webhooks';

const count = z.number().int().min(0);

const someScopes = z.array(z.enum(scopes));

const newKey = schema({ scopes: someScopes.default([...scopes]) });

const keyChange = schema({ scopes: someScopes, revoked: z.boolean() }).partial();

const accountChange = schema({
	chatBalance: count,
	emailBalance: count,
	voiceMins: count,
}).partial();

const lookEveryMs = 5;

/** Entries of each kind that the page shows. */
const shown = 25;

/**
 * All that can be done to a sandbox beside its endpoints. Each method is a request, too:
 * `POST /__sandbox/<method>` with the arguments as a JSON array; what it gives is the response.
 */
export class Control {
	constructor(private readonly service: Service) {}

	/** Restores the initial state, settings and keys. */
	reset() {
		this.service.reset();
		return this.info();
	}

	/** What a test or a person wants to know first: keys, what is there, and how it is set. */
	info() {
		const { state, assumptions, lifecycle, faults } = this.service;
		return {
			keys: state.keys.first,
			account: state.account,
			chatNumbers: state.chatNumbers.all,
			templates,
			lifecycle,
			assumptions,
			faults: faults.waiting(),
		};
	}

	/** What the page shows: the balances, and the latest of everything, newest first. */
	overview() {
		const { state, journal, faults } = this.service;
		const latest = <Item>(all: readonly Item[]) => ({
			total: all.length,
			latest: all.slice(-shown).reverse(),
		});
		return {
			account: state.account,
			access: state.keys.first,
			templates: latest(templates),
			keys: latest(state.keys.all),
			faults: latest(faults.waiting()),
			messages: latest(this.messages()),
			calls: latest(this.calls()),
			emails: latest(state.emails),
			webhooks: latest(state.webhooks.all),
			deliveries: latest(journal.list({ kind: 'delivery' })),
			requests: latest(journal.list({ kind: 'request' })),
		};
	}

	/** Makes a key; all scopes without `scopes`. */
	createKey(key: z.input<typeof newKey> = {}) {
		return this.service.state.keys.create(validate(newKey, key).scopes);
	}

	/** Changes scopes, revokes (`revoked: true`) or re-enables (`false`) a key. */
	updateKey(key: string, change: z.input<typeof keyChange>) {
		const known = found(this.service.state.keys.find(key), 'key');
		return Object.assign(known, validate(keyChange, change));
	}

	account() {
		return this.service.state.account;
	}

	setAccount(change: z.input<typeof accountChange>) {
		return Object.assign(this.account(), validate(accountChange, change));
	}

	/** Changes the life cycle of messages and calls; what is not named stays as it is. */
	setLifecycle(change: Partial<Lifecycle>) {
		const wanted = validate(lifecycleSchema.partial(), change);
		this.service.lifecycle = { ...this.service.lifecycle, ...wanted };
	}

	/** Changes assumptions while the sandbox runs; those that are not named stay as they are. */
	setAssumptions(change: Partial<Assumptions>) {
		const wanted = validate(assumptionsSchema, change);
		this.service.assumptions = { ...this.service.assumptions, ...wanted };
	}

	/** All registrations with their secrets. */
	webhooks() {
		return this.service.state.webhooks.all.map(webhookRecord);
	}

	removeWebhook(id: string) {
		found(this.service.state.webhooks.delete(id) || undefined, 'webhook');
	}

	/** All messages, oldest first. */
	messages() {
		const { state, assumptions } = this.service;
		return state.messages.all.map((message) => messageRecord(message, assumptions));
	}

	/**
	 * Seeds `n` messages that stay as they are and emit no event; gives their ids. Lists show them
	 * in the order of seeding, whatever their times.
	 */
	addMessages(n: number, template: z.input<typeof newMessages> = {}) {
		return addMessages(this.service, validate(seededCount, n), validate(newMessages, template));
	}

	/** Moves a message; its webhooks get the event as for any change. */
	updateMessage(id: string, status: MessageStatus) {
		const all = this.service.state.messages.all;
		const message = found(
			all.find((one) => one.id === id),
			'message',
		);
		moveMessage(this.service, message, validate(z.enum(messageStatuses), status));
		return messageRecord(message, this.service.assumptions);
	}

	/** All calls as the call log shows them, oldest first. */
	calls() {
		const { state, assumptions } = this.service;
		return state.calls.all.map((call) => callRecord(call, assumptions));
	}

	/** Seeds `n` calls that stay as they are; gives their ids. Lists show them in the order of seeding. */
	addCalls(n: number, template: z.input<typeof newCalls> = {}) {
		return addCalls(this.service, validate(seededCount, n), validate(newCalls, template));
	}

	/** Emails that went out. */
	emails() {
		return this.service.state.emails;
	}

	/** What was received and delivered, in order. */
	journal(filter: JournalFilter = {}): JournalEntry[] {
		return this.service.journal.list(validate(journalFilter, filter));
	}

	/** Requests and connections so far; all are counted, also those that the journal has dropped. */
	stats() {
		return this.service.traffic.stats;
	}

	resetStats() {
		this.service.traffic.reset();
	}

	/** Adds a fault; it hits once unless `count` says otherwise. */
	addFault(fault: FaultInput) {
		return this.service.faults.add(validate(faultSchema, fault));
	}

	/** Removes all faults; connections that a fault already holds open stay so until a reset. */
	clearFaults() {
		this.service.faults.clear();
	}

	/** Sends to webhooks now and waits for their responses; gives one entry per delivery. */
	async emit(event: EmitInput = {}): Promise<DeliveryEntry[]> {
		return await emit(this.service, validate(emitSchema, event));
	}

	/**
	 * Waits until no delivery waits or is under way and no step (life cycle, bulk campaign) is left.
	 * Requests that are still being served, with what `emit` sends, are not waited for. Throws after
	 * `timeoutMs`.
	 */
	async settle(timeoutMs = 30_000): Promise<void> {
		const { scheduler, deliveries } = this.service;
		const end = performance.now() + validate(count, timeoutMs);
		while (scheduler.size > 0 || deliveries.pending > 0) {
			if (performance.now() > end) {
				const left = `${scheduler.size} steps and ${deliveries.pending} deliveries are left`;
				throw new ServiceError(504, `Not settled: ${left}`);
			}
			await sleep(lookEveryMs);
		}
	}
}

/** The thing, or 404 when there is none. */
function found<Thing>(thing: Thing | undefined, what: string): Thing {
	if (thing === undefined) throw new ServiceError(404, `No such ${what}`);
	return thing;
}
