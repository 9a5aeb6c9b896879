import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../../harness';
import { withBlock, writeTable } from '../../../harness/docs';
import { questions, type AssumptionName } from '../../../sandbox';
import { call, phone, stopClock, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const get = async (url: string) => (await fixture.api.get(url)).data;
const post = async (url: string, body: unknown) => (await fixture.api.post(url, body)).data;
const webhook = { url: 'https://receiver.example/x' };
const image = { phone, type: 'image', mediaUrl: 'https://files.example/a.png' };
const keysOf = (data: object) => Object.keys(data).join();

/** What order records are in that were added in another. */
function orderOf(records: Array<{ id: string }>, added: string[]): string {
	const ids = records.map(({ id }) => id).join();
	const orders = { added, reversed: [...added].reverse(), sorted: [...added].sort() };
	return Object.entries(orders).find(([, order]) => order.join() === ids)?.[0] ?? 'none';
}

/** Two messages were read and one is sent. */
async function withStatus() {
	await fixture.control.addMessages(2, { status: 'Read' });
	await fixture.control.addMessages(1);
	return await get('/chat/campaigns?status=Read');
}

/** A look at the service, and what it shows under each setting, in their order. */
type Probe = readonly [look: () => Promise<unknown>, ...shows: unknown[]];

/** A probe for each assumption, or this does not compile. */
const probes: Record<AssumptionName, Probe> = {
	balance: [
		async () => keysOf(await get('/balance')),
		'success,user',
		'success,voiceMins,chatBalance,emailBalance,leadBalance',
	],
	furtherFields: [
		async () => {
			const data = await get('/chat/configs');
			return [data, data.configs[0], await post('/chat/send', {})].map((one) => one.addedLater);
		},
		[undefined, undefined, undefined],
		[1, 1, undefined],
	],
	timestamps: [
		async () => {
			const at = '2025-01-01T00:00:00.123Z';
			await fixture.control.addMessages(1, { sentAt: at });
			await fixture.control.addCalls(1, { createdAt: at });
			const [message] = (await get('/chat/campaigns')).messages;
			const [entry] = (await get('/voice/call-logs')).data;
			return new Set([message.sentAt, entry.createdAt]);
		},
		new Set(['2025-01-01T00:00:00.123Z']),
		new Set(['2025-01-01T00:00:00Z']),
		new Set(['2025-01-01T05:30:00.123+05:30']),
	],
	chatNumbers: [
		async () => {
			await post('/chat/send-template', template);
			const [{ to }] = (await get('/chat/campaigns')).messages;
			return [to, (await get('/chat/configs')).configs[0].phoneNumber];
		},
		[phone, '14155550100'],
		[`+${phone}`, '+14155550100'],
	],
	voiceNumbers: [
		async () => {
			const { from, to } = await post('/voice/call', call);
			return [from, to, (await get('/voice/call-logs')).data[0].phone];
		},
		['+918040001234', call.to, call.to],
		['918040001234', phone, phone],
	],
	mediaResponse: [
		async () => keysOf(await post('/chat/send-media', image)),
		'success,message,providerMessageId,cost,remainingBalance',
		'success',
		'providerMessageId',
	],
	webhookList: [
		async () => keysOf(await get('/chat/webhooks')),
		'webhooks',
		'', // An array without elements.
		'success,data',
	],
	webhookFields: [
		async () => {
			await post('/chat/webhooks', webhook);
			return keysOf((await get('/chat/webhooks')).webhooks[0]);
		},
		'id,url,events,isActive,createdAt',
		'id,url,events',
	],
	webhookDelete: [
		async () => {
			const { id } = (await post('/chat/webhooks', webhook)).webhook;
			return (await fixture.api.delete(`/chat/webhooks?id=${id}`)).data;
		},
		{ success: true, message: 'Webhook deleted' },
		'',
	],
	callLogId: [
		async () => {
			const { callId } = await post('/voice/call', call);
			const [entry] = (await get('/voice/call-logs')).data;
			return [entry.id === callId, entry.callId === callId];
		},
		[true, false],
		[false, false],
		[false, true],
	],
	callLogTotal: [
		async () => {
			await fixture.control.addCalls(12);
			const { data, ...rest } = await get('/voice/call-logs');
			return [data.length, rest];
		},
		[10, { success: true, pagination: { page: 1, pageSize: 10, total: 12, totalPages: 2 } }],
		[10, { success: true, page: 1, pageSize: 10, total: 12, totalPages: 2 }],
	],
	listOrder: [
		async () => {
			const messages = await fixture.control.addMessages(20);
			const calls = await fixture.control.addCalls(20);
			const logged = (await get('/voice/call-logs?pageSize=20')).data;
			return [orderOf((await get('/chat/campaigns')).messages, messages), orderOf(logged, calls)];
		},
		['reversed', 'reversed'],
		['added', 'added'],
		// A call-log entry is sorted by its own id, which is not shown here.
		['sorted', 'none'],
	],
	shortListOrder: [
		async () => {
			const added: string[] = [];
			for (let index = 0; index < 20; index++) {
				added.push((await post('/chat/webhooks', webhook)).webhook.id);
			}
			return orderOf((await get('/chat/webhooks')).webhooks, added);
		},
		'added',
		'reversed',
		'sorted',
	],
	totalWithStatus: [async () => (await withStatus()).total, 2, 3],
	statsWithStatus: [
		async () => (await withStatus()).stats,
		{ Sent: 1, Delivered: 0, Read: 2, Failed: 0 },
		{ Sent: 0, Delivered: 0, Read: 2, Failed: 0 },
	],
	dayZone: [
		async () => {
			const placed = ['2025-02-28T20:00:00Z', '2025-03-01T20:00:00Z', '2025-03-02T03:00:00Z'];
			for (const [index, createdAt] of placed.entries()) {
				await fixture.control.addCalls(1, { to: `91${index}`, createdAt });
			}
			const { data } = await get('/voice/call-logs?from=2025-03-01&to=2025-03-01');
			return data.map((one: { phone: string }) => one.phone).sort();
		},
		['+911'],
		['+910'],
		['+911', '+912'],
	],
	recordDelayMs: [
		async () => {
			await post('/chat/send-template', template);
			await post('/voice/call', call);
			const { data } = await get('/voice/call-logs');
			return [(await get('/chat/campaigns')).total, data.length];
		},
		[1, 1],
		[0, 0],
	],
	callSteps: [
		async () => {
			stopClock();
			await fixture.control.setLifecycle({ enabled: true });
			await post('/voice/call', call);
			await post('/voice/call', { ...call, to: '+919812340001' });
			const seen: string[] = [];
			for (const ms of [250, 250, 1_000]) {
				await jest.advanceTimersByTimeAsync(ms);
				seen.push((await fixture.control.calls()).map(({ callStatus }) => callStatus).join());
			}
			return seen;
		},
		['in-progress,in-progress', 'answered,no-answer', 'success,no-answer'],
		['initiated,initiated', 'success,no-answer', 'success,no-answer'],
		['in-progress,in-progress', 'answered,no-answer', 'answered,no-answer'],
	],
};
const names = Object.keys(questions) as AssumptionName[];

const cases = names.flatMap((name) =>
	questions[name].settings.map((setting, index) => ({ name, setting, index })),
);

test.each(cases)('$name: $setting', async ({ name, setting, index }) => {
	const [look, ...shows] = probes[name];
	expect(shows).toHaveLength(questions[name].settings.length);
	await fixture.control.setAssumptions({ [name]: setting });
	expect(await look()).toEqual(shows[index]);
});

test('the table in the documentation is that of the code', () => {
	const rows = names.map((name) => {
		const { section, text, settings } = questions[name];
		const written = settings.map((one) => `\`${String(one)}\``).join(', ');
		return `| \`${name}\` | ${text} | ${written} | ${section} |`;
	});
	const head = ['| assumption | about | settings (default first) | section |', '|---|---|---|---|'];
	const table = [...head, ...rows].join('\n');
	const file = 'sandbox/README.md';
	writeTable('assumptions', table, file);
	const document = readFileSync(path.join(rootFolder, file), 'utf8');
	// If this fails: UPDATE_DOCS=1 npm run test:integration -- assumptions
	expect(withBlock(document, 'assumptions', table)).toBe(document);
});
