import '../support/core/shortWaits';
import fc from 'fast-check';
import { filter, isMatch, map, mapValues, partition, range, reject, sortBy, uniq } from 'lodash';
import { createRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { balanceWatch } from '../../nodes/MessagingService/polling/balanceWatch';
import { callWatch } from '../../nodes/MessagingService/polling/callWatch';
import { messageWatch } from '../../nodes/MessagingService/polling/messageWatch';
import { numberWatch } from '../../nodes/MessagingService/polling/numberWatch';
import { webhookWatch } from '../../nodes/MessagingService/polling/webhookWatch';
import { questions, type Assumptions } from '../../sandbox';
import { asked } from '../support/core/answer';
import { failureOr, type NodeFailure } from '../support/core/execute';
import { polling, triggerOf } from '../support/core/serviceCall';
import { useSandbox } from '../support/core/useSandbox';
import { textOf } from '../support/docs/files';
import { seed } from '../support/fuzz/runs';
import { goodParameters } from '../support/operations';

const sandbox = useSandbox();

const start = Date.parse('2026-03-10T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
const phone = '447700900210';
/** Messages to it fail. */
const failing = '447700900000';
/** Texts that fit only without the number's form. */
const digits = (number: unknown) => String(number).replace(/\D/g, '');
const lower = (status: unknown) => String(status).toLowerCase();

const choose = (name: string, change: INodeParameters = {}): INodeParameters => {
	const [resource = '', operation = ''] = name.split('.');
	const media = name === 'chatMessage.sendMedia' && { mediaUrl: 'https://host.example/a.png' };
	return { resource, operation, ...goodParameters[name], ...media, ...change };
};

/** Runs an operation with the examples of its fields but for `change`; returns the JSON of its items. */
const run = async (name: string, change?: INodeParameters, items?: IDataObject[]) =>
	await sandbox.json(choose(name, change), { items: items?.map((json) => ({ json })) });

const wait = { pollInterval: 1, maxWait: 5 };
const forStatus = { options: { waitForStatus: { wait: { status: 'Read', ...wait } } } };
const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: String(value) });

/** Sends a campaign and returns the outcome of each row. */
async function outcomes(recipients: IDataObject[], change: INodeParameters = {}) {
	const recipientsJson = JSON.stringify(recipients);
	const create = choose('bulkCampaign.create', { recipientsJson, output: 'rows', ...change });
	const rows = await failureOr(sandbox.json(create));
	if (rows instanceof Error) return undefined;
	await sandbox.control.settle();
	const sentAfter = '={{ $json.sentWith.createdAt }}';
	const after = await run('bulkCampaign.getOutcome', { phoneField: 'phone', sentAfter }, rows);
	return map(after, 'delivery.status').map(lower);
}

/** A send, and its retry after a crash, in which the response was lost if `path` is given. */
async function retried(name: string, change: INodeParameters, path?: string) {
	const parameters = choose(name, change);
	const runtimeData = {
		version: 1 as const,
		establishedAt: Date.now(),
		source: 'webhook' as const,
	};
	const attempt = () => {
		const runExecutionData = createRunExecutionData();
		Object.assign(runExecutionData.executionData ?? {}, { runtimeData });
		return { runExecutionData };
	};
	if (path) await sandbox.control.addFault({ kind: 'cut', path, when: 'after' });
	await failureOr(sandbox.json(parameters, { ...attempt(), mode: 'trigger' }));
	await sandbox.control.settle();
	const retry = sandbox.json(parameters, { ...attempt(), executionId: '2', mode: 'retry' });
	const result = await failureOr(retry);
	return result instanceof Error ? [(result as NodeFailure).context.data] : result;
}

interface Promised {
	holds(assumptions: Assumptions): Promise<void>;
	/** The settings under which it does not hold yet. */
	open?: Array<Partial<Assumptions>>;
}

/** A time that cannot be read, or whose zone is unknown. */
const unread = { times: 'shortOffset' } as const;
const elsewhere = { times: 'noZoneLocal' } as const;
const earlier = [{ times: 'wholeSeconds' }, { clock: 'behind2' }, { clock: 'behind90' }] as const;
const unlisted = [
	{ fields: 'nulls', webhookList: 'bare' },
	{ fields: 'nulls', webhookList: 'data' },
	{ fields: 'nulls', webhookList: 'otherKey' },
	{ fields: 'more', webhookList: 'data' },
	{ fields: 'more', webhookList: 'otherKey' },
] as const;

