import { get } from 'lodash';
import {
	NodeApiError,
	type IDataObject,
	type IHookFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { node } from '../../../harness/builders';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import {
	registrationOf,
	type StoredWebhook,
} from '../../../nodes/MessagingService/trigger/registration';
import { acceptedSecrets, secretArrives } from '../../../nodes/MessagingService/trigger/secrets';

const url = 'https://n8n.example/webhook/1';
const events = ['message.sent', 'message.read'];

/** Status and body of a response. */
type Response = [number, unknown];

interface Settings {
	/** Registrations of the account. */
	webhooks?: IDataObject[];
	stored?: StoredWebhook;
	url?: string | undefined;
	mode?: string;
	options?: IDataObject;
	made?: Response;
	/** Of the registration `a`; all others can be deleted. */
	deleted?: Response;
	/** In place of `webhooks`. */
	listed?: Response;
	/** Called before a response. */
	onRequest?(): void;
}

/** A trigger that is published, and the requests to the service. */
function publishing(settings: Settings = {}) {
	const { webhooks = [], stored = {}, mode = 'trigger', options = {}, onRequest } = settings;
	const responses: Record<string, Response> = {
		GET: settings.listed ?? [200, { webhooks }],
		POST: settings.made ?? [200, { webhook: { id: 'new', secret: 's-new' } }],
		'DELETE a': settings.deleted ?? [200, {}],
	};
	const requested: string[] = [];
	const warned: string[] = [];
	const context = {
		getCredentials: async () =>
			await Promise.resolve({
				baseUrl: 'https://host.example/api/v1',
				apiKey: 'msk_0123456789',
				countryCodes: '',
			}),
		getNodeParameter: (name: string, preset: unknown): unknown =>
			get({ events, options }, name, preset),
		getNodeWebhookUrl: (name: string) => {
			expect(name).toBe('default');
			return 'url' in settings ? settings.url : url;
		},
		getWorkflowStaticData: (kind: string) => {
			expect(kind).toBe('node');
			return stored;
		},
		getInstanceId: () => 'i',
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ ...node('Trigger', 'a.b'), id: 'n' }),
		getMode: () => mode,
		logger: { warn: (text: string) => warned.push(text) },
		helpers: {
			httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) => {
				const { method = 'GET', qs, body } = request;
				const one = `${method}${qs ? ` ${String(qs.id)}` : ''}`;
				requested.push(body ? `${one} ${String(body)}` : one);
				onRequest?.();
				const [statusCode, content] = responses[one] ?? [200, {}];
				return await Promise.resolve({ statusCode, headers: {}, body: content });
			},
		},
	} as unknown as IHookFunctions;
	return { context, stored, requested, warned };
}

async function opened(settings: Settings = {}) {
	const { context, ...rest } = publishing(settings);
	return { registration: await registrationOf(context), ...rest };
}

const now = 1_700_000_000_000;
let workflows = 0;
let workflowId: string;
let owner: string;
beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(now);
	workflowId = `w${++workflows}`;
	owner = `i ${workflowId} n`;
});
afterEach(() => jest.restoreAllMocks());

const accepted = () => acceptedSecrets(`${workflowId} n ${url}`, {});
const secrets = [{ secret: 's', since: 1 }];
const ended = [{ secret: null, since: now }, ...secrets];
const own = (): StoredWebhook => ({ owner, webhookId: 'a', url, secrets });
const registered = { id: 'a', url, events, isActive: true };

test.each<[string, IDataObject]>([
	['as it was', {}],
	['with its events in another order', { events: [...events].reverse() }],
	['that does not say whether it is active', { isActive: undefined }],
	['whose URL is written otherwise', { url: 'HTTPS://N8N.example:443/webhook/1' }],
])('a registration stays %s, and any other of its URL goes', async (_name, change) => {
	const others = [{ id: 'b' }, { id: 'c', url: `${url}/2` }].map((own) => ({
		...registered,
		...own,
	}));
	const webhooks = [...others, { ...registered, ...change }];
	const { registration, stored, requested } = await opened({ webhooks, stored: own() });
	expect(await registration.keep(events)).toBe(true);
	expect(requested).toEqual(['GET', 'DELETE b']);
	expect(stored).toEqual(own());
});

