import { networkInterfaces } from 'node:os';
import { startSandbox } from '../../../sandbox';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test('control answers callers on this computer only', async () => {
	const outside = Object.values(networkInterfaces())
		.flat()
		.find((one) => one && !one.internal && one.family === 'IPv4')?.address;
	if (!outside) return;
	const other = await startSandbox({ host: '0.0.0.0' });
	try {
		const ask = async (host: string, path: string) =>
			(await fixture.caller({}).post(`http://${host}:${other.port}${path}`, [])).status;
		expect(await ask('127.0.0.1', '/__sandbox/stats')).toBe(200);
		expect(await ask(outside, '/__sandbox/stats')).toBe(403);
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
	expect((await caller.post(`${url}/__sandbox/stats`, [])).status).toBe(control);
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
