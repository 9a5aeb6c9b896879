import { castArray, compact, first, map, reject, some, without, xor } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { publicUrlAdvice } from '../actions/account/checkSetup.operation';
import { connect, type ApiRequest } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr, withAdvice } from '../api/failure';
import { withId } from '../api/response';
import { lists, readPage } from '../api/lists';
import { addressOf, expectSecret, keepSecret, ownerOf, type StoredSecrets } from './secrets';

/** What n8n keeps for the trigger between publishing and unpublishing. */
export interface StoredWebhook extends StoredSecrets {
	webhookId?: string;
	/** The trigger that all this belongs to: a copied workflow brings it along. */
	owner?: string;
}

/**
 * The registration of one trigger URL with the service (docs/service.md, sections 4.10 to 4.12), found by
 * that URL. A stored id counts for one thing only: to remove what this same trigger has registered.
 * Throws Failure when the credential cannot be used.
 */
export async function registrationOf(context: IHookFunctions) {
	const call = await connect(context);
	const url = context.getNodeWebhookUrl('default');
	const address = addressOf(context);
	const owner = ownerOf(context);
	const stored: StoredWebhook = context.getWorkflowStaticData('node');
	// What another trigger has left counts for nothing.
	if (stored.owner !== owner) for (const key of Object.keys(stored)) delete stored[key];

	// n8n repeats a failed activation five times and a failed deactivation three times.
	const send = async (request: ApiRequest) => await call(request, { once: true });

	/** The registrations of this URL; undefined where the list, whose shape is not documented, cannot be read. */
	const list = async (): Promise<IDataObject[] | undefined> => {
		const page = await failureOr(readPage(send, lists.webhooks));
		if (!(page instanceof Failure))
			return page.records.filter((webhook) => normalized(webhook.url) === normalized(url));
		context.logger.warn(
			`The registered webhooks could not be read: ${page.message}. Earlier ones for ${url} may remain: remove them with Webhook > Delete.`,
		);
		return undefined;
	};

	const isGood = ({ id, isActive, events: registered }: IDataObject, events: string[]): boolean =>
		id === stored.webhookId &&
		Boolean(first(stored.secrets)?.secret) &&
		isActive !== false &&
		xor(castArray(registered), events).length === 0;

	/** Deletes a registration; gives the Failure where it may still be there. */
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
	 * Deletes what this trigger has registered, which the list may not show yet or under another URL, as
	 * after a change of n8n's webhook URL; then the other registrations of this URL, as far as the list
	 * can be read. Its secret counts a while longer.
	 */
	const clear = async (listing: typeof list) => {
		const { webhookId } = stored;
		const failure = webhookId === undefined ? undefined : await remove(webhookId);
		if (failure && failure.outcome !== 'rejected') throw failure;
		const listed = await listing();
		// What the service does not list and refuses to delete is most likely gone.
		if (failure && (!listed || some(listed, { id: webhookId }))) throw failure;
		keepSecret(address, stored, null);
		delete stored.webhookId;
		await removeAll(reject(listed, { id: webhookId }));
	};

	const register = async (events: string[]) => {
		const response = await send({ endpoint: endpoints.createWebhook, body: { url, events } });
		withId(withId(response, 'webhook.id'), 'webhook.secret');
		const { id, secret } = response.webhook as IDataObject;
		stored.webhookId = String(id);
		keepSecret(address, stored, String(secret));
		return true;
	};

	return {
		/**
		 * Whether a registration can stay: active, same events, secret known. Any other one of this URL is
		 * deleted, because its secret cannot be read again; those of other URLs are never touched, unless
		 * this trigger has made them.
		 */
		async keep(events: string[]): Promise<boolean> {
			const listed = await list();
			const good = listed?.find((webhook) => isGood(webhook, events));
			if (good) await removeAll(without(listed, good));
			else await clear(async () => await Promise.resolve(listed));
			stored.owner = owner;
			return good !== undefined;
		},

		/** Registers the URL, which `keep` has cleared, and stores id and secret. */
		create: async (events: string[]) => await expectSecret(address, register(events)),

		/**
		 * Deletes what is registered. Nothing for a trigger that has registered nothing: where publishing a
		 * copy ends because the original has the URL, n8n asks to delete it, too.
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
			// A test listens for one event; n8n says itself that it does not.
			if (context.getMode() === 'manual') return advice;
			// n8n has removed what was there before, so also a workflow shown as published is deaf now.
			return `${advice} Then press Publish again. Until then, this trigger receives no events.`;
		},
	);

/** As URLs are compared: without capitals in the host or a port that goes without saying. */
const normalized = (url: unknown): string =>
	URL.canParse(String(url)) ? new URL(String(url)).href : String(url);