const promises: Record<string, Promised> = {
	'messages come out, the newest first': {
		open: [unread, elsewhere],
		holds: async () => {
			await sandbox.control.addMessages(130, { sentAt: at(0), everyMs: 1_000 });
			await sandbox.control.addMessages(30, { sentAt: at(130), everyMs: 1_000, status: 'Read' });
			const ids = map(await sandbox.control.messages(), 'providerMessageId');
			const get = async (change: INodeParameters) =>
				(await run('chatMessage.getMany', change)).map((one) =>
					ids.indexOf(String(one.providerMessageId)),
				);
			const down = (first: number, count: number) => range(first, first - count, -1);
			expect(await get({ returnAll: true })).toEqual(down(159, 160));
			expect(await get({ limit: 2 })).toEqual([159, 158]);
			expect(await get({ limit: 40, filters: { status: 'Read' } })).toEqual(down(159, 30));
			expect(await get({ limit: 3, filters: { status: 'Sent' } })).toEqual(down(129, 3));
			expect(await get({ filters: { sentAfter: at(158) } })).toEqual([159, 158]);
			expect(await get({ filters: { sentBefore: at(1) } })).toEqual([1, 0]);
			expect(await get({ filters: { sentAfter: at(50), sentBefore: at(51) } })).toEqual([51, 50]);
			expect(await get({ filters: { providerMessageId: ids[7] } })).toEqual([7]);
			expect(await get({ filters: { phone: '+999000000007' } })).toEqual([137, 7]);
			const [found] = await run('chatMessage.get', { providerMessageId: byId(ids[3]) });
			expect(found?.providerMessageId).toBe(ids[3]);
			const counts = { total: 160, Sent: 130, Delivered: 0, Read: 30, Failed: 0 };
			expect(await run('chatMessage.getStats')).toMatchObject([counts]);
		},
	},
	'the newest message comes out after older ones have changed': {
		open: [{ listOrder: 'byChange' }, unread, elsewhere],
		holds: async () => {
			const older = { sentAt: at(0), everyMs: 5_000, updatedAt: at(7_200) };
			await sandbox.control.addMessages(220, older);
			await sandbox.control.addMessages(1, { sentAt: at(3_600), to: phone });
			for (const change of [{ limit: 1 }, { filters: { sentAfter: at(3_000) } }]) {
				const found = await run('chatMessage.getMany', change);
				expect(map(found, 'to').map(digits)).toEqual([phone]);
			}
		},
	},
	'calls come out, the newest first': {
		open: [unread, elsewhere],
		holds: async ({ callLogId, search }) => {
			await sandbox.control.addCalls(129, { createdAt: at(0), everyMs: 1_000 });
			const [id] = await sandbox.control.addCalls(1, { to: '14155550177', createdAt: at(129) });
			const numbers = map(await sandbox.control.calls(), 'phone');
			const get = async (change: INodeParameters) =>
				(await run('voiceCall.getMany', change)).map((one) => numbers.indexOf(String(one.phone)));
			expect(await get({ returnAll: true })).toEqual(range(129, -1, -1));
			expect(await get({ limit: 2 })).toEqual([129, 128]);
			expect(await get({ filters: { from: at(5), to: at(7) } })).toEqual([7, 6, 5]);
			const part = search === 'anywhere' ? '555017' : '14155550177';
			const days = { from: '2026-03-10', to: '2026-03-11' };
			expect(await get({ filters: { ...days, search: part } })).toEqual([129]);
			const found = await failureOr(run('voiceCall.get', { callId: byId(id) }));
			if (callLogId === 'own') return expect(found).toBeInstanceOf(Error);
			expect(map(found as IDataObject[], 'phone').map(digits)).toEqual(['14155550177']);
		},
	},
	'account, numbers and setup are shown': {
		open: [...unlisted],
		holds: async ({ clock }) => {
			await sandbox.control.setAccount({ chatBalance: 7, voiceMins: 8 });
			expect(await run('account.getBalance')).toMatchObject([{ chatBalance: 7, voiceMins: 8 }]);
			expect(await run('phoneNumber.getMany')).toHaveLength(2);
			const checks = await run('account.checkSetup');
			const isGood = { same: true, behind2: true, behind90: false, ahead90: false, untold: null };
			expect(Object.fromEntries(checks.map(({ check, ok }) => [check, ok]))).toMatchObject({
				...{ key: true, clock: isGood[clock], defaultNumber: true, registrations: null },
				...{ 'scope chat:campaigns': true, 'scope chat:send': true, 'scope voice:calls': true },
			});
		},
	},
	'webhooks are created, listed and deleted': {
		open: [...unlisted],
		holds: async ({ deleted: end, webhookFields }) => {
			// A list without `isActive` cannot show that a webhook is inactive.
			const isShown = end === 'gone' || webhookFields !== 'idAndUrl';
			const url = 'https://host.example/events';
			const [made] = await run('webhook.create', { url });
			expect(made).toMatchObject({ url, secret: expect.any(String) as string });
			expect(map(await run('webhook.getMany'), 'url')).toEqual([url]);
			const deleted = await run('webhook.delete', { webhookId: byId(made?.id) });
			expect(deleted).toEqual([{ deleted: true }]);
			const left = await run('webhook.getMany');
			expect(reject(left, { isActive: false })).toEqual(isShown ? [] : left);
		},
	},
	'each send goes out once, or is rejected': {
		holds: async () => {
			const kinds = ['send', 'sendTemplate', 'sendMedia'].map((kind) => `chatMessage.${kind}`);
			const names = [...kinds, 'voiceCall.create', 'email.send', 'bulkCampaign.create'];
			for (const name of names) {
				const [item] = await run(name);
				expect(item).not.toHaveProperty('error');
			}
			expect(filter(await sandbox.requests(), { method: 'POST' })).toHaveLength(names.length);
			await sandbox.control.setAccount({ chatBalance: 2, emailBalance: 0, voiceMins: 0 });
			const low = await failureOr(run(kinds[1] ?? '', { options: { checkBalance: 'marketing' } }));
			expect(low).toMatchObject({ message: expect.stringMatching(/^Not enough/) as string });
			await sandbox.control.setAccount({ chatBalance: 0 });
			for (const name of names) {
				const failure = await failureOr(run(name));
				expect(failure).toMatchObject({ message: expect.stringMatching(/^Insuff/) as string });
				expect(failure).toMatchObject({ context: { data: { outcome: 'rejected' } } });
			}
		},
	},
	'an awaited message is found': {
		open: [unread, { failedTime: 'null' }],
		holds: async () => {
			await sandbox.control.addMessages(120, { to: phone, sentAt: at(0) });
			const [message] = await run('chatMessage.sendTemplate', { phone, ...forStatus });
			expect(message).toMatchObject({ reached: true, ended: true });
			expect(message).toMatchObject({
				messageRecord: { providerMessageId: message?.providerMessageId },
			});
			const [media] = await run('chatMessage.sendMedia', { phone: '447700900211', ...forStatus });
			expect(media).toMatchObject({ reached: true, ended: true });
			const [failed] = await run('chatMessage.sendTemplate', { phone: failing, ...forStatus });
			expect(failed).toMatchObject({ reached: false, ended: true });
		},
	},
	'an awaited call is found': {
		open: [unread],
		holds: async () => {
			await sandbox.control.addCalls(120, { to: phone, createdAt: at(0) });
			const options = { waitForCompletion: { wait } };
			for (const to of [phone, '7700900333']) {
				const [call] = await run('voiceCall.create', { to, options });
				expect(call).toMatchObject({ ended: true, duration: 42 });
			}
		},
	},
	'a question is answered': {
		holds: async () => {
			for (const name of ['chatMessage.sendAndWait', 'email.sendAndWait']) {
				const open = await asked(sandbox, { parameters: choose(name) });
				expect(map((await open('POST', 0)).items, 'json.data.approved')).toEqual([true]);
			}
		},
	},
	'each row of a campaign has its outcome': {
		open: [...earlier, unread, { failedTime: 'null' }],
		holds: async () => {
			expect(await outcomes([{ phone }, { phone: failing }])).toEqual(['read', 'failed']);
		},
	},
	'a row that was not sent has no outcome': {
		open: [
			{ clock: 'ahead90', bulkInvalid: 'leaveOut' },
			{ clock: 'ahead90', bulkInvalid: 'leaveOutSilently' },
			{ times: 'noZoneLocal', bulkInvalid: 'leaveOut' },
			{ times: 'noZoneLocal', bulkInvalid: 'leaveOutSilently' },
		],
		holds: async () => {
			await run('chatMessage.sendTemplate', { phone });
			await sandbox.control.settle();
			const other = { phone: '447700900211', params: ['a', 'b'] };
			const rows = [{ phone, params: ['a'] }, other];
			const found = await outcomes(rows, { templateName: 'appointment_reminder' });
			expect(found?.[0] ?? 'notlisted').toMatch(/notlisted|ambiguous/);
		},
	},
	'a campaign of which only a part is taken has a hint': {
		open: [{ bulkInvalid: 'leaveOut' }],
		holds: async ({ bulkInvalid }) => {
			const recipients = [{ phone, params: ['a', 'b'] }, { phone: failing }];
			const recipientsJson = JSON.stringify(recipients);
			const change = { templateName: 'appointment_reminder', recipientsJson };
			const result = await failureOr(sandbox.hinted(choose('bulkCampaign.create', change)));
			if (bulkInvalid === 'reject') expect(result).toBeInstanceOf(Error);
			if (bulkInvalid === 'leaveOut') expect(result).toMatchObject({ hints: [/1 of 2/] });
		},
	},
	'after a crash, the records of a send are shown': {
		open: [...earlier, unread],
		holds: async ({ textRecords }) => {
			const [known] = await retried('chatMessage.sendTemplate', {});
			const id = expect.any(String) as string;
			expect(known).toMatchObject({ alreadySent: true, providerMessageId: id, record: {} });
			const sends: Array<[string, string]> = [
				['chatMessage.sendTemplate', '/chat/send-template'],
				['chatMessage.sendMedia', '/chat/send-media'],
				['voiceCall.create', '/voice/call'],
				...(textRecords === 'none' ? [] : [['chatMessage.send', '/chat/send'] as [string, string]]),
			];
			for (const [index, [name, path]] of sends.entries()) {
				const number = `44770090030${index}`;
				const change = name === 'voiceCall.create' ? { to: number } : { phone: number };
				const [data] = await retried(name, change, path);
				const shown = [name, data?.outcome, (data?.candidates as unknown[]).length];
				expect(shown).toEqual([name, 'unknown', 1]);
			}
		},
	},
	'each change of a message is emitted once': {
		holds: async () => {
			await sandbox.control.addMessages(30, { sentAt: at(0) });
			const poll = polling(sandbox, messageWatch(['Sent', 'Failed'], 0));
			expect(await poll()).toEqual([]);
			await sandbox.control.setLifecycle({ enabled: false });
			await run('chatMessage.sendTemplate', { phone });
			await sandbox.control.settle();
			expect(map(await poll(), 'to').map(digits)).toEqual([phone]);
			await sandbox.control.setLifecycle({ enabled: true });
			await run('chatMessage.sendTemplate', { phone: failing });
			await sandbox.control.settle();
			expect(map(await poll(), 'to').map(digits)).toEqual([failing]);
			expect(await poll()).toEqual([]);
		},
	},
	'a message that is stuck is emitted': {
		open: [unread],
		holds: async ({ times }) => {
			const poll = polling(sandbox, messageWatch([], 1));
			for (const ago of [300_000, -200_000])
				await sandbox.control.addMessages(1, { sentAt: new Date(Date.now() - ago).toISOString() });
			expect(await poll()).toEqual([]);
			await sandbox.control.addMessages(1, {
				sentAt: new Date(Date.now() - 300_000).toISOString(),
			});
			// Without a zone, the age of a message is unknown.
			expect(await poll()).toHaveLength(times.startsWith('noZone') ? 0 : 1);
		},
	},
	'in a large account, each call is emitted once': {
		open: [unread],
		holds: async () => {
			await sandbox.control.addCalls(1_001, { createdAt: at(0) });
			const watched = callWatch(['started', 'ended'], { route: '', search: '' });
			const poll = polling(sandbox, watched);
			expect(await poll()).toEqual([]);
			await run('voiceCall.create', { to: phone });
			await sandbox.control.settle();
			expect(map(await poll(), 'event')).toEqual(['started', 'ended']);
			expect(await poll()).toEqual([]);
		},
	},
	'balances, numbers and lost webhooks are watched': {
		open: [...unlisted],
		holds: async () => {
			const balances = balanceWatch(['chatBalance'], { warning: 100, critical: 20 });
			const polls = [balances, numberWatch, webhookWatch].map((one) => polling(sandbox, one));
			const events = async () =>
				await Promise.all(polls.map(async (poll) => map(await poll(), 'event')));
			expect(await events()).toEqual([[], [], []]);
			await sandbox.control.setAccount({ chatBalance: 10 });
			const [webhook] = await run('webhook.create', { url: 'https://host.example/events' });
			expect(await events()).toEqual([['balance.low', 'balance.critical'], [], []]);
			await sandbox.control.removeWebhook(String(webhook?.id));
			expect(await events()).toEqual([[], [], ['webhook.removed']]);
		},
	},
	'the trigger has one registration and receives each event': {
		open: [elsewhere],
		holds: async ({ clock }) => {
			const all = ['sent', 'delivered', 'read', 'failed'].map((kind) => `message.${kind}`);
			const trigger = await triggerOf(sandbox, { options: { maxAgeSeconds: 60 } });
			const own = async () => map(filter(await sandbox.control.webhooks(), 'isActive'), 'id');
			try {
				await trigger.publish(all);
				for (const number of [phone, failing])
					await run('chatMessage.sendTemplate', { phone: number });
				await run('chatMessage.send', { phone: '447700900333' });
				await sandbox.control.settle();
				const delivered = await sandbox.control.journal({ kind: 'delivery' });
				const named = ({ event, data }: IDataObject) => JSON.stringify([event, data]);
				const sent = delivered.map(({ body }) => named(JSON.parse(body) as IDataObject));
				// Without an ID, an event that is repeated starts another execution.
				const [known, unknown] = partition(sent, (text) => text.includes('"pm.'));
				const isOld = clock.endsWith('90');
				expect(sortBy(map(trigger.received, named))).toEqual(
					isOld ? [] : sortBy([...uniq(known), ...unknown]),
				);
				await trigger.publish(all);
				expect(await own()).toHaveLength(1);
				await trigger.publish(['message.sent']);
				expect(await own()).toHaveLength(1);
				const before = trigger.received.length;
				await run('chatMessage.sendTemplate', { phone: '447700900444' });
				await sandbox.control.settle();
				expect(uniq(map(trigger.received.slice(before), 'event'))).toEqual(
					isOld ? [] : ['message.sent'],
				);
				await trigger.unpublish();
				expect(await own()).toEqual([]);
			} finally {
				trigger.close();
			}
		},
	},
};

