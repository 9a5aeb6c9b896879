import { call, phone, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

beforeEach(async () => {
	await fixture.control.setLifecycle({ enabled: true });
	// The sandbox's time moves by `advance` alone.
	const needed = [
		'hrtime',
		'nextTick',
		'performance',
		'queueMicrotask',
		'setImmediate',
		'setInterval',
	];
	jest.useFakeTimers({ doNotFake: needed as never });
});
afterEach(() => jest.useRealTimers());
const advance = jest.advanceTimersByTimeAsync;

const send = async (to = phone) =>
	await fixture.api.post('/chat/send-template', { ...template, phone: to });
const place = async (to = call.to) => await fixture.api.post('/voice/call', { ...call, to });
const statuses = async () => (await fixture.control.messages()).map(({ status }) => status);
const callStatuses = async () =>
	(await fixture.control.calls()).map(({ callStatus }) => callStatus);
const took = (record?: { updatedAt: string }, since?: string) =>
	Date.parse(record?.updatedAt ?? '') - Date.parse(since ?? '');

test('messages go from Sent to Delivered to Read, or fail, and the counts with them', async () => {
	await send();
	await send('447700900000');
	const seen: string[][] = [];
	for (const ms of [399, 1, 400]) {
		await advance(ms);
		seen.push(await statuses());
	}
	expect(seen).toEqual([
		['Sent', 'Sent'],
		['Delivered', 'Failed'],
		['Read', 'Failed'],
	]);
	const [message] = await fixture.control.messages();
	expect(took(message, message?.sentAt)).toBe(800);
	const { stats } = (await fixture.api.get('/chat/campaigns')).data;
	expect(stats).toEqual({ Sent: 0, Delivered: 0, Read: 1, Failed: 1 });
});

test('calls go from initiated to success, or fail, or are not answered', async () => {
	for (const to of [call.to, '+447700900000', '+447700900001']) await place(to);
	const seen: string[] = [];
	for (const ms of [0, 250, 250, 1_000]) {
		await advance(ms);
		seen.push((await callStatuses())[0] ?? '');
	}
	expect(seen).toEqual(['initiated', 'in-progress', 'answered', 'success']);
	const records = await fixture.control.calls();
	const none = { status: 'Failed', duration: 0, transcript: '' };
	expect(records).toMatchObject([
		{ status: 'Success', transcript: expect.stringContaining('Agent'), duration: 8 },
		{ ...none, callStatus: 'failed' },
		{ ...none, callStatus: 'no-answer' },
	]);
	expect(took(records[0], records[0]?.createdAt)).toBe(1_500);
});

test('what was moved by hand, or while all stands still, is left alone', async () => {
	await send();
	await place();
	const [message] = await fixture.control.messages();
	await fixture.control.updateMessage(message?.id ?? '', 'Failed');
	await advance(100);
	await fixture.control.setLifecycle({ enabled: false });
	await send();
	await advance(10_000);
	expect([await statuses(), await callStatuses()]).toEqual([['Failed', 'Sent'], ['initiated']]);
});
