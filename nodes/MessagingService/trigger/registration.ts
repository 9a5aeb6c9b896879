import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { isJsonObject, withId } from '../api/response';
import { connect } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { recordsOf } from '../api/lists';
import type { ApiRequest, Call } from '../api/request';

/** What n8n keeps for the trigger between publishing and unpublishing. */
export interface StoredWebhook extends IDataObject {
	webhookId?: string;
	secret?: string;
}

/** The registration of one trigger URL with the service (docs/service.md, section 4.10 to 4.12). */
export class Registration {
	private constructor(
		private readonly call: Call,
		private readonly url: string,
		private readonly stored: StoredWebhook,
	) {}

	/** @throws Failure when the credential cannot be used */
	static async open(context: IHookFunctions): Promise<Registration> {
		const url = context.getNodeWebhookUrl('default') ?? '';
		return new Registration(await connect(context), url, context.getWorkflowStaticData('node'));
	}

	/**
	 * Whether a registration can stay: active, same events, secret known. Any other registration of
	 * this URL is deleted, because its secret cannot be read again; other URLs are never touched.
	 */
	async keep(events: string[]): Promise<boolean> {
		const own = await this.ofThisUrl();
		const good = own.find((webhook) => this.isGood(webhook, events));
		await Promise.all(
			own.filter((webhook) => webhook !== good).map(async ({ id }) => await this.remove(id)),
		);
		return good !== undefined;
	}

	/** Registers the URL and stores id and secret. */
	async create(events: string[]): Promise<void> {
		const request: ApiRequest = {
			endpoint: endpoints.createWebhook,
			body: { url: this.url, events },
		};
		const { webhook } = withId(await this.send(request), 'webhook.id', request);
		const { id, secret } = isJsonObject(webhook) ? webhook : {};
		if (typeof secret !== 'string' || secret === '') {
			await this.remove(id);
			throw new Failure('The service registered the webhook without a secret', {
				outcome: 'rejected',
				description:
					'Without it no event can be verified, so the registration was removed. Contact the service.',
			});
		}
		this.stored.webhookId = String(id);
		this.stored.secret = secret;
	}

	/**
	 * Deletes the registration by its id; one that is gone already counts as deleted. Without an id,
	 * which a failed activation leaves, all registrations of this URL are deleted.
	 */
	async delete(): Promise<void> {
		const { webhookId } = this.stored;
		const ids =
			webhookId === undefined ? (await this.ofThisUrl()).map(({ id }) => id) : [webhookId];
		await Promise.all(ids.map(async (id) => await this.remove(id)));
		delete this.stored.webhookId;
		delete this.stored.secret;
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

	private async ofThisUrl(): Promise<IDataObject[]> {
		const answer = await this.send({ endpoint: endpoints.getWebhooks });
		return recordsOf(answer, 'webhooks').filter(({ url }) => url === this.url);
	}

	private async remove(id: unknown): Promise<void> {
		const result = await failureOr(
			this.send({ endpoint: endpoints.deleteWebhook, query: { id: String(id) } }),
		);
		if (result instanceof Failure && !(result.statusCode === 404 && result.outcome === 'rejected'))
			throw result;
	}

	private async send(request: ApiRequest): Promise<IDataObject> {
		// n8n repeats a failed activation five times and a failed deactivation three times.
		return await this.call(request, { once: true });
	}
}
