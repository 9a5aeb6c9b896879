import { networkInterfaces } from 'node:os';
import axios from 'axios';
import { ManualClock, startSandbox } from '../../../sandbox';
import { useReceiver } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();

/** What a run of calls gives that holds generated values. */
async function generated(seed: number): Promise<unknown[]> {
	const { keys } = await fixture.control.reset(seed);
	const api = fixture.caller({ 'x-api-key': keys.production });
	const recipients = [{ phone: '919812345678' }];
	const responses = [
		await api.get('/chat/configs'),
		await api.post('/chat/webhooks', { url: 'https://receiver.example/x' }),
		await api.post('/chat/send-template', { phone: '919812345678', templateName: 'order_update' }),
		await api.post('/chat/bulk-send', { templateName: 'order_update', recipients }),
		await api.post('/voice/call', { to: '+919812345678', audioName: 'x' }),
		await api.post('/email/send', { to: 'ann@example.com', subject: 'x', text: 'x' }),
	];
	const { key } = await fixture.control.createKey();
	await fixture.control.settle();
	const ids = (await fixture.control.messages()).map(({ id }) => id);
	return [keys, key, ids, ...responses.map(({ data }) => data)];
}

describe('seed', () => {
	afterEach(() => fixture.control.reset(1));

	test('gives the same ids, secrets and keys, and other ones for another seed', async () => {
		const first = await generated(7);
		expect(await generated(7)).toEqual(first);
		const other = await generated(8);
		for (const [index, value] of first.entries()) expect(other[index]).not.toEqual(value);
	});

	test('is the same in another sandbox, and kept by a reset', async () => {
		const other = await startSandbox({ seed: 9, clock: new ManualClock() });
		try {
			const { keys } = await fixture.control.reset(9);
			expect(other.keys).toEqual(keys);
			expect((await fixture.control.reset()).keys).toEqual(keys);
		} finally {
			await other.close();
		}
	});
});

test('a reset restores everything', async () => {
	const initial = await fixture.control.info();
	await fixture.control.setAccount({ chatBalance: 1 });
	await fixture.control.setTemplate({
		name: 'order_update',
		category: 'marketing',
		approved: false,
	});
	await fixture.control.setSmtp('none');
	await fixture.control.setVoiceRoutes({ carrier_in2: false });
	await fixture.control.setChatSession(false);
	await fixture.control.setLifecycle({ enabled: false });
	await fixture.control.setAssumptions({ balance: 'flat' });
	await fixture.control.addFault({ kind: 'cut', path: '/balance' });
	await fixture.control.addChatNumber('447700900123');
	await fixture.control.addMessages(1);
	await fixture.control.addCalls(1);
	await fixture.control.updateKey(fixture.sandbox.keys.test, { revoked: true });
	await fixture.api.post('/chat/webhooks', { url: 'https://receiver.example/x' });
	expect(await fixture.control.reset()).toEqual(initial);
	expect(await fixture.control.messages()).toEqual([]);
	expect(await fixture.control.calls()).toEqual([]);
	expect(await fixture.control.webhooks()).toEqual([]);
	expect(await fixture.control.journal()).toEqual([]);
	expect((await fixture.control.stats()).requests).toBe(0);
});

test('a reset ends what was still to come', async () => {
	await fixture.api.post('/chat/webhooks', { url: receiver.url });
	await fixture.api.post('/chat/send', { phone: '919812345678', message: 'Hello' });
	await fixture.control.settle();
	await fixture.control.reset();
	await fixture.control.advance(10_000);
	await fixture.control.settle();
	expect(receiver.events.map(({ event }) => event)).toEqual(['message.sent']);
});

test('a reset goes back to how the sandbox was started', async () => {
	const other = await startSandbox({
		assumptions: { signature: 'base64' },
		lifecycle: { deliveredAfterMs: 7 },
	});
	try {
		await other.control.setAssumptions({ signature: 'hex' });
		const { assumptions, lifecycle } = await other.control.reset();
		expect(assumptions.signature).toBe('base64');
		expect(lifecycle).toMatchObject({ deliveredAfterMs: 7, readAfterMs: 400 });
	} finally {
		await other.close();
	}
});

