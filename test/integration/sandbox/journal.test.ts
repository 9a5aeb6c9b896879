import { Journal } from '../../../sandbox/journal';
import { phone, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

const requests = async () => await fixture.control.journal({ kind: 'request' });

test('keeps a request with its answer, and without its key', async () => {
	const body = { phone, message: 'Hello' };
	await fixture.api.post('/chat/send?trace=1', body);
	const [entry] = await requests();
	expect(entry).toMatchObject({
		kind: 'request',
		at: expect.any(Number),
		method: 'POST',
		path: '/chat/send',
		url: '/api/v1/chat/send?trace=1',
		contentLength: JSON.stringify(body).length,
		body,
		status: 200,
		processed: true,
		fault: null,
	});
	expect(JSON.stringify(entry)).not.toContain(fixture.sandbox.keys.production);
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
