import { Journal } from '../../../sandbox/journal';
import { phone, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test('keeps what was done, what was refused and what was no JSON, without its key', async () => {
	const { api, control, sandbox } = fixture;
	const body = { phone, message: 'Hello' };
	const headers = { 'content-type': 'application/json' };
	await api.post('/chat/send?trace=1', body);
	await fixture.caller({}).post('/chat/send', { phone: '1' });
	await api.post('/chat/send', Buffer.from('{'), { headers });
	await api.get('/nothing');
	const entries = await control.journal({ kind: 'request' });
	const done = { status: 200, processed: true, fault: null, at: expect.any(Number) };
	const url = '/api/v1/chat/send?trace=1';
	const contentLength = JSON.stringify(body).length;
	expect(entries).toMatchObject([
		{ ...done, method: 'POST', path: '/chat/send', url, contentLength, body },
		{ body: { phone: '1' }, status: 401, processed: false },
		{ body: '{', status: 400, processed: false },
		{ body: null, status: 404, processed: false },
	]);
	expect(JSON.stringify(entries)).not.toContain(sandbox.keys.production);
});

test('keeps the latest entries, in a summary without bodies', () => {
	const journal = new Journal('summary');
	for (let at = 1; at <= 15_000; at++) {
		const sent = { at, webhookId: '', url: '', event: '', body: '{}' };
		journal.delivery({ kind: 'delivery', ...sent, status: 200, error: null });
	}
	const entries = journal.list();
	expect(entries.at(-1)).toMatchObject({ at: 15_000, body: '' });
	expect(entries.length).toBeGreaterThanOrEqual(10_000);
	expect(entries.length).toBeLessThanOrEqual(11_000);
});

test('counts requests and connections', async () => {
	await fixture.control.addFault({ kind: 'latency', path: '/balance', latencyMs: 200, count: 8 });
	await Promise.all(Array.from({ length: 8 }, () => fixture.api.get('/balance')));
	const { requests: counted, peakConnections } = await fixture.control.stats();
	expect(counted).toBe(8);
	expect(peakConnections).toBeGreaterThanOrEqual(8);
	await fixture.control.resetStats();
	expect((await fixture.control.stats()).requests).toBe(0);
});
