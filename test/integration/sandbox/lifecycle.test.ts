import { useReceiver } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();

async function send(phone: string) {
	const body = { phone, templateName: 'order_update' };
	return (await fixture.api.post('/chat/send-template', body)).data;
}

async function call(to: string): Promise<string> {
	return (await fixture.api.post('/voice/call', { to, audioName: 'Hello' })).data.callId;
}

async function statuses(): Promise<string[]> {
	return (await fixture.control.messages()).map(({ status }) => status);
}

async function callStatuses(): Promise<string[]> {
	return (await fixture.control.calls()).map(({ callStatus }) => callStatus);
}

describe('messages', () => {
	test('go from Sent to Delivered to Read, and update their time', async () => {
		await send('919812345678');
		expect(await statuses()).toEqual(['Sent']);
		await fixture.control.advance(399);
		expect(await statuses()).toEqual(['Sent']);
		await fixture.control.advance(1);
		expect(await statuses()).toEqual(['Delivered']);
		await fixture.control.advance(400);
		const [message] = await fixture.control.messages();
		expect(message?.status).toBe('Read');
		const moved = Date.parse(message?.updatedAt ?? '') - Date.parse(message?.sentAt ?? '');
		expect(moved).toBe(800);
	});

	test('to a number ending in 0000 fail', async () => {
		await send('919812340000');
		await fixture.control.advance(10_000);
		expect(await statuses()).toEqual(['Failed']);
	});

	test.each(['Sent', 'Delivered', 'Read', 'Failed'] as const)('end as %s when set', async (end) => {
		await fixture.control.setLifecycle({ messageOutcome: end });
		await send('919812345678');
		await send('919812340000');
		await fixture.control.advance(10_000);
		expect(await statuses()).toEqual([end, end]);
	});

	test('stay as they are when switched off', async () => {
		await send('919812345678');
		await fixture.control.setLifecycle({ enabled: false });
		await send('919812345679');
		await fixture.control.advance(10_000);
		expect(await statuses()).toEqual(['Sent', 'Sent']);
	});

	test('move as fast as set, all steps of the way in order', async () => {
		await fixture.control.setLifecycle({ deliveredAfterMs: 0, readAfterMs: 0 });
		await send('919812345678');
		await fixture.control.settle();
		expect(await statuses()).toEqual(['Read']);
	});

	test('that were moved by hand are left alone', async () => {
		await send('919812345678');
		const [message] = await fixture.control.messages();
		await fixture.control.updateMessage(message?.id ?? '', 'Failed');
		await fixture.control.advance(10_000);
		expect(await statuses()).toEqual(['Failed']);
	});

	test('keep the counts right', async () => {
		for (const phone of ['919812340000', '919812345678', '919812345679']) await send(phone);
		await fixture.control.advance(400);
		const { stats } = (await fixture.api.get('/chat/campaigns')).data;
		expect(stats).toEqual({ Sent: 0, Delivered: 2, Read: 0, Failed: 1 });
	});
});

describe('calls', () => {
	test('go from initiated to success', async () => {
		await call('+919812345678');
		const seen = [await callStatuses()];
		for (const ms of [250, 250, 1_000]) {
			await fixture.control.advance(ms);
			seen.push(await callStatuses());
		}
		expect(seen.flat()).toEqual(['initiated', 'in-progress', 'answered', 'success']);
		const [record] = await fixture.control.calls();
		expect(record).toMatchObject({
			status: 'Success',
			transcript: expect.stringContaining('Agent'),
		});
		expect(record?.duration).toBeGreaterThan(0);
		expect(Date.parse(record?.updatedAt ?? '') - Date.parse(record?.createdAt ?? '')).toBe(1_500);
	});

	test.each([
		['+919812340000', 'failed'],
		['+919812340001', 'no-answer'],
	])('to %s end as %s, without duration and transcript', async (to, end) => {
		await call(to);
		await fixture.control.advance(10_000);
		expect(await fixture.control.calls()).toMatchObject([
			{ callStatus: end, status: 'Failed', duration: 0, transcript: '' },
		]);
	});

	test.each(['success', 'failed', 'no-answer'] as const)('end as %s when set', async (end) => {
		await fixture.control.setLifecycle({ callOutcome: end });
		await call('+919812345678');
		await fixture.control.advance(10_000);
		expect(await callStatuses()).toEqual([end]);
	});

	test('change by hand, with their time', async () => {
		const id = await call('+919812345678');
		await fixture.control.advance(100);
		const changed = await fixture.control.updateCall(id, { callStatus: 'answered', duration: 3 });
		expect(changed).toMatchObject({ callStatus: 'answered', duration: 3, status: 'Started' });
		expect(Date.parse(changed.updatedAt) - Date.parse(changed.createdAt)).toBe(100);
	});

	test('that were changed by hand are left alone', async () => {
		const id = await call('+919812345678');
		await fixture.control.updateCall(id, { callStatus: 'no-answer' });
		await fixture.control.advance(10_000);
		expect(await callStatuses()).toEqual(['no-answer']);
	});
});

test('100,000 recipients go their way, each told once per status', async () => {
	await fixture.control.setJournal('summary');
	await fixture.control.setAccount({ chatBalance: 100_000 });
	await fixture.api.post('/chat/webhooks', { url: receiver.url, events: ['message.failed'] });
	for (let campaign = 0; campaign < 10; campaign++) {
		const recipients = Array.from({ length: 10_000 }, (_, index) => ({
			phone: String(919_000_000_000 + campaign * 10_000 + index),
		}));
		await fixture.api.post('/chat/bulk-send', { templateName: 'order_update', recipients });
	}
	await fixture.control.settle();
	await fixture.control.advance(1_000);
	await fixture.control.settle();
	const { stats } = (await fixture.api.get('/chat/campaigns')).data;
	expect(stats).toEqual({ Sent: 0, Delivered: 0, Read: 99_990, Failed: 10 });
	expect(receiver.received).toHaveLength(10);
});
