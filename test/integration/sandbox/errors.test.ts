import { connect } from 'node:net';
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

test.each([
	['GET /api/v1/chat/%ff?x=%zz HTTP/1.1', 404, 'Not found: GET /api/v1/chat/%ff?x=%zz'],
	['GET /api/v1/%00 HTTP/1.1', 404, 'Not found: GET /api/v1/%00'],
	['PROPFIND /api/v1/balance HTTP/1.1', 404, 'Not found: PROPFIND /api/v1/balance'],
	['NONSENSE /api/v1/balance HTTP/1.1', 400, 'Request is not valid HTTP'],
	[`GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}`, 400, 'Request is not valid HTTP'],
])('what is hardly HTTP is answered: %#', async (line, status, error) => {
	const socket = connect(fixture.sandbox.port, '127.0.0.1');
	socket.end(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
	const chunks: Buffer[] = [];
	for await (const chunk of socket) chunks.push(chunk as Buffer);
	const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
	expect({ status: Number(head.split(' ')[1]), data: JSON.parse(body) }).toEqual({
		status,
		data: { error },
	});
});