describe('a registration goes', () => {
	test.each<[string, IDataObject, StoredWebhook]>([
		['that is inactive', { isActive: false }, {}],
		['that has another id', { id: 'b' }, {}],
		['with other events', { events: ['message.sent', 'message.failed'] }, {}],
		['whose secret is not known', {}, { secrets: [{ secret: null, since: 1 }] }],
		['whose secret is not there', {}, { secrets: [] }],
		['which the list does not show any more', { url: 'https://n8n.example/***' }, {}],
		[
			'whose URL is stored otherwise',
			{ isActive: false },
			{ url: 'HTTPS://N8N.example:443/webhook/1' },
		],
	])('%s', async (_name, change, kept) => {
		const other = { ...registered, id: 'c', url: String(change.url ?? 'https://c.d') };
		const webhooks = [{ ...registered, ...change }, other];
		const stored = { ...own(), ...kept };
		const { registration, requested } = await opened({ webhooks, stored });
		expect(await registration.keep(events)).toBe(false);
		// What it has registered itself goes in any case.
		expect(requested).toEqual(['GET', 'DELETE a', ...(change.id === 'b' ? ['DELETE b'] : [])]);
		expect(stored).toEqual({ owner, secrets: [ended[0], ...(kept.secrets ?? secrets)] });
	});

	test.each<[string, string, string[]]>([
		['under the same URL', url, ['GET', 'DELETE a']],
		['under another URL', 'https://other.example', ['GET']],
	])('of another trigger %s, and its secret never counts', async (_name, before, requests) => {
		const stored = { ...own(), owner: 'another' };
		const { registration, requested } = await opened({
			webhooks: [{ ...registered, url: before }],
			stored,
		});
		expect(await registration.keep(events)).toBe(false);
		expect(requested).toEqual(requests);
		expect(accepted()).toEqual([]);
	});

	test.each<[number, unknown, boolean, boolean]>([
		[404, { error: 'Gone' }, true, true],
		[404, '<html>', false, false],
		[400, { error: 'No' }, false, true],
		[200, { success: false }, false, true],
		// n8n repeats it itself.
		[503, '', false, false],
	])('unless the response to its deletion is %i with %j', async (status, body, ...isDone) => {
		const other = { ...registered, id: 'b' };
		for (const [index, webhooks] of [[registered], [other]].entries()) {
			const deleted: Response = [status, body];
			const settings = { webhooks, stored: own(), deleted };
			const { registration, requested, stored } = await opened(settings);
			const result = await failureOr(registration.delete());
			expect(requested[0]).toBe('DELETE a');
			expect(requested.includes('DELETE b')).toBe(index === 1 && Boolean(isDone[index]));
			expect(result instanceof Failure).toBe(!isDone[index]);
			expect('webhookId' in stored).toBe(!isDone[index]);
		}
	});
});

test('publishing fails if another registration of the URL stays, whose events nobody could verify', async () => {
	const { registration, requested } = await opened({
		webhooks: [registered],
		deleted: [503, ''],
	});
	const failure = await failureOr(registration.keep(events));
	expect([failure instanceof Failure, requested]).toEqual([true, ['GET', 'DELETE a']]);
});

describe('registering', () => {
	test('stores id and secret, which counts from its arrival on', async () => {
		const waiting: Array<Promise<string[]>> = [];
		const { registration, stored, requested } = await opened({
			onRequest: () => waiting.push(secretArrives(`${workflowId} n ${url}`).then(accepted)),
		});
		expect(await registration.create(events)).toBe(true);
		expect(requested).toEqual([`POST ${JSON.stringify({ url, events })}`]);
		const kept = [{ secret: 's-new', since: now }];
		expect(stored).toEqual({ webhookId: 'new', url, secrets: kept });
		expect(await Promise.all(waiting)).toEqual([['s-new']]);
	});

	test('for a test leaves the secret of the published workflow alone, when it ends, too', async () => {
		await (await opened()).registration.create(events);
		// n8n ends a test in the mode in which it unpublishes.
		const test = { url: 'https://n8n.example/webhook-test/1', stored: { owner } };
		const made: Response = [200, { webhook: { id: 'test', secret: 's-test' } }];
		const { registration, stored } = await opened({ ...test, mode: 'manual', made });
		await registration.create(events);
		await (await opened({ ...test, mode: 'internal', stored })).registration.delete();
		expect(accepted()).toEqual(['s-new']);
	});

	test.each([undefined, ''])('with the secret %p fails, and none counts', async (secret) => {
		const { registration } = await opened({ made: [200, { webhook: { id: 'new', secret } }] });
		await expect(registration.create(events)).rejects.toThrow('no usable webhook.secret');
		expect(accepted()).toEqual([]);
	});
});

