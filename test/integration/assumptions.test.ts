import '../support/core/shortWaits';
import fc from 'fast-check';
import { filter, map, mapValues, partition, range, reject, sortBy, uniq } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { balanceWatch } from '../../nodes/MessagingService/polling/balanceWatch';
import { callWatch } from '../../nodes/MessagingService/polling/callWatch';
import { messageWatch } from '../../nodes/MessagingService/polling/messageWatch';
import { numberWatch } from '../../nodes/MessagingService/polling/numberWatch';
import { webhookWatch } from '../../nodes/MessagingService/polling/webhookWatch';
import { questions, type Assumptions } from '../../sandbox';
import { asked } from '../support/core/answer';
import { failureOr } from '../support/core/execute';
import { polling, triggerOf } from '../support/core/serviceCall';
import { useSandbox } from '../support/core/useSandbox';
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

/** Milliseconds by which the service's clock is ahead. */
const clocks = { same: 0, behind2: -2_000, behind90: -90_000, ahead90: 90_000, unknown: 0 };

/** A time of the service, some seconds ago. */
const ago = (seconds: number, { clock }: Assumptions) =>
	new Date(Date.now() + clocks[clock] - seconds * 1_000).toISOString();

/** Sends a campaign and returns the outcome of each row; undefined if it is rejected. */
async function outcomes(recipients: IDataObject[], change: INodeParameters = {}) {
	const recipientsJson = JSON.stringify(recipients);
	const create = choose('bulkCampaign.create', { recipientsJson, output: 'rows', ...change });
	const rows = await failureOr(sandbox.json(create));
	if (rows instanceof Error) return undefined;
	await sandbox.control.settle();
	const sentAfter = '={{ $json.sentWith.createdAt }}';
	const after = await run('bulkCampaign.getOutcome', { phoneField: 'phone', sentAfter }, rows);
	return map(after, 'delivery.status');
}

/** An execution whose attempts share their beginning, as n8n's do; each attempt has lost what the last one knew. */
function attempts() {
	const runtimeData = {
		version: 1 as const,
		establishedAt: Date.now(),
		source: 'webhook' as const,
	};
	let attempt = 0;
	return async (parameters: INodeParameters, rest: { items?: INodeExecutionData[] } = {}) => {
		const runExecutionData = createRunExecutionData();
		Object.assign(runExecutionData.executionData ?? {}, { runtimeData });
		const mode = attempt++ === 0 ? ('trigger' as const) : ('retry' as const);
		const started = { runExecutionData, mode, executionId: String(attempt), ...rest };
		return await sandbox.json(parameters, {
			node: { onError: 'continueRegularOutput' },
			...started,
		});
	};
}

/** A send, and its retry after a crash, in which the response was lost if `path` is given. */
async function retried(name: string, change: INodeParameters, path?: string) {
	const attempt = attempts();
	if (path) await sandbox.control.addFault({ kind: 'cut', path, when: 'after' });
	await attempt(choose(name, change));
	await sandbox.control.settle();
	const [item] = await attempt(choose(name, change));
	return path ? (item?.details as IDataObject) : item;
}

/** A promise that holds under every assumption. */
type Holds = (assumptions: Assumptions) => Promise<void>;

/** Times without an offset that are not those of UTC. */
const isElsewhere = ({ times }: Assumptions) => times === 'noZoneLocal';

/** A time, as a filter for records that are written so. */
const filterAt = (seconds: number, assumptions: Assumptions) =>
	at(seconds + (isElsewhere(assumptions) ? 5.5 * 3_600 : 0));

