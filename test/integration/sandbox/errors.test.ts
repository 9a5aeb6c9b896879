import { API_ROOT } from '../../../sandbox/documented';
import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

test.each([
	['GET', '/nothing'],
	['GET', '/balance/'],
	['HEAD', '/balance'],
	['POST', '/balance'],
	['PUT', '/chat/webhooks'],
	['GET', '/chat/templates'],
	['GET', '/../v2/balance'],
	['POST', '/../../elsewhere'],
])('%s %s is 404', async (method, path) => {
	const { status, data } = await fixture.api.request({ method, url: path });
	expect(status).toBe(404);
	if (method !== 'HEAD') expect(Object.keys(data)).toEqual(['error']);
});

test('a path needs the version', async () => {
	const { url } = fixture.sandbox;
	expect((await fixture.api.get(`${url}${API_ROOT}/balance`)).status).toBe(200);
	expect((await fixture.api.get(`${url}/balance`)).status).toBe(404);
});

test.each([
	['broken JSON', '{"phone":', 'application/json', 'Request body is not valid JSON'],
	['an empty JSON body', '', 'application/json', 'Missing required field: phone'],
	['no object', '"text"', 'application/json', 'Expected object, received string'],
	[
		'another content type',
		'phone=1',
		'application/x-www-form-urlencoded',
		'Unsupported content type',
	],
	[
		'a form where JSON is taken',
		'--x--\r\n',
		'multipart/form-data; boundary=x',
		'Unsupported content type',
	],
])('%s is 400', async (_case, body, contentType, error) => {
	const headers = { 'content-type': contentType };
	const response = await fixture.api.post('/chat/send', Buffer.from(body), { headers });
	expect(shown(response)).toEqual({ status: 400, data: { error } });
});

test('no body at all is 400', async () => {
	expect(shown(await fixture.api.request({ method: 'POST', url: '/chat/send' }))).toEqual({
		status: 400,
		data: { error: 'Missing required field: phone' },
	});
});

test('a JSON body of more than 64 MB is 400', async () => {
	const message = 'x'.repeat(64 * 1024 * 1024);
	const response = await fixture.api.post('/chat/send', { phone: '919812345678', message });
	expect(shown(response)).toEqual({ status: 400, data: { error: 'Request body is too large' } });
});

test('every error body has the single field `error`', async () => {
	await fixture.control.setAccount({ chatBalance: 0, voiceMins: 0, emailBalance: 0 });
	const { key } = await fixture.control.createKey({ scopes: [] });
	const template = { phone: '919812345678', templateName: 'order_update' };
	const responses = [
		await fixture.caller({}).get('/balance'),
		await fixture.caller({ 'x-api-key': key }).get('/voice/call-logs'),
		await fixture.api.post('/chat/send-template', {}),
		await fixture.api.post('/chat/send-template', template),
		await fixture.api.post('/voice/call', { to: '+919812345678', audioName: 'x' }),
		await fixture.api.delete('/chat/webhooks?id=unknown'),
	];
	expect(responses.map(({ status }) => status)).toEqual([401, 403, 400, 402, 402, 404]);
	for (const { data, headers } of responses) {
		expect(data).toEqual({ error: expect.any(String) });
		expect(headers['content-type']).toContain('application/json');
	}
});
