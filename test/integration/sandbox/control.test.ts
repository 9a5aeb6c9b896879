import { useService } from '../../support/core/useService';

const fixture = useService();

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
	['get', undefined, ''],
	['post', undefined, ''],
	['post', '[]', 'text/plain; application/json'],
	['post', 'a=b', 'application/x-www-form-urlencoded'],
	['post', new FormData(), ''],
])("a page of another site can't reset the sandbox by %s of %p as %s", async (...request) => {
	const [method, data, type] = request;
	await fixture.control.addMessages(1);
	const url = `${fixture.sandbox.url}/__sandbox/reset`;
	const caller = fixture.caller(type === '' ? {} : { 'content-type': type });
	expect([404, 415]).toContain((await caller.request({ method, url, data })).status);
	const { headers } = await fixture.caller({ origin: 'https://evil.example' }).options(url);
	expect(Object.keys(headers).join()).not.toContain('access-control');
	expect(await fixture.control.messages()).toHaveLength(1);
});
