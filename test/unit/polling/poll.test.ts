import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions, IPollFunctions } from 'n8n-workflow';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';

interface Settings {
	parameters?: Record<string, unknown>;
	mode?: string;
	activation?: string;
	/** The response to a request. */
	respond?(options: IHttpRequestOptions): unknown;
	/** Milliseconds. */
	budget?: number;
	data?: IDataObject;
	credentialId?: string;
	/** A new one if absent. */
	workflowId?: string;
	/** The package that n8n has loaded. */
	Trigger?: typeof MessagingServicePollingTrigger;
}

/** The same package, loaded once more: what an update leaves n8n with. */
let Updated: typeof MessagingServicePollingTrigger;
beforeAll(async () => {
	await jest.isolateModulesAsync(async () => {
		({ MessagingServicePollingTrigger: Updated } =
			await import('../../../nodes/MessagingService/MessagingServicePollingTrigger.node'));
	});
});

let workflows = 0;

/** A context of the polling trigger in a fake n8n; `settings` may be changed between polls. */
function polling(settings: Settings) {
	const { workflowId = `w${++workflows}`, credentialId = 'c1', data = {} } = settings;
	const requested: string[] = [];
	const warned: string[] = [];
	const context = {
		getNode: () => ({
			id: 'n',
			name: 'Watch',
			credentials: { messagingServiceApi: { id: credentialId } },
		}),
		getNodeParameter: (name: string, preset?: unknown) => settings.parameters?.[name] ?? preset,
		getWorkflow: () => ({ id: workflowId }),
		getMode: () => settings.mode ?? 'trigger',
		getActivationMode: () => settings.activation ?? 'update',
		logger: { warn: (text: string) => warned.push(text) },
		getWorkflowStaticData: (kind: string) => {
			expect(kind).toBe('node');
			return data;
		},
		getCredentials: async () =>
			await Promise.resolve({
				baseUrl: 'https://host.example/api/v1',
				apiKey: 'msk_0123456789',
				countryCodes: '',
			}),
		...(settings.budget === undefined ? {} : { getPollBudgetMs: () => settings.budget }),
		helpers: {
			httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) => {
				const path = options.url.replace('https://host.example/api/v1', '');
				const query = new URLSearchParams(options.qs as Record<string, string>).toString();
				requested.push(`${path}${query === '' ? '' : `?${query}`}`);
				const body = await settings.respond?.(options);
				return { statusCode: 200, headers: {}, body };
			},
		},
	} as unknown as IPollFunctions;
	const run = async () => {
		const { Trigger = MessagingServicePollingTrigger } = settings;
		const output = await new Trigger().poll.call(context);
		return output?.map((items) => items.map(({ json }) => json));
	};
	return { run, requested, warned, data, settings, workflowId };
}

// Not of a kind that is tried again, which takes seconds.
const down = (): never => {
	throw new Error('broken');
};

const thresholds = { warningThreshold: 10, criticalThreshold: 0 };
const balances = { watch: 'balance', resources: ['chatBalance'], ...thresholds };
const account = (chatBalance: number) => () => ({ success: true, user: { chatBalance } });

/** What a poll has stored that saw so many chat credits, and of which trigger. */
async function polled(chatBalance = 50) {
	const { run, data, workflowId } = polling({
		parameters: balances,
		respond: account(chatBalance),
	});
	await run();
	return { data, workflowId };
}
const stored = async (chatBalance?: number) => (await polled(chatBalance)).data;

const low = { event: 'balance.low', resource: 'chatBalance', threshold: 10 };
const emitted = (value: number) => [[{ ...low, value, account: { chatBalance: value } }]];

