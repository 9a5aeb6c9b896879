import type { IDataObject, IHookFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { node } from '../../../harness/builders';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import {
	Registration,
	type StoredWebhook,
} from '../../../nodes/MessagingService/trigger/registration';
import { acceptedSecrets, secretArrives } from '../../../nodes/MessagingService/trigger/secrets';

const url = 'https://n8n.example/webhook/1';
const events = ['message.sent', 'message.read'];

interface Settings {
	/** Registrations of the account. */
	webhooks?: IDataObject[];
	stored?: StoredWebhook;
	workflowId?: string;
	url?: string | undefined;
	mode?: string;
	/** The response to a registration. */
	made?: IDataObject;
	/** Status and body of the response to a deletion. */
	deleted?: [number, unknown];
	/** Called before a response. */
	onRequest?(method: string): void;
}

/** The registration of a trigger, and what the service was asked for. */
async function opened(settings: Settings = {}) {
	const { webhooks = [], stored = {}, workflowId = 'w', mode = 'trigger', onRequest } = settings;
	const { made = { webhook: { id: 'new', secret: 's-new' } }, deleted = [200, {}] } = settings;
	const asked: string[] = [];
	const answers: Record<string, () => [number, unknown]> = {
		GET: () => [200, { webhooks }],
		POST: () => [200, made],
		DELETE: () => deleted,
	};
	const context = {
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://host.example/api/v1', apiKey: 'msk_0123456789' }),
		getNodeWebhookUrl: () => ('url' in settings ? settings.url : url),
		getWorkflowStaticData: () => stored,
		getInstanceId: () => 'i',
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: 'n' }),
		getMode: () => mode,
		helpers: {
			httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) => {
				const { method = 'GET', qs, body } = options;
				const detail = qs ? ` ${String(qs.id)}` : body ? ` ${String(body)}` : '';
				asked.push(`${method}${detail}`);
				onRequest?.(method);
				const [statusCode, answer] = answers[method]?.() ?? [500, ''];
				return await Promise.resolve({ statusCode, headers: {}, body: answer });
			},
		},
	} as unknown as IHookFunctions;
	return { registration: await Registration.open(context), stored, asked };
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
afterEach(() => {
	jest.restoreAllMocks();
});

const trigger = () => `${workflowId} n ${url}`;
const own = () => ({ owner, webhookId: 'a', url, secret: 's', since: 1 });
const registered = { id: 'a', url, events, isActive: true };

describe('a registration stays', () => {
	test.each<[string, IDataObject]>([
		['as it was', {}],
		['with its events in another order', { events: [...events].reverse() }],
		['that does not say whether it is active', { isActive: undefined }],
		['whose URL is written otherwise', { url: 'HTTPS://N8N.example:443/webhook/1' }],
	])('%s', async (_name, change) => {
		const { registration, stored, asked } = await opened({
			workflowId,
			webhooks: [
				{ ...registered, ...change },
				{ ...registered, id: 'b', url: `${url}/2` },
			],
			stored: own(),
		});
		expect(await registration.keep(events)).toBe(true);
		expect(asked).toEqual(['GET']);
		expect(stored).toEqual(own());
	});

	test('of a trigger that has moved here with its URL', async () => {
		const stored = { ...own(), owner: 'another' };
		const { registration, asked } = await opened({ workflowId, webhooks: [registered], stored });
		expect(await registration.keep(events)).toBe(true);
		expect(asked).toEqual(['GET']);
		expect(stored).toEqual(own());
	});
});

