import { request } from 'node:http';
import { Journal } from '../../../sandbox/journal';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

function requests(path?: string) {
	return fixture.control.journal({ kind: 'request', ...(path ? { path } : {}) });
}

test('keeps a request with its answer', async () => {
	const body = { phone: '919812345678', message: 'Hello' };
	await fixture.api.post('/chat/send?trace=1', body);
	const { clock } = await fixture.control.info();
	const [entry] = await requests();
	expect(entry).toMatchObject({
		kind: 'request',
		seq: 1,
		at: clock.now,
		method: 'POST',
		path: '/chat/send',
		url: '/api/v1/chat/send?trace=1',
		query: { trace: '1' },
		contentType: 'application/json',
		contentLength: JSON.stringify(body).length,
		body,
		status: 200,
		processed: true,
		fault: null,
	});
});

test.each([
	['x-api-key', '', '[key: production]'],
	['authorization', 'Bearer ', 'Bearer [key: production]'],
	['authorization', 'ApiKey ', 'ApiKey [key: production]'],
])('shows the key in %s %s by its name only', async (header, prefix, marker) => {
	const key = fixture.sandbox.keys.production;
	await fixture.caller({ [header]: `${prefix}${key}` }).get('/balance');
	const entries = await requests();
	expect(entries[0]?.headers[header]).toBe(marker);
	expect(JSON.stringify(entries)).not.toContain(key);
});

test('hides an unknown key and an unreadable header', async () => {
	await fixture.caller({ 'x-api-key': 'hidden' }).get('/balance');
	await fixture.caller({ authorization: 'hidden' }).get('/balance');
	const text = JSON.stringify(await requests());
	expect(text).toContain('[key: unknown]');
	expect(text).not.toContain('hidden');
});

test('keeps what was refused, and what was no JSON', async () => {
	await fixture.caller({}).post('/chat/send', { phone: '1' });
	await fixture.api.post('/chat/send', Buffer.from('{'), {
		headers: { 'content-type': 'application/json' },
	});
	await fixture.api.get('/nothing');
	const entries = await requests();
	expect(entries).toMatchObject([
		{ body: { phone: '1' }, status: 401, processed: false },
		{ body: '{', status: 400, processed: false },
		{ body: null, status: 404, processed: false },
	]);
});

test('keeps a request whose body never comes', async () => {
	const { port, keys } = fixture.sandbox;
	const unfinished = request({
		port,
		method: 'POST',
		path: '/api/v1/chat/send',
		headers: {
			'x-api-key': keys.production,
			'content-type': 'application/json',
			'content-length': 9,
		},
	});
	unfinished.on('error', () => undefined);
	unfinished.write('{');
	while ((await requests()).length === 0);
	unfinished.destroy();
	while ((await fixture.control.stats()).concurrentRequests > 0);
	expect(await requests()).toMatchObject([{ status: null, processed: false, body: null }]);
	expect((await fixture.control.stats()).responses).toEqual({ 'POST /chat/send cut': 1 });
});

test('filters and clears', async () => {
	await fixture.api.get('/balance');
	await fixture.api.get('/chat/configs');
	await fixture.api.post('/balance');
	expect(await requests('/balance')).toHaveLength(2);
	expect(await fixture.control.journal({ method: 'get' })).toHaveLength(2);
	expect(await fixture.control.journal()).toHaveLength(3);
	expect(await fixture.control.journal({ kind: 'delivery' })).toEqual([]);
	await fixture.control.clearJournal();
	expect(await fixture.control.journal()).toEqual([]);
});

test('leaves control out', async () => {
	await fixture.control.info();
	expect(await fixture.control.journal()).toEqual([]);
	expect((await fixture.control.stats()).requests).toBe(0);
});

test('keeps no bodies and headers in a summary', async () => {
	await fixture.control.setJournal('summary');
	await fixture.api.post('/chat/send', { phone: '919812345678', message: 'Hello' });
	expect(await requests()).toMatchObject([
		{ path: '/chat/send', status: 200, processed: true, body: null, headers: {} },
	]);
});

test.each([
	['summary', 10_000],
	['full', 200_000],
] as const)('keeps the latest entries (%s: %i)', (mode, kept) => {
	const journal = new Journal(mode);
	const delivery = { at: 0, webhookId: '', url: '', event: '', body: '', signature: null };
	const last = kept * 1.5;
	for (let seq = 1; seq <= last; seq++) {
		journal.delivery({ ...delivery, status: 200, responseBody: '', error: null });
	}
	const entries = journal.list();
	expect(entries.at(-1)?.seq).toBe(last);
	expect(entries.length).toBeGreaterThanOrEqual(kept);
	expect(entries.length).toBeLessThanOrEqual(kept * 1.1);
});

test('counts requests and connections', async () => {
	await fixture.control.addFault({ kind: 'latency', path: '/balance', latencyMs: 200, count: 8 });
	await Promise.all(Array.from({ length: 8 }, () => fixture.api.get('/balance')));
	const stats = await fixture.control.stats();
	expect(stats).toMatchObject({ requests: 8, concurrentRequests: 0, peakConcurrentRequests: 8 });
	expect(stats.peakConnections).toBeGreaterThanOrEqual(8);
	await fixture.control.resetStats();
	expect(await fixture.control.stats()).toMatchObject({
		requests: 0,
		peakConcurrentRequests: 0,
		responses: {},
	});
});
