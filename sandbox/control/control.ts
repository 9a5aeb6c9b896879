import { setTimeout as sleep } from 'node:timers/promises';
import { find, remove } from 'lodash';
import { z } from 'zod';
import { assumptionsSchema, type Assumptions } from '../assumptions';
import { dashboardSchema, emitSchema, incomingSchema, type EmitInput } from '../deliveries';
import { scopes } from '../documented';
import { faultSchema, type FaultInput } from '../faults';
import { ServiceError } from '../http/error';
import { schema, validate } from '../http/validate';
import { journalFilter, type JournalEntry, type JournalFilter } from '../journal';
import { newKey } from '../keys';
import { lifecycleSchema, type Lifecycle } from '../lifecycleSettings';
import { addCalls, addMessages, newCalls, newMessages } from '../seeding';
import type { Service } from '../service';
import { templates } from '../state/account';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';

const count = z.number().int().min(0);

const someScopes = z.array(z.enum(scopes));

const keySchema = schema({ scopes: someScopes.default([...scopes]) });
const keyChange = schema({ scopes: someScopes, revoked: z.boolean() }).partial();
const balances = { chatBalance: count, emailBalance: count, voiceMins: count };
const accountChange = schema(balances).partial();

/** Entries of each kind that the page shows. */
const shown = 25;

/**
 * All that can be done to a sandbox beside its endpoints. Each method is a request, too:
 * `POST /__sandbox/<method>` with the arguments as a JSON array; the result is the response.
 */
export class Control {
	constructor(private readonly service: Service) {}

	/** Restores the initial state, settings and keys. */
	reset() {
		this.service.reset();
	}

	/** What the page shows: the balances, and the latest of everything, newest first. */
	overview() {
		const { state, journal, faults } = this.service;
		const latest = <Item>(all: readonly Item[]) => {
			return { total: all.length, latest: all.slice(-shown).reverse() };
		};
		return {
			account: state.account,
			access: state.access,
			templates: latest(templates),
			keys: latest(state.keys),
			faults: latest(faults.waiting()),
			messages: latest(this.messages()),
			calls: latest(this.calls()),
			emails: latest(state.emails),
			webhooks: latest(state.webhooks),
			deliveries: latest(journal.list({ kind: 'delivery' })),
			requests: latest(journal.list({ kind: 'request' })),
		};
	}

	/** Makes a key; all scopes without `scopes`. */
	createKey(key: z.input<typeof keySchema> = {}) {
		const { random, keys } = this.service.state;
		const made = newKey(random, { granted: validate(keySchema, key).scopes });
		keys.push(made);
		return made;
	}

	/** Changes scopes, revokes (`revoked: true`) or re-enables (`false`) a key. */
	updateKey(key: string, change: z.input<typeof keyChange>) {
		const known = find(this.service.state.keys, { key });
		if (!known) throw new ServiceError(404, 'No such key');
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
		return this.service.state.webhooks;
	}

	removeWebhook(id: string) {
		const removed = remove(this.service.state.webhooks, { id });
		if (removed.length === 0) throw new ServiceError(404, 'No such webhook');
	}

	/** Creates a webhook on the dashboard; returns it. Throws if its address is checked and does not confirm. */
	async addDashboardWebhook(webhook: z.input<typeof dashboardSchema>) {
		return await this.service.deliveries.addToDashboard(validate(dashboardSchema, webhook));
	}

	/** Receives a chat message and announces it to dashboard webhooks. */
	receiveMessage(message: z.input<typeof incomingSchema> = {}) {
		const content = { ...validate(incomingSchema, message), time: this.service.now() };
		this.service.deliveries.announceOnDashboard('messageReceived', content);
	}

	/** All messages, oldest first. */
	messages() {
		const { state, assumptions } = this.service;
		return state.messages.map((message) => messageRecord(message, assumptions));
	}

	/**
	 * Seeds `n` messages that stay as they are and emit no event; returns their ids. Lists show them in
	 * the order of seeding, whatever their times.
	 */
	addMessages(n: number, template: z.input<typeof newMessages> = {}) {
		return addMessages(this.service, validate(count, n), validate(newMessages, template));
	}

	/** All calls as the call log shows them, oldest first. */
	calls() {
		const { state, assumptions } = this.service;
		return state.calls.map((call) => callRecord(call, assumptions));
	}

	/** Seeds `n` calls that stay as they are; returns their ids. Lists show them in the order of seeding. */
	addCalls(n: number, template: z.input<typeof newCalls> = {}) {
		return addCalls(this.service, validate(count, n), validate(newCalls, template));
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
		return this.service.journal.stats;
	}

	resetStats() {
		this.service.journal.resetStats();
	}

	/** Adds a fault; it hits once unless `count` says otherwise. */
	addFault(fault: FaultInput) {
		this.service.faults.add(validate(faultSchema, fault));
	}

	/** Removes all faults; connections that a fault already holds open stay so. */
	clearFaults() {
		this.service.faults.clear();
	}

	/** Sends to webhooks now and waits for their responses; returns one entry per delivery. */
	async emit(event: EmitInput = {}) {
		return await this.service.deliveries.emit(validate(emitSchema, event));
	}

	/**
	 * Waits until no delivery and no step (life cycle, bulk campaign) is left, but not for requests or
	 * `emit`. Throws after 30 s.
	 */
	async settle(): Promise<void> {
		const { steps, deliveries } = this.service;
		const end = performance.now() + 30_000;
		for (; steps.size > 0 || deliveries.pending > 0; await sleep(5)) {
			const left = `${steps.size} steps and ${deliveries.pending} deliveries are left`;
			if (performance.now() > end) throw new ServiceError(504, `Not settled: ${left}`);
		}
	}
}