describe('a registration goes', () => {
	test.each<[string, IDataObject, IDataObject]>([
		['that is inactive', { isActive: false }, {}],
		['that has another id', { id: 'b' }, {}],
		['with fewer events', { events: ['message.sent'] }, {}],
		['with more events', { events: [...events, 'message.failed'] }, {}],
		['with other events', { events: ['message.sent', 'message.failed'] }, {}],
		['without events', { events: undefined }, {}],
		['whose secret is not known', {}, { secret: undefined }],
	])('%s', async (_name, change, kept) => {
		const webhook: IDataObject = { ...registered, ...change };
		const stored = { ...own(), ...kept };
		const { registration, asked } = await opened({ workflowId, webhooks: [webhook], stored });
		expect(await registration.keep(events)).toBe(false);
		// What it has registered itself goes in any case.
		const gone = new Set([String(webhook.id), 'a']);
		expect(asked).toEqual(['GET', ...[...gone].map((id) => `DELETE ${id}`)]);
		const saved = JSON.parse(JSON.stringify(stored)) as StoredWebhook;
		expect(Object.keys(saved).sort()).toEqual('secret' in kept ? ['owner'] : ['former', 'owner']);
	});

	test.each([
		['under the same URL, its secret counts', url, ['s']],
		['under another URL, nothing of it does', 'https://other.example', []],
	])('of another trigger: %s', async (_name, before, secrets) => {
		const former = { secret: 'f', until: now + 1 };
		const stored: StoredWebhook = { ...own(), owner: 'another', url: before, former };
		const webhooks = before === url ? [] : [{ ...registered, url: before }];
		const { registration, asked } = await opened({ workflowId, webhooks, stored });
		expect(await registration.keep(events)).toBe(false);
		expect(asked).toEqual(['GET']);
		expect(acceptedSecrets(trigger(), {}, now)).toEqual(secrets);
		const kept = { secret: 's', until: now + 600_000 };
		expect(stored).toEqual({ owner: 'another', ...(before === url ? { former: kept } : {}) });
	});
});

describe('what the list does not show, or with another URL,', () => {
	test.each<[string, IDataObject[]]>([
		['as a list that lags behind', []],
		['as a list that hides a part of URLs', [{ ...registered, url: 'https://n8n.example/***' }]],
	])('goes by its id: %s', async (_how, webhooks) => {
		const { registration, asked, stored } = await opened({ workflowId, webhooks, stored: own() });
		await registration.delete();
		expect(asked).toEqual(['GET', 'DELETE a']);
		expect(stored).not.toHaveProperty('webhookId');
		const again = await opened({ workflowId, webhooks, stored: own() });
		expect(await again.registration.keep(events)).toBe(false);
		expect(again.asked).toEqual(['GET', 'DELETE a']);
	});
});

test.each<[number, unknown, boolean]>([
	[400, { error: 'No such webhook' }, true],
	[200, { success: false }, true],
	[503, '', false],
])(
	'what is not listed is gone where its deletion is answered with %i and %j',
	async (...answer) => {
		const [status, body, isDone] = answer;
		const { registration } = await opened({ workflowId, stored: own(), deleted: [status, body] });
		expect((await failureOr(registration.keep(events))) instanceof Failure).toBe(!isDone);
	},
);

describe('what was registered under a former URL', () => {
	const former = 'https://former.example/webhook/1';
	const webhooks = [
		{ ...registered, url: former },
		{ ...registered, id: 'b', url: former },
		{ ...registered, url: 'https://third.example' },
	];

	test('goes with it, and nothing else', async () => {
		const stored = { ...own(), url: former };
		const { registration, asked } = await opened({ workflowId, webhooks, stored });
		await registration.keep(events);
		expect(asked).toEqual(['GET', 'DELETE a']);
		expect(stored).toEqual({ owner, former: { secret: 's', until: now + 600_000 } });
	});
});