describe('unpublishing', () => {
	test('deletes all registrations of the URL', async () => {
		const others = [{ id: 'b' }, { url: 'https://c.d' }];
		const webhooks = [registered, ...others.map((other) => ({ ...registered, ...other }))];
		const { registration, stored, requested } = await opened({ webhooks, stored: own() });
		expect(await registration.delete()).toBe(true);
		expect(requested).toEqual(['DELETE a', 'GET', 'DELETE b']);
		expect(stored).toEqual({ owner, secrets: ended });
	});

	test.each<[number, unknown]>([
		[200, { pages: 0 }],
		[503, ''],
	])('needs no list, nor does publishing (%i, %j)', async (...listed) => {
		for (const step of ['delete', 'keep'] as const) {
			const settings = { stored: own(), webhooks: [registered], listed };
			const { registration, stored, requested, warned } = await opened(settings);
			await registration[step](events);
			expect(requested.sort()).toEqual(['DELETE a', 'GET']);
			expect(stored).not.toHaveProperty('webhookId');
			expect(warned).toEqual([expect.stringContaining(`Earlier ones for ${url} may remain`)]);
		}
	});

	test.each(['delete', 'keep'] as const)(
		'a restored backup at another URL leaves it: %s',
		async (step) => {
			const original = { ...registered, url: 'https://original.example/webhook/1' };
			const settings = { webhooks: [original], stored: { ...own(), url: original.url } };
			const { registration, requested, stored } = await opened(settings);
			await registration[step](events);
			expect(requested).toEqual(['GET']);
			expect(stored).toEqual({ owner, secrets: ended });
		},
	);

	// n8n asks a copy to delete, too, that could not be published because the original has the URL.
	const copies: StoredWebhook[] = [{}, { owner: 'another', webhookId: 'a', secrets }];
	test.each(copies)('a copy deletes nothing: %j', async (stored) => {
		const { registration, requested } = await opened({ webhooks: [registered], stored });
		await registration.delete();
		expect(requested).toEqual([]);
	});
});

describe('a failed publication says what to do', () => {
	const { checkExists, create } = new MessagingServiceTrigger().webhookMethods.default;
	const messageOf = async (step: Promise<boolean>) => {
		const error: unknown = await step.catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(NodeApiError);
		return (error as NodeApiError).message;
	};
	const deaf = 'Then press Publish again. Until then, this trigger receives no events.';
	const insecure = (address: string) =>
		`The service accepts only HTTPS URLs, but n8n's webhook URL is ${address}. Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to its public https:// address, then restart n8n.`;
	const wrong = 'Correct the field that the error names.';

	test.each<[string | undefined, number, string]>([
		['https://n8n.example/webhook', 400, wrong],
		['http://n8n.example/https://', 400, insecure('http://n8n.example/https://')],
		['http://n8n.example', 404, 'Check that the base URL of the credential ends'],
		[undefined, 400, insecure('')],
	])('at the URL %s with status %i', async (address, status, advice) => {
		const settings: Settings = { url: address, made: [status, { error: 'No' }] };
		const message = await messageOf(create.call(publishing(settings).context));
		expect(message).toContain(`No. ${advice}`);
		expect(message).toContain(deaf);
		const tested = publishing({ ...settings, mode: 'manual' });
		expect(await messageOf(create.call(tested.context))).not.toContain(deaf);
	});

	test('where its credential was deleted, and speaks of no sends', async () => {
		const { context } = publishing();
		context.getCredentials = async () => await Promise.reject(new Error('No credential c1'));
		const message = await messageOf(checkExists.call(context));
		expect(message).toMatch(
			/^No credential c1\. Choose or create a credential in the node\. [^:]*\. Until/,
		);
	});

	test.each<[IDataObject, string]>([
		[{ maxAgeSeconds: -1 }, 'Max Age (Seconds) is less than 0. Correct'],
	])('with the options %j', async (options, message) => {
		const { context, requested } = publishing({ options });
		expect(await messageOf(checkExists.call(context))).toContain(message);
		expect(requested).toEqual([]);
	});
});