describe('one poll after the other', () => {
	test('watches the balances that the response has, and fails without any', async () => {
		const parameters = { ...balances, resources: ['leadBalance', 'voiceMins'] };
		const trigger = polling({ parameters, respond: () => ({ leadBalance: 50, chatBalance: 1 }) });
		await trigger.run();
		trigger.settings.respond = account(50);
		const missing = 'no usable lead credits or voice minutes of the account';
		await expect(trigger.run()).rejects.toThrow(missing);
		trigger.settings.respond = () => ({ leadBalance: 9, chatBalance: 1 });
		expect(await trigger.run()).toMatchObject([[{ resource: 'leadBalance', value: 9 }]]);
	});

	test.each(['init', 'leadershipChange'])('makes up for a failure (%s)', async (activation) => {
		const data = await stored();
		const trigger = polling({ parameters: balances, respond: down, activation, data });
		expect(await trigger.run()).toBeUndefined();
		expect(trigger.warned).toEqual([expect.stringContaining('first poll of "Watch"')]);
		await expect(trigger.run()).rejects.toThrow('host.example');
		trigger.settings.respond = account(9);
		expect(await trigger.run()).toEqual(emitted(9));
	});

	test.each([
		['activate', undefined],
		['update', emitted(5)],
	])('fails where somebody publishes (%s), until it is published', async (activation, items) => {
		const before = await polled();
		const settings = { ...before, parameters: balances, activation };
		const advice =
			'If publishing failed, press Publish again. Until then, this trigger does not poll.';
		await expect(polling({ ...settings, respond: down }).run()).rejects.toThrow(advice);
		const trigger = polling({ ...settings, respond: account(5) });
		expect(await trigger.run()).toEqual(items);
		trigger.settings.respond = down;
		await expect(trigger.run()).rejects.not.toThrow(advice);
	});

	test.each<[string, number, Partial<Settings>, boolean]>([
		['at a restart', 50, { activation: 'init' }, true],
		['after a change', 50, { activation: 'update' }, true],
		['at publishing', 50, { activation: 'activate' }, false],
		['with another credential', 50, { credentialId: 'c2' }, false],
		['with another watch', 50, { parameters: { watch: 'webhooks' }, respond: () => [] }, false],
		// A recovery may be missing from what is stored.
		['at a restart', 9, { activation: 'init' }, true],
		["at a restart, by n8n's scheduler", 9, { activation: 'update' }, true],
		['where another process was the leader', 9, { activation: 'leadershipChange' }, true],
		['after a change', 9, { activation: 'update' }, false],
	])('%s, what is stored (%i) may be old', async (name, before, change, isKnown) => {
		const { data, workflowId } = await polled(before);
		// This process knows nothing of a trigger that another one has polled.
		const isSame = before === 9 && /leader|change/.test(name);
		const settings = { parameters: balances, respond: account(8), data, ...change };
		const next = polling({ ...settings, ...(isSame && { workflowId }) });
		expect(await next.run()).toEqual(isKnown ? emitted(8) : undefined);
		if (before === 9) expect(await next.run()).toBeUndefined();
	});

	test('a state that another process or the scheduler has stored since counts', async () => {
		const { workflowId } = await polled(50);
		const data = { ...(await stored(9)), at: Date.now() + 1_000 };
		const settings = { parameters: balances, respond: account(9) };
		expect(await polling({ ...settings, data, workflowId }).run()).toBeUndefined();
		const scheduled = { data: await stored(50), workflowId: (await polled(9)).workflowId };
		const restarted = polling({ ...settings, ...scheduled, activation: 'init' });
		expect(await restarted.run()).toBeUndefined();
	});

	test('of two that overlap in different contexts, as after a stall, the later emits', async () => {
		const { workflowId } = await polled();
		const responses: Array<(value: unknown) => void> = [];
		const respond = async () => await new Promise((resolve) => responses.push(resolve));
		const polls = [1, 2].map(async () => {
			return await polling({ parameters: balances, respond, workflowId }).run();
		});
		await new Promise(setImmediate);
		for (const respond of responses.reverse()) respond(account(9)());
		expect(await Promise.all(polls)).toEqual([undefined, emitted(9)]);
	});

	test('never two at once; one that fails stores nothing', async () => {
		let respond: (value: unknown) => void = () => {};
		const trigger = polling({
			parameters: balances,
			respond: async () => await new Promise((resolve) => (respond = resolve)),
		});
		const first = trigger.run();
		trigger.settings.Trigger = Updated;
		expect(await trigger.run()).toBeUndefined();
		await new Promise(setImmediate);
		respond({ error: 'No' });
		await expect(first).rejects.toThrow('No. Correct what the error names');
		expect(trigger.requested).toHaveLength(1);
		expect(trigger.data).toEqual({});
		trigger.settings.respond = account(5);
		await trigger.run();
		expect(trigger.requested).toHaveLength(2);
	});
});

/** Whether each poll has a new context, and which polls without items n8n saves. */
const saving = (publishing: boolean) => ({ publishing, poll: !publishing });
const engines = fc.constantFrom(
	{ name: 'in memory', isNew: false, saves: saving(true) },
	{ name: 'scheduler', isNew: true, saves: saving(true) },
	{ name: 'scheduler with cursors', isNew: true, saves: saving(false) },
);
const step = fc.record({
	/** What the account has. */
	chatBalance: fc.constantFrom(50, 40, 9, 8),
	/** Whether the workflow was unpublished and is published again. */
	publishes: fc.boolean(),
	/** Whether the package was updated. */
	updates: fc.boolean(),
});