describe('registering', () => {
	test('stores id and secret, which counts from its arrival on', async () => {
		const waiting: Array<Promise<boolean>> = [];
		const { registration, stored, asked } = await opened({
			workflowId,
			onRequest: () => {
				expect(stored).toEqual({ owner });
				waiting.push(secretArrives(trigger()));
			},
		});
		await registration.create(events);
		expect(asked).toEqual([`POST ${JSON.stringify({ url, events })}`]);
		expect(stored).toEqual({ owner, webhookId: 'new', url, secret: 's-new', since: now });
		expect(acceptedSecrets(trigger(), {}, now)).toEqual(['s-new']);
		expect(await Promise.all(waiting)).toEqual([true]);
	});

	test('for a test leaves the secret of the published workflow alone, when it ends, too', async () => {
		const published = await opened({ workflowId });
		await published.registration.create(events);
		// n8n ends a test in the mode in which it unpublishes.
		const test = { workflowId, url: 'https://n8n.example/webhook-test/1', stored: {} };
		const made = { webhook: { id: 'test', secret: 's-test' } };
		const { registration, stored } = await opened({ ...test, mode: 'manual', made });
		await registration.create(events);
		await (await opened({ ...test, mode: 'internal', stored })).registration.delete();
		expect(acceptedSecrets(trigger(), {}, now)).toEqual(['s-new']);
	});

	test.each([undefined, '', 7])('with the secret %p is undone', async (secret) => {
		const made = { webhook: { id: 'new', secret } };
		const { registration, stored, asked } = await opened({ workflowId, made });
		const result = await failureOr(registration.create(events));
		expect(result).toBeInstanceOf(Failure);
		expect(result).toMatchObject({
			message: 'The service registered the webhook without a secret',
			description:
				'Without it no event can be verified, so the registration was removed. Contact the service.',
			outcome: 'rejected',
		});
		expect(asked).toEqual([expect.stringMatching(/^POST/), 'DELETE new']);
		expect(stored).toEqual({ owner });
	});
});

describe('unpublishing', () => {
	const webhooks = [registered, { ...registered, id: 'b' }, { ...registered, url: 'https://c.d' }];

	test('deletes all registrations of the URL', async () => {
		const { registration, stored, asked } = await opened({ workflowId, webhooks, stored: own() });
		await registration.delete();
		expect(asked).toEqual(['GET', 'DELETE a', 'DELETE b']);
		expect(stored).toEqual({ owner, former: { secret: 's', until: now + 600_000 } });
	});

	// n8n asks a copy to delete, too, that could not be published because the original has the URL.
	test.each<StoredWebhook>([{}, { owner: 'another', webhookId: 'a', url, secret: 's' }])(
		'a copy that has registered nothing deletes nothing: %j',
		async (stored) => {
			const { registration, asked } = await opened({ workflowId, webhooks, stored });
			await registration.delete();
			expect(asked).toEqual([]);
		},
	);

	test.each<[number, unknown, boolean]>([
		[404, { error: 'Gone' }, true],
		[404, '<html>', false],
		[400, { error: 'No' }, false],
		// n8n repeats it itself.
		[503, '', false],
	])('a deletion that is answered with %i and %j', async (status, body, isDone) => {
		const { registration, asked, stored } = await opened({
			workflowId,
			webhooks: [registered],
			stored: own(),
			deleted: [status, body],
		});
		const result = await failureOr(registration.delete());
		expect(result instanceof Failure).toBe(!isDone);
		expect(asked).toEqual(['GET', 'DELETE a']);
		expect('webhookId' in stored).toBe(!isDone);
	});

	test('a list that cannot be read is read once', async () => {
		const { registration, asked } = await opened({
			workflowId,
			stored: own(),
			onRequest: () => {
				throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
			},
		});
		expect(await failureOr(registration.delete())).toBeInstanceOf(Failure);
		expect(asked).toEqual(['GET']);
	});
});

test('options that cannot be read are told when the trigger is published', async () => {
	const context = {
		getNodeParameter: (name: string) => (name === 'options' ? { maxAgeSeconds: -1 } : events),
		getNode: () => node('Trigger', 'a.b'),
		getNodeWebhookUrl: () => url,
		getMode: () => 'trigger',
	} as unknown as IHookFunctions;
	const { checkExists } = new MessagingServiceTrigger().webhookMethods.default;
	await expect(checkExists.call(context)).rejects.toThrow(
		/^Max Age \(Seconds\) is less than 0\. Correct/,
	);
});