const promises: Record<string, Holds> = {
	'messages come out, the newest first': async (set) => {
		const filter = (seconds: number) => filterAt(seconds, set);
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
		expect(await get({ filters: { sentAfter: filter(158) } })).toEqual([159, 158]);
		expect(await get({ filters: { sentBefore: filter(1) } })).toEqual([1, 0]);
		expect(await get({ filters: { sentAfter: filter(50), sentBefore: filter(51) } })).toEqual([
			51, 50,
		]);
		expect(await get({ filters: { providerMessageId: ids[7] } })).toEqual([7]);
		expect(await get({ filters: { phone: '+999000000007' } })).toEqual([137, 7]);
		const [found] = await run('chatMessage.get', { providerMessageId: byId(ids[3]) });
		expect(found?.providerMessageId).toBe(ids[3]);
		const counts = { total: 160, Sent: 130, Delivered: 0, Read: 30, Failed: 0 };
		expect(await run('chatMessage.getStats')).toMatchObject([counts]);
	},
	'the newest message comes out after older ones have changed': async (set) => {
		const older = { sentAt: at(0), everyMs: 5_000, updatedAt: at(7_200) };
		await sandbox.control.addMessages(220, older);
		await sandbox.control.addMessages(1, { sentAt: at(3_600), to: phone });
		for (const change of [{ limit: 1 }, { filters: { sentAfter: filterAt(3_000, set) } }]) {
			const found = await run('chatMessage.getMany', change);
			expect(map(found, 'to').map(digits)).toEqual([phone]);
		}
	},
	'calls come out, the newest first': async (set) => {
		const { callLogId, search } = set;
		await sandbox.control.addCalls(129, { createdAt: at(0), everyMs: 1_000 });
		const [id] = await sandbox.control.addCalls(1, { to: '14155550177', createdAt: at(129) });
		const numbers = map(await sandbox.control.calls(), 'phone');
		const get = async (change: INodeParameters) =>
			(await run('voiceCall.getMany', change)).map((one) => numbers.indexOf(String(one.phone)));
		expect(await get({ returnAll: true })).toEqual(range(129, -1, -1));
		expect(await get({ limit: 2 })).toEqual([129, 128]);
		expect(await get({ filters: { from: filterAt(5, set), to: filterAt(7, set) } })).toEqual([
			7, 6, 5,
		]);
		const part = search === 'anywhere' ? '555017' : '14155550177';
		const days = { from: '2026-03-10', to: '2026-03-11' };
		expect(await get({ filters: { ...days, search: part } })).toEqual([129]);
		const found = await failureOr(run('voiceCall.get', { callId: byId(id) }));
		if (callLogId === 'own') return expect(found).toBeInstanceOf(Error);
		expect(map(found as IDataObject[], 'phone').map(digits)).toEqual(['14155550177']);
	},
	'account, numbers and setup are shown': async ({ clock }) => {
		await sandbox.control.setAccount({ chatBalance: 7, voiceMins: 8 });
		expect(await run('account.getBalance')).toMatchObject([{ chatBalance: 7, voiceMins: 8 }]);
		expect(await run('phoneNumber.getMany')).toHaveLength(2);
		const checks = await run('account.checkSetup');
		const isGood = { same: true, behind2: true, behind90: false, ahead90: false, unknown: null };
		expect(Object.fromEntries(checks.map(({ check, ok }) => [check, ok]))).toMatchObject({
			...{ key: true, clock: isGood[clock], defaultNumber: true, registrations: null },
			...{ 'scope chat:campaigns': true, 'scope chat:send': true, 'scope voice:calls': true },
		});
	},
	'webhooks are created, listed and deleted': async ({ deleted: end, webhookFields }) => {
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
	'each send goes out once, or is rejected': async () => {
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
	'an awaited message is found': async () => {
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
	'an awaited call is found': async () => {
		await sandbox.control.addCalls(120, { to: phone, createdAt: at(0) });
		const options = { waitForCompletion: { wait } };
		for (const to of [phone, '7700900333']) {
			const [call] = await run('voiceCall.create', { to, options });
			expect(call).toMatchObject({ ended: true, duration: 42 });
		}
	},
	'a question is answered': async () => {
		for (const name of ['chatMessage.sendAndWait', 'email.sendAndWait']) {
			const open = await asked(sandbox, { parameters: choose(name) });
			expect(map((await open('POST', 0)).items, 'json.data.approved')).toEqual([true]);
		}
	},
	'each row of a campaign has its outcome, whatever was sent before': async (set) => {
		// The same list, half a minute earlier.
		for (const to of [phone, failing])
			await sandbox.control.addMessages(1, { to, sentAt: ago(30, set) });
		const isKnown = set.clock !== 'unknown' && !isElsewhere(set);
		expect(await outcomes([{ phone }, { phone: failing }])).toEqual(
			isKnown ? ['Read', 'Failed'] : ['ambiguous', 'ambiguous'],
		);
	},
	'a row that was not sent has no outcome': async (set) => {
		await sandbox.control.addMessages(1, { to: phone, sentAt: ago(5, set), status: 'Read' });
		const other = { phone: '447700900211', params: ['a', 'b'] };
		const rows = [{ phone, params: ['a'] }, other];
		const found = await outcomes(rows, { templateName: 'appointment_reminder' });
		expect(found?.[0] ?? 'notListed').toMatch(/notListed|ambiguous/);
	},
	'a hint says if the service takes another number of recipients': async ({ bulkInvalid }) => {
		const list = [['a'], ['a', 'b']].map((params, index) => ({
			phone: `44770090021${index}`,
			params,
		}));
		const change = { templateName: 'appointment_reminder', recipientsJson: JSON.stringify(list) };
		const sent = await failureOr(sandbox.hinted(choose('bulkCampaign.create', change)));
		const counted = /^The service counts 1 of the 2 recipients of campaign \S+\./;
		if (sent instanceof Error) expect(bulkInvalid).toBe('reject');
		else expect(sent.hints.some((hint) => counted.test(hint))).toBe(bulkInvalid === 'leaveOut');
	},
	'after a crash, the records of a send are shown': async ({ textRecords }) => {
		const known = await retried('chatMessage.sendTemplate', {});
		const id = expect.any(String) as string;
		expect(known).toMatchObject({ alreadySent: true, providerMessageId: id, record: {} });
		const sends: Array<[string, string]> = [
			['chatMessage.sendTemplate', '/chat/send-template'],
			['chatMessage.sendMedia', '/chat/send-media'],
			['voiceCall.create', '/voice/call'],
		];
		for (const name of ['chatMessage.send', 'chatMessage.sendAndWait'])
			if (textRecords !== 'none') sends.push([name, '/chat/send']);
		for (const [index, [name, path]] of sends.entries()) {
			const number = `44770090030${index}`;
			const change = name === 'voiceCall.create' ? { to: number } : { phone: number };
			const data = await retried(name, change, path);
			const shown = [name, data?.outcome, (data?.candidates as unknown[]).length];
			expect(shown).toEqual([name, 'unknown', 1]);
		}
	},
	'a retry of a crashed list reaches everybody once': async () => {
		const attempt = attempts();
		const items = range(4).map((index) => ({ json: { to: `44770090040${index}` } }));
		const parameters = choose('chatMessage.sendTemplate', {
			phone: '={{ $json.to }}',
			options: { batching: { batch: { batchSize: 1 } } },
		});
		const path = '/chat/send-template';
		await sandbox.control.addFault({ kind: 'cut', path, when: 'after', skip: 1 });
		await attempt(parameters, { items: items.slice(0, 3) });
		await sandbox.control.settle();
		const [first, second, third, fourth] = await attempt(parameters, { items });
		const id = expect.any(String) as string;
		for (const item of [first, third])
			expect(item).toMatchObject({ alreadySent: true, providerMessageId: id });
		expect(second).toMatchObject({ details: { outcome: 'unknown', candidates: [{}] } });
		expect(fourth).toMatchObject({ success: true });
		expect(await sandbox.requests(path)).toHaveLength(4);
	},
	'over many polls, each change of a message is emitted once': async () => {
		await sandbox.control.addMessages(30, { sentAt: at(0) });
		const poll = polling(sandbox, messageWatch(['Sent', 'Failed'], 0));
		const emitted = async () => map(await poll(), 'to').map(digits);
		expect(await emitted()).toEqual([]);
		for (const round of range(2)) {
			const number = `44770090050${round}`;
			await sandbox.control.setLifecycle({ enabled: false });
			await run('chatMessage.sendTemplate', { phone: number });
			await sandbox.control.settle();
			expect(await emitted()).toEqual([number]);
			await sandbox.control.setLifecycle({ enabled: true });
			await run('chatMessage.sendTemplate', { phone: failing });
			await sandbox.control.settle();
			expect(await emitted()).toEqual([failing]);
			expect(await emitted()).toEqual([]);
		}
	},
	'a message that is stuck is emitted': async ({ times }) => {
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
	'in a large account, each call is emitted once': async () => {
		await sandbox.control.addCalls(1_001, { createdAt: at(0) });
		const watched = callWatch(['started', 'ended'], { route: '', search: '' });
		const poll = polling(sandbox, watched);
		expect(await poll()).toEqual([]);
		await run('voiceCall.create', { to: phone });
		await sandbox.control.settle();
		expect(map(await poll(), 'event')).toEqual(['started', 'ended']);
		expect(await poll()).toEqual([]);
	},
	'balances, numbers and lost webhooks are watched': async () => {
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
	'the trigger has one registration and receives each event': async ({ clock, times }) => {
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
			const isOld = clock.endsWith('90') || times === 'noZoneLocal';
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
};

const sets = fc.record(
	mapValues(questions, ({ settings }) => fc.constantFrom<string>(...settings)),
) as fc.Arbitrary<Assumptions>;

/** Sets that together have each setting; those of the promises differ, so that others meet. */
const examplesOf = (promise: number) =>
	range(Math.max(...map(questions, ({ settings: { length } }) => length))).map((index) => {
		let place = 0;
		return mapValues(questions, ({ settings }) => {
			place += promise;
			return settings[(index + place) % settings.length];
		}) as Assumptions;
	});

const fast = { deliveredAfterMs: 5, readAfterMs: 5, answeredAfterMs: 5, endedAfterMs: 5 };

/** How many sets are drawn besides the examples. */
const drawn = Number(process.env.ASSUMPTIONS ?? 0);

// A set that fails is shrunk to as many defaults as possible.
test.each(Object.entries(promises).map(([name, holds], index) => ({ name, holds, index })))(
	'$name',
	async ({ holds, index }) => {
		const examples = examplesOf(index);
		await fc.assert(
			fc.asyncProperty(sets, async (assumptions) => {
				await sandbox.control.reset();
				await sandbox.control.setAssumptions(assumptions);
				await sandbox.control.setLifecycle({ enabled: true, listedAfterMs: 50, ...fast });
				await holds(assumptions);
			}),
			{ seed, numRuns: examples.length + drawn, examples: examples.map((one) => [one]) },
		);
	},
	60_000 + drawn * 5_000,
);
