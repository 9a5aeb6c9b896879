import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test.each([
	['GET', '/balance/'],
	['HEAD', '/balance'],
	['POST', '/balance'],
	['GET', '/../v2/balance'],
	['GET', `/${'x'.repeat(8_000)}`],
])('a path that is none is 404: %#', async (method, path) => {
	const { status, data } = await fixture.api.request({ method, url: path });
	expect(status).toBe(404);
	if (method !== 'HEAD') expect(data).toEqual({ error: expect.stringMatching(/^Not found: /) });
});

test.each([
	['broken JSON', '{"phone":', 'Request body is not valid JSON'],
	['an empty JSON body', '', 'Missing required field: phone'],
	['no object', '"text"', 'Expected object, received string'],
	['a JSON body of more than 64 MB', `"${'x'.repeat(64 << 20)}"`, 'Request body is too large'],
])('%s is 400', async (_case, body, error) => {
	const headers = { 'content-type': 'application/json' };
	const response = await fixture.api.post('/chat/send', Buffer.from(body), { headers });
	expect(shown(response)).toEqual({ status: 400, data: { error } });
});
