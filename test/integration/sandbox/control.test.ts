import { networkInterfaces } from 'node:os';
import axios from 'axios';
import { startSandbox } from '../../../sandbox';
import { call, phone, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test('the same seed gives the same ids, secrets and keys, another one other ones', async () => {
	const generated = async (seed: number): Promise<unknown[]> => {
		const { baseUrl: baseURL, keys, control, close } = await startSandbox({ seed });
		const api = axios.create({ baseURL, headers: { 'x-api-key': keys.production }, proxy: false });
		const recipients = [{ phone }];
		const url = 'https://receiver.example/x';
		const { webhook } = (await api.post('/chat/webhooks', { url })).data;
		const all = [
			...[keys, await control.createKey(), webhook.id, webhook.secret],
			(await api.get('/chat/configs')).data,
			(await api.post('/chat/send-template', template)).data,
			(await api.post('/chat/bulk-send', { ...template, phone: undefined, recipients })).data,
			(await api.post('/voice/call', call)).data,
			(await api.post('/email/send', { to: 'ann@example.com', subject: 'x', text: 'x' })).data,
		];
		await close();
		return all;
	};
	const first = await generated(7);
	expect(await generated(7)).toEqual(first);
	const other = await generated(8);
	for (const [index, value] of first.entries()) expect(other[index]).not.toEqual(value);
});

test('a reset restores everything as it was at the start, and ends what was still to come', async () => {
	const { control, api } = fixture;
	const initial = await control.info();
	await api.post('/chat/webhooks', { url: 'http://127.0.0.1:1/x' });
	await control.setLifecycle({ enabled: true, deliveredAfterMs: 60_000 });
	await api.post('/chat/send', { phone, message: 'Hello' });
	await control.setAccount({ chatBalance: 1 });
	await control.setUp({ voiceRoutes: [], chatSession: false });
	await control.setAssumptions({ balance: 'flat' });
	await control.addFault({ kind: 'cut', path: '/balance' });
	await control.addMessages(1);
	await control.addCalls(1);
	await control.updateKey(fixture.sandbox.keys.test, { revoked: true });
	expect(await control.reset()).toEqual(initial);
	await control.settle();
	for (const left of [control.messages(), control.calls(), control.webhooks(), control.journal()]) {
		expect(await left).toEqual([]);
	}
	expect((await control.stats()).requests).toBe(0);
});

test('settling waits for what moves by itself, and gives up', async () => {
	const { control, api } = fixture;
	await control.setLifecycle({ enabled: true, deliveredAfterMs: 20, readAfterMs: 20 });
	await api.post('/chat/send', { phone, message: 'Hello' });
	await control.settle();
	expect(await control.messages()).toMatchObject([{ status: 'Read' }]);
	await control.setLifecycle({ deliveredAfterMs: 3_600_000 });
	await api.post('/chat/send', { phone, message: 'Hello' });
	await expect(control.settle(50)).rejects.toThrow('1 steps');
});

test('what does not fit is refused by name', async () => {
	const wrong = { balnace: 'flat' } as never;
	await expect(fixture.control.setAssumptions(wrong)).rejects.toThrow('balnace');
	await expect(fixture.control.setLifecycle({ readAfterMs: -1 })).rejects.toThrow('readAfterMs');
	await expect(fixture.control.setAccount({ chatBalance: 0.5 })).rejects.toThrow('chatBalance');
	await expect(fixture.control.updateKey('unknown', {})).rejects.toThrow('No such key');
	await expect(startSandbox({ assumptions: wrong })).rejects.toThrow('balnace');
	const typo = { kind: 'cut', path: '/balance', typo: 1 } as never;
	await expect(fixture.control.addFault(typo)).rejects.toThrow('typo');
});

test('control answers callers on this computer only', async () => {
	const outside = Object.values(networkInterfaces())
		.flat()
		.find((one) => one && !one.internal && one.family === 'IPv4')?.address;
	if (!outside) return;
	const other = await startSandbox({ host: '0.0.0.0' });
	try {
		const ask = async (host: string, path: string) =>
			(await fixture.caller({}).post(`http://${host}:${other.port}${path}`, [])).status;
		expect(await ask('127.0.0.1', '/__sandbox/info')).toBe(200);
		expect(await ask(outside, '/__sandbox/info')).toBe(403);
		expect(await ask(outside, '/api/v1/chat/send')).toBe(401);
	} finally {
		await other.close();
	}
});

// DNS rebinding: a page of evil.example asks 127.0.0.1 under its own name.
test.each([
	['evil.example', 403, 403],
	['localhost.evil.example', 403, 403],
	['127.0.0.1.evil.example', 403, 403],
	['198.51.100.1', 403, 401],
	['host.docker.internal', 403, 401],
	['localhost', 200, 401],
	['127.0.0.1', 200, 401],
	['[::1]', 200, 401],
])('a caller of "%s" gets %d from control and %d from the service', async (host, control, api) => {
	const { port, url } = fixture.sandbox;
	const caller = fixture.caller({ host: `${host}:${port}` });
	expect((await caller.get(`${url}/__sandbox`)).status).toBe(control);
	expect((await caller.post(`${url}/__sandbox/info`, [])).status).toBe(control);
	expect((await caller.get('/balance')).status).toBe(api);
});

// What a browser lets a page send to another site without asking that site.
test.each([
	['get', undefined, undefined],
	['post', undefined, undefined],
	['post', '', 'text/plain'],
	['post', '[]', 'text/plain'],
	['post', '[]', 'text/plain; application/json'],
	['post', 'a=b', 'application/x-www-form-urlencoded'],
	['post', new FormData(), undefined],
])(
	'a page of another site cannot reset the sandbox by %s of %p as %s',
	async (method, data, type) => {
		await fixture.control.addMessages(1);
		const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
		const url = `${fixture.sandbox.url}/__sandbox/reset`;
		const { status } = await fixture.caller(headers).request({ method, url, data });
		expect([404, 415]).toContain(status);
		const options = await fixture.caller({ origin: 'https://evil.example' }).options(url);
		expect(Object.keys(options.headers).join()).not.toContain('access-control');
		expect(await fixture.control.messages()).toHaveLength(1);
	},
);

test.each(['', '/'])(
	'is a page at "/__sandbox%s" that takes and shows nothing from elsewhere',
	async (path) => {
		const { headers, data } = await fixture
			.caller({})
			.get(`${fixture.sandbox.url}/__sandbox${path}`);
		expect(headers['content-type']).toBe('text/html; charset=utf-8');
		expect(data).toContain('<title>Messaging Service Sandbox</title>');
		expect(headers['content-security-policy']).toMatch(
			/^default-src 'none'.*frame-ancestors 'none'$/,
		);
		expect(data).not.toMatch(/https?:\/\/|\bsrc=|@import|url\(/);
	},
);