const sets = fc.record(
	mapValues(questions, ({ settings }) => fc.constantFrom<string>(...settings)),
) as fc.Arbitrary<Assumptions>;

const defaults = mapValues(questions, ({ settings: [preset] }) => preset) as Assumptions;

/** Sets that together have each setting. */
const examples = range(Math.max(...map(questions, ({ settings: { length } }) => length))).map(
	(index) =>
		mapValues(questions, ({ settings }) => settings[index % settings.length]) as Assumptions,
);

const fast = { deliveredAfterMs: 5, readAfterMs: 5, answeredAfterMs: 5, endedAfterMs: 5 };

async function holdsUnder(assumptions: Assumptions, holds: Promised['holds']): Promise<void> {
	await sandbox.control.reset();
	await sandbox.control.setAssumptions(assumptions);
	await sandbox.control.setLifecycle({ enabled: true, listedAfterMs: 50, ...fast });
	await holds(assumptions);
}

test.each(Object.entries(questions))('the README of the sandbox has %s', (name, question) => {
	const settings = question.settings.map((one) => `\`${one}\``).join(', ');
	const row = `| \`${name}\` | ${question.text} | ${settings} | ${question.section} |`;
	expect(textOf('sandbox/README.md')).toContain(row);
});

describe.each(Object.entries(promises))('%s', (_name, { holds, open = [] }) => {
	/** The set with the default of what is open. */
	const allowed = (set: Assumptions): Assumptions =>
		open.reduce<Assumptions>((changed, one) => {
			const [name = 'times'] = Object.keys(one) as Array<keyof Assumptions>;
			return isMatch(changed, one) ? { ...changed, [name]: defaults[name] } : changed;
		}, set);

	test('under any other assumptions', async () => {
		// What does not hold is shown with as many defaults as possible.
		await fc.assert(
			fc.asyncProperty(sets, async (set) => await holdsUnder(allowed(set), holds)),
			{
				...{ seed, numRuns: Number(process.env.ASSUMPTIONS ?? examples.length + 3) },
				examples: examples.map((one) => [one]),
			},
		);
	});

	if (open.length > 0)
		test.failing.each(open.map((one) => [one]))('under %j', async (change) => {
			await holdsUnder({ ...defaults, ...change }, holds);
		});
});
