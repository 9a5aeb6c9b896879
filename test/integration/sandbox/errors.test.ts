import { connect } from 'node:net';
import { apiRoot } from '../../../sandbox/documented';
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
	expect((await fixture.api.get(`${url}${apiRoot}/balance`)).status).toBe(200);
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

describe('what is hardly HTTP gets a single-field error body too', () => {
	/** Sends bytes as they are and gives status and body of the response. */
	async function raw(text: string): Promise<{ status: number; data: unknown }> {
		const socket = connect(fixture.sandbox.port, '127.0.0.1');
		socket.end(text);
		const chunks: Buffer[] = [];
		for await (const chunk of socket) chunks.push(chunk as Buffer);
		const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
		return { status: Number(head.split(' ')[1]), data: JSON.parse(body) };
	}

	test.each([
		['GET /api/v1/%zz HTTP/1.1', 404, 'Not found: GET /api/v1/%zz'],
		['GET /api/v1/chat/%ff?x=%zz HTTP/1.1', 404, 'Not found: GET /api/v1/chat/%ff?x=%zz'],
		['GET /api/v1/%00 HTTP/1.1', 404, 'Not found: GET /api/v1/%00'],
		['OPTIONS /api/v1/balance HTTP/1.1', 404, 'Not found: OPTIONS /api/v1/balance'],
		['PROPFIND /api/v1/balance HTTP/1.1', 404, 'Not found: PROPFIND /api/v1/balance'],
		['NONSENSE /api/v1/balance HTTP/1.1', 400, 'Request is not valid HTTP'],
		['nonsense', 400, 'Request is not valid HTTP'],
	])('%s', async (line, status, error) => {
		const text = `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`;
		expect(await raw(text)).toEqual({ status, data: { error } });
	});

	test('headers that are too long', async () => {
		const text = `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
		expect(await raw(text)).toEqual({ status: 400, data: { error: 'Request is not valid HTTP' } });
	});

	test('a long path', async () => {
		const url = `/${'x'.repeat(8_000)}`;
		expect(shown(await fixture.api.get(url))).toEqual({
			status: 404,
			data: { error: `Not found: GET /api/v1${url}` },
		});
	});

	test('a path that cannot be decoded goes to the journal as it came', async () => {
		await raw('GET /api/v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
		const [entry] = await fixture.control.journal({ kind: 'request' });
		expect(entry).toMatchObject({ path: '/%zz', url: '/api/v1/%zz', status: 404 });
	});
});
