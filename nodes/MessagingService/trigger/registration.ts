import { uniqBy } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { connect, type ApiRequest, type Call } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { isJsonObject, withId } from '../api/response';
import { lists, readPage } from '../api/lists';
import { expectSecret, keepSecret, type StoredSecrets } from './secrets';

/** What n8n keeps for the trigger between publishing and unpublishing. */
export interface StoredWebhook extends StoredSecrets {
	webhookId?: string;
	/** URL that it is registered under. */
	url?: string;
	/** The trigger that all this belongs to: a copied workflow brings it along. */
	owner?: string;
}

/**
 * The registration of one trigger URL with the service (docs/service.md, sections 4.10 to 4.12).
 *
 * Registrations are found by their URL. A stored id counts for one thing only: to remove what this
 * same trigger has registered.
 */
export class Registration {
	private constructor(
		private readonly call: Call,
		private readonly url: string,
		private readonly stored: StoredWebhook,
		/** This trigger: n8n's instance, workflow and node. */
		private readonly owner: string,
		/** What its deliveries are signed for. */
		private readonly address: string,
	) {}

	/** @throws Failure when the credential cannot be used */
	static async open(context: IHookFunctions): Promise<Registration> {
		return new Registration(
			await connect(context),
			context.getNodeWebhookUrl('default') ?? '',
			context.getWorkflowStaticData('node'),
			`${context.getInstanceId()} ${triggerOf(context)}`,
			addressOf(context),
		);
	}

	/**
	 * Whether a registration can stay: active, same events, secret known. Any other registration of
	 * this URL is deleted, because its secret cannot be read again; those of other URLs are never
	 * touched, unless this trigger has made them.
	 */
	async keep(events: string[]): Promise<boolean> {
		const own = await this.list();
		const good = own.find((webhook) => this.isGood(webhook, events));
		await this.remove(good ? own.filter((webhook) => webhook !== good) : [...own, ...this.made()]);
		if (good) this.stored.owner = this.owner;
		else this.forget();
		return good !== undefined;
	}

	/** Registers the URL and stores id and secret. */
	async create(events: string[]): Promise<void> {
		await expectSecret(this.address, this.register(events));
	}

	private async register(events: string[]): Promise<void> {
		// Before the request: if its response gets lost, `delete` must know that the URL is this trigger's.
		this.stored.owner = this.owner;
		const request: ApiRequest = {
			endpoint: endpoints.createWebhook,
			body: { url: this.url, events },
		};
		const { webhook } = withId(await this.send(request), 'webhook.id');
		const { id, secret } = isJsonObject(webhook) ? webhook : {};
		if (typeof secret !== 'string' || secret === '') {
			await this.remove([{ id }]);
			throw new Failure('The service registered the webhook without a secret', {
				outcome: 'rejected',
				description:
					'Without it no event can be verified, so the registration was removed. Contact the service.',
			});
		}
		this.stored.webhookId = String(id);
		this.stored.url = this.url;
		keepSecret(this.address, this.stored, secret, Date.now());
	}

	/**
	 * Deletes all registrations of this URL and what this trigger has registered; one that is gone already
	 * counts as deleted. Does nothing for a trigger that has registered nothing: where publishing a copy ends because the original has
	 * the URL, n8n asks to delete it, too.
	 */
	async delete(): Promise<void> {
		if (this.stored.owner !== this.owner) return;
		await this.remove([...(await this.list()), ...this.made()]);
		this.forget();
	}

	/**
	 * What this trigger has registered itself: the list may not show it yet, or under another URL, as after
	 * a change of `WEBHOOK_URL`.
	 */
	private made(): IDataObject[] {
		const { owner, webhookId: id } = this.stored;
		return owner === this.owner && id !== undefined ? [{ id, isUnlisted: true }] : [];
	}

	/** Forgets the registration; its secret counts a while longer. */
	private forget(): void {
		const { owner, url } = this.stored;
		if (owner === this.owner || url === this.url) {
			keepSecret(this.address, this.stored, undefined, Date.now());
		} else for (const key of ['secret', 'since', 'former']) delete this.stored[key];
		delete this.stored.webhookId;
		delete this.stored.url;
	}

	private isGood(webhook: IDataObject, events: string[]): boolean {
		const registered = Array.isArray(webhook.events) ? webhook.events.map(String) : [];
		return (
			webhook.id === this.stored.webhookId &&
			typeof this.stored.secret === 'string' &&
			webhook.isActive !== false &&
			registered.length === events.length &&
			events.every((event) => registered.includes(event))
		);
	}

	/** The registrations of this URL. */
	private async list(): Promise<IDataObject[]> {
		const page = await readPage(async (request) => await this.send(request), lists.webhooks);
		return page.records.filter(({ url }) => normalized(url) === normalized(this.url));
	}

	private async remove(webhooks: IDataObject[]): Promise<void> {
		await Promise.all(
			uniqBy(webhooks, 'id').map(async ({ id, isUnlisted }) => {
				const result = await failureOr(
					this.send({ endpoint: endpoints.deleteWebhook, query: { id: String(id) } }),
				);
				if (!(result instanceof Failure) || isGone(result)) return;
				// What the service does not list and refuses to delete is most likely gone.
				if (isUnlisted !== true || result.outcome !== 'rejected') throw result;
			}),
		);
	}

	private async send(request: ApiRequest): Promise<IDataObject> {
		// n8n repeats a failed activation five times and a failed deactivation three times.
		return await this.call(request, { once: true });
	}
}

/** A trigger within n8n: workflow and node. */
export const triggerOf = (context: Pick<IHookFunctions, 'getNode' | 'getWorkflow'>): string =>
	`${context.getWorkflow().id} ${context.getNode().id}`;

/**
 * A trigger and its URL: that of a test must not count for production. A delivery is told the URL of
 * production alone, so of a test only what is stored counts.
 */
export const addressOf = (
	context: Pick<IHookFunctions, 'getNode' | 'getWorkflow' | 'getNodeWebhookUrl'>,
): string => `${triggerOf(context)} ${context.getNodeWebhookUrl('default')}`;

/** As URLs are compared: without capitals in the host or a port that goes without saying. */
const normalized = (url: unknown): string =>
	URL.canParse(String(url)) ? new URL(String(url)).href : String(url);

const isGone = ({ statusCode, outcome }: Failure): boolean =>
	statusCode === 404 && outcome === 'rejected';