test('webhooks show their secrets and can be removed', async () => {
	const { webhook } = (await fixture.api.post('/chat/webhooks', { url: receiver.url })).data;
	expect(await fixture.control.webhooks()).toEqual([webhook]);
	await fixture.control.removeWebhook(webhook.id);
	expect(await fixture.control.webhooks()).toEqual([]);
	await expect(fixture.control.removeWebhook(webhook.id)).rejects.toThrow('No such webhook');
});

test('a message moved by hand tells its webhooks', async () => {
	await fixture.api.post('/chat/webhooks', { url: receiver.url });
	const [id = ''] = await fixture.control.addMessages(1, { to: '919812345678' });
	expect(receiver.events).toEqual([]);
	expect(await fixture.control.updateMessage(id, 'Failed')).toMatchObject({ id, status: 'Failed' });
	await fixture.control.settle();
	expect(receiver.events).toMatchObject([
		{ event: 'message.failed', data: { to: '919812345678' } },
	]);
});

test('many records are seeded at once, at their times', async () => {
	await fixture.control.addMessages(50_000, { sentAt: '2025-01-01T00:00:00.000Z', everyMs: 1_000 });
	const { data } = await fixture.api.get('/chat/campaigns?limit=1');
	expect(data.total).toBe(50_000);
	expect(data.messages[0].sentAt).toBe('2025-01-01T13:53:19.000Z');
	const ids = await fixture.control.addCalls(1_000, {
		callStatus: 'answered',
		recipientName: 'Ann',
	});
	const calls = await fixture.control.calls();
	expect(calls.map(({ id }) => id)).toEqual(ids);
	expect(calls[0]).toMatchObject({ campaignName: 'Ann', status: 'Started' });
});

test('what does not fit is refused by name', async () => {
	const wrong = { sigature: 'hex' } as never;
	await expect(fixture.control.setAssumptions(wrong)).rejects.toThrow('sigature');
	await expect(fixture.control.setLifecycle({ readAfterMs: -1 })).rejects.toThrow('readAfterMs');
	await expect(fixture.control.setAccount({ chatBalance: 0.5 })).rejects.toThrow('chatBalance');
	await expect(fixture.control.updateKey('unknown', {})).rejects.toThrow('No such key');
	await expect(fixture.control.updateMessage('unknown', 'Read')).rejects.toThrow('No such message');
	await expect(fixture.control.updateCall('unknown', {})).rejects.toThrow('No such call');
	await expect(startSandbox({ assumptions: wrong })).rejects.toThrow('sigature');
});

test('control answers callers on this computer only', async () => {
	const outside = Object.values(networkInterfaces())
		.flat()
		.find((one) => one && !one.internal && one.family === 'IPv4')?.address;
	if (!outside) return;
	const other = await startSandbox({ host: '0.0.0.0' });
	try {
		const ask = (host: string, path: string) =>
			axios.get(`http://${host}:${other.port}${path}`, {
				proxy: false,
				validateStatus: () => true,
			});
		expect((await ask('127.0.0.1', '/__sandbox/info')).status).toBe(200);
		expect((await ask(outside, '/__sandbox/info')).status).toBe(403);
		expect((await ask(outside, '/api/v1/balance')).status).toBe(401);
	} finally {
		await other.close();
	}
});

describe('with the computer’s clock', () => {
	test('messages move by themselves, and settling waits for it', async () => {
		const lifecycle = { deliveredAfterMs: 20, readAfterMs: 20 };
		const other = await startSandbox({ lifecycle });
		try {
			const api = axios.create({
				baseURL: other.baseUrl,
				headers: { 'x-api-key': other.keys.test },
				proxy: false,
			});
			await api.post('/chat/webhooks', { url: receiver.url });
			await api.post('/chat/send', { phone: '919812345678', message: 'Hello' });
			await other.control.settle();
			expect(await other.control.messages()).toMatchObject([{ status: 'Read' }]);
			expect(receiver.received).toHaveLength(2);
			await other.control.setLifecycle({ deliveredAfterMs: 3_600_000 });
			await api.post('/chat/send', { phone: '919812345678', message: 'Hello' });
			await expect(other.control.settle(50)).rejects.toThrow('1 steps');
			await other.control.advance(3_600_000);
			await other.control.settle();
			expect(await other.control.messages()).toMatchObject([
				{ status: 'Read' },
				{ status: 'Read' },
			]);
		} finally {
			await other.close();
		}
	});
});

test('a taken port rejects the start', async () => {
	const { port } = fixture.sandbox;
	await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});
