import { castArray, compact, first, map, reject, some, without, xor } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { connect, type ApiRequest } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr, publicUrlAdvice, withAdvice } from '../api/failure';
import { withValue } from '../api/response';
import { lists, readPage } from '../api/lists';
import { secretsKeyOf, expectSecret, ownerOf, storeSecret, type StoredSecrets } from './secrets';

/** The data that n8n stores for the trigger between publishing and unpublishing. */
export interface StoredWebhook extends StoredSecrets {
	webhookId?: string;
	/** The URL that this registration was made for. */
	url?: string;
	/** The trigger that the data belongs to: a copied workflow contains the data of its original. */
	owner?: string;
}

/**
 * The registration of one trigger URL with the service (docs/service.md, sections 4.10 to 4.12). The stored ID shows
 * which one this trigger has created. Throws Failure if the credential cannot be used.
 */
export async function registrationOf(context: IHookFunctions) {
	const call = await connect(context);
	const url = context.getNodeWebhookUrl('default');
	const secretsKey = secretsKeyOf(context);
	const owner = ownerOf(context);
	const stored: StoredWebhook = context.getWorkflowStaticData('node');
	// Data of another trigger is removed.
	if (stored.owner !== owner) for (const key of Object.keys(stored)) delete stored[key];

	// n8n repeats a failed activation five times and a failed deactivation three times.
	const send = async (request: ApiRequest) => await call(request, { noRetry: true });

	/** The registrations of this URL; undefined if the list, whose shape is not documented, cannot be read. */
	const list = async (): Promise<IDataObject[] | undefined> => {
		const page = await failureOr(readPage(send, lists.webhooks));
		if (!(page instanceof Failure))
			return page.records.filter((webhook) => normalized(webhook.url) === normalized(url));
		context.logger.warn(
			`The registered webhooks could not be read: ${page.message}. Earlier ones for ${url} may remain: remove them with Webhook > Delete.`,
		);
		return undefined;
	};

	const canKeep = ({ id, isActive, events: registered }: IDataObject, events: string[]): boolean =>
		id === stored.webhookId &&
		Boolean(first(stored.secrets)?.secret) &&
		isActive !== false &&
		xor(castArray(registered), events).length === 0;

	/** Deletes a registration; returns a Failure if it may still exist. */
	const remove = async (id: unknown): Promise<Failure | undefined> => {
		const request = { endpoint: endpoints.deleteWebhook, query: { id: String(id) } };
		const result = await failureOr(send(request));
		if (!(result instanceof Failure)) return undefined;
		return result.outcome === 'rejected' && result.statusCode === 404 ? undefined : result;
	};

	const removeAll = async (webhooks: IDataObject[]) => {
		const [failure] = compact(await Promise.all(map(webhooks, 'id').map(remove)));
		if (failure) throw failure;
	};

	/**
	 * Deletes the registration of this trigger, even if it is not listed yet; then the others of this URL, if the list
	 * can be read. The secret stays valid for a while. One that was made for another URL stays, because the data may be
	 * that of another n8n: a backup that was restored elsewhere contains the registrations of the original.
	 */
	const clear = async (readListed: typeof list) => {
		const isHere = normalized(stored.url) === normalized(url);
		const webhookId = isHere ? stored.webhookId : undefined;
		const failure = webhookId === undefined ? undefined : await remove(webhookId);
		if (failure && failure.outcome !== 'rejected') throw failure;
		const listed = await readListed();
		// An unlisted registration whose deletion was rejected is most likely gone.
		if (failure && (!listed || some(listed, { id: webhookId }))) throw failure;
		storeSecret(secretsKey, stored, null);
		delete stored.webhookId;
		delete stored.url;
		await removeAll(reject(listed, { id: webhookId }));
	};

	const register = async (events: string[]) => {
		const response = await send({ endpoint: endpoints.createWebhook, body: { url, events } });
		withValue(withValue(response, 'webhook.id'), 'webhook.secret');
		const { id, secret } = response.webhook as IDataObject;
		Object.assign(stored, { webhookId: String(id), url });
		storeSecret(secretsKey, stored, String(secret));
		return true;
	};

	return {
		/**
		 * Keeps a registration that is active, with these events and a secret. All others of this URL are deleted,
		 * because their secrets cannot be read again. Other URLs' are not touched.
		 */
		async keep(events: string[]): Promise<boolean> {
			const listed = await list();
			const current = listed?.find((webhook) => canKeep(webhook, events));
			if (current) await removeAll(without(listed, current));
			else await clear(async () => await Promise.resolve(listed));
			stored.owner = owner;
			return current !== undefined;
		},

		/** Registers the URL and stores the registration's ID and secret. Call `keep` first. */
		create: async (events: string[]) => await expectSecret(secretsKey, register(events)),

		/**
		 * Deletes the registration of this trigger. Does nothing if it has none: n8n calls this method even
		 * for a copy that it refused to publish because the original has the URL.
		 */
		async delete(): Promise<boolean> {
			if (stored.owner === owner) await clear(list);
			return true;
		},
	};
}

/** Runs a step of publishing; throws NodeApiError whose message says what to do. */
export const publishing = async (
	context: IHookFunctions,
	step: (registration: Awaited<ReturnType<typeof registrationOf>>) => Promise<boolean>,
): Promise<boolean> =>
	await withAdvice(
		context,
		async () => await step(await registrationOf(context)),
		({ statusCode, description }) => {
			const url = context.getNodeWebhookUrl('default') ?? '';
			const advice =
				statusCode === 400 && !url.startsWith('https://')
					? `The service accepts only HTTPS URLs, but n8n's webhook URL is ${url}. ${publicUrlAdvice}`
					: description;
			// In a test run, the editor already shows that the trigger is not listening.
			if (context.getMode() === 'manual') return advice;
			// The earlier registration is already deleted, because n8n deletes before it publishes. The
			// workflow may still be shown as published.
			return `${advice} Then press Publish again. Until then, this trigger receives no events.`;
		},
	);

/** A URL for comparison: without capitals in the host and without the default port. */
const normalized = (url: unknown): string =>
	URL.canParse(String(url)) ? new URL(String(url)).href : String(url);