test('however n8n polls, each fall since publishing is emitted once', async () => {
	await fc.assert(
		fc.asyncProperty(engines, fc.array(step), async ({ isNew, saves }, steps) => {
			const workflowId = `w${++workflows}`;
			let saved: IDataObject = {};
			const open = (activation: string) => {
				const data = structuredClone(saved);
				return polling({ parameters: balances, activation, data, workflowId });
			};
			const pollBy = async (trigger: ReturnType<typeof polling>, value: number) => {
				trigger.settings.respond = account(value);
				const items = await trigger.run();
				const isPublishing =
					trigger.settings.activation === 'activate' && trigger.requested.length < 2;
				if (items ?? saves[isPublishing ? 'publishing' : 'poll'])
					saved = structuredClone(trigger.data);
				return items;
			};
			let known = 50;
			let trigger = open('activate');
			expect(await pollBy(trigger, known)).toBeUndefined();
			for (const { chatBalance, publishes, updates } of steps) {
				if (publishes) trigger = open('activate');
				else if (isNew) trigger = open('update');
				// Where each poll has a new context, an update is as a restart.
				if (updates && !isNew) trigger.settings.Trigger = Updated;
				const isFall = known >= 10 && chatBalance < 10 && !publishes;
				const items = await pollBy(trigger, chatBalance);
				expect(items).toEqual(isFall ? emitted(chatBalance) : undefined);
				known = chatBalance;
			}
		}),
	);
});

describe('a poll that takes too long', () => {
	/** Responds to a request that was given up. */
	let respond: (value: unknown) => void = () => {};
	const late = async () => await new Promise((resolve) => (respond = resolve));
	afterEach(() => respond({}));

	test('is given up', async () => {
		const trigger = polling({ parameters: balances, budget: 600, respond: late });
		await expect(trigger.run()).rejects.toThrow(
			/^The poll was stopped because it took longer than 1 seconds\. .* the next poll finds them\. If/,
		);
		trigger.settings.respond = account(5);
		expect(await trigger.run()).toBeUndefined();
	});

	test('makes no further request', async () => {
		const parameters = { watch: 'messages', statuses: ['Sent'] };
		const trigger = polling({ parameters, budget: 20, respond: late });
		await expect(trigger.run()).rejects.toThrow('The poll was stopped');
		respond({ messages: [{ id: 1, sentAt: 1 }], total: 500 });
		await new Promise((resolve) => setTimeout(resolve, 5));
		expect(trigger.requested).toHaveLength(1);
	});
});

describe('what is chosen', () => {
	const messages = { messages: [{ id: 'm', status: 'Read', sentAt: 5 }], total: 1 };
	const newestRead = '/chat/campaigns?status=Read&limit=1&offset=0';
	const calls = { data: [{ id: 'c', callStatus: 'success', createdAt: 5 }], total: 1 };

	const listed = '/voice/call-logs?route=carrier_us1&search=441&page=1&pageSize=100';
	const route = 'carrier_us1';
	const filtered = { callEvents: ['ended'], 'filters.route': route, 'filters.search': '+44 1' };
	const numbers = { configs: [{ id: 'n', qualityRating: 'RED' }] };
	const webhooks = { webhooks: [{ id: 'w', url: 'https://a.b' }] };

	test.each<[string, Record<string, unknown>, unknown, string, object]>([
		['balance', { ...balances }, account(5)(), '/balance', { ...low, value: 5 }],
		['messages', { statuses: ['Read'] }, messages, newestRead, { id: 'm', status: 'Read' }],
		['voiceCalls', filtered, calls, listed, { id: 'c', event: 'ended' }],
		['numbers', {}, numbers, '/chat/configs', { event: 'number.qualityChanged', id: 'n' }],
		['webhooks', {}, webhooks, '/chat/webhooks', { event: 'webhook.removed', id: 'w' }],
		// Of an empty account, a test shows an example.
		['messages', { statuses: ['Read'] }, { messages: [] }, newestRead, { status: 'Read' }],
		['webhooks', {}, { webhooks: [] }, '/chat/webhooks', { event: 'webhook.removed' }],
		['voiceCalls', filtered, { data: [] }, listed, { event: 'ended', duration: 42 }],
	])('a test of %s %j shows an event of %j', async (watch, parameters, body, requested, event) => {
		const trigger = polling({
			parameters: { watch, ...parameters },
			mode: 'manual',
			respond: () => body,
		});
		expect(await trigger.run()).toEqual([[expect.objectContaining({ ...event, sample: true })]]);
		expect(trigger.requested).toEqual([requested]);
		expect(trigger.data).toEqual({});
	});

	test.each<[Record<string, unknown>, string]>([
		[{ watch: 'nope' }, 'Trigger On is not one of Balance (balance), Messages (messages)'],
		[{ ...balances, resources: [] }, 'Balances is empty: select at least one'],
		[{ watch: 'messages', statuses: [] }, 'Statuses is empty: select at least one'],
		[{ watch: 'voiceCalls', callEvents: [] }, 'Call Events is empty: select at least one'],
		[{ watch: 'voiceCalls', 'filters.search': 'Anna' }, 'Phone Number "Anna" contains "A"'],
		[{ ...balances, warningThreshold: -1 }, 'Warning Threshold is less than 0'],
	])('%j cannot be watched', async (parameters, message) => {
		const trigger = polling({ parameters });
		await expect(trigger.run()).rejects.toThrow(message);
		expect(trigger.requested).toEqual([]);
	});
});
