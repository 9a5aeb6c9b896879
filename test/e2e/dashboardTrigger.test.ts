import { createHmac, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { range } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { attachN8n, chain, messagingServiceDashboardTrigger, noOp, waitFor } from '../../harness';
import { deliver, type Delivery } from '../../harness/deliver';
import { questions, startSandbox } from '../../sandbox';

const n8n = attachN8n();
const published: string[] = [];

// It looks like a key of the sandbox, so that globalTeardown.ts finds it wherever n8n leaves it.
const token = `msk_${randomBytes(20).toString('hex')}`;

/** Publishes a trigger. @returns its workflow and production URL */
async function publish(parameters: INodeParameters, credential?: IDataObject) {
	const reference =
		credential && (await n8n.createCredential(credential, 'messagingServiceDashboard'));
	const webhookId = crypto.randomUUID();
	const trigger = messagingServiceDashboardTrigger(parameters, reference, { webhookId });
	const id = await n8n.createPublished(chain('Dashboard', [trigger, noOp('Then')]));
	published.push(id);
	return { id, url: `${n8n.url}/webhook/${webhookId}/webhook` };
}

afterAll(async () => {
	for (const id of published) await n8n.unpublish(id);
});

/** What so many executions, which are all, were started with. */
async function started(id: string, count: number): Promise<IDataObject[]> {
	await waitFor(`${count} executions`, async () => {
		const ended = await n8n.countExecutions(id, 'success');
		return ended >= count && (await n8n.countExecutions(id, 'running')) === 0;
	});
	const all = await n8n.executions(id);
	expect(all.map(({ status }) => status)).toEqual(all.map(() => 'success'));
	expect(all).toHaveLength(count);
	return all.flatMap((execution) => execution.json('Then'));
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';
const body = '{"content":"Grüße","nested":{"list":[1,"2"]}}';
const parsed = { content: 'Grüße', nested: { list: [1, '2'] } };

const field = (name: string, value: string) =>
	`--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file =
	'--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\nfile\r\n--b--\r\n';

const typed = (
	type: string | undefined,
	text: string | Buffer,
	more: Delivery['headers'] = {},
) => ({
	body: text,
	headers: { 'content-type': type, 'x-token': token, ...more },
});
const hmac = (text: string | Buffer) => createHmac('sha256', token).update(text).digest('hex');

/** Deliveries that start an execution, and the body with which they do. */
const accepted: Array<[name: string, delivery: Delivery, out: unknown, query?: string]> = [
	['token in a header', typed(json, body), parsed],
	['token as Bearer', { body, headers: { authorization: `Bearer ${token}` } }, parsed],
	['token in the query', { body }, parsed, `?token=${token}`],
	['token in JSON', { body: JSON.stringify({ ...parsed, token }) }, parsed],
	['HMAC in a header', { body, headers: { 'x-signature': `sha256=${hmac(body)}` } }, parsed],
	['JSON that is a list', typed(json, '[{"a":1}]'), [{ a: 1 }]],
	['gzip', typed(json, gzipSync(body), { 'content-encoding': 'gzip' }), parsed],
	['text', typed('text/plain', 'Hello, {"a": 1}'), 'Hello, {"a": 1}'],
	['no content type', typed(undefined, body), body],
	['bytes', typed('application/octet-stream', body), body],
	['empty body', typed(json, ''), ''],
	['form', typed(form, 'a=1&b=2&b=3'), { a: '1', b: ['2', '3'] }],
	[
		'token in a form',
		{ body: `a=1&token=${token}`, headers: { 'content-type': form } },
		{ a: '1' },
	],
	[
		'token in a form with files',
		{
			body: field('a', '1') + field('token', token) + file,
			headers: { 'content-type': multipart },
		},
		{ a: '1' },
	],
	['1 MB', typed(json, JSON.stringify({ text: 'x'.repeat(1e6) })), { text: 'x'.repeat(1e6) }],
];

const guesses = (count: number) =>
	range(count).map((index): [string, string] => [`t${index}`, `guess ${index}`]);
const withGuesses = (text: string) => ({ body: text, headers: {} });

/** Deliveries that start nothing, and the status. */
const rejected: Array<[name: string, delivery: Delivery, status?: number, query?: string]> = [
	['no token', { body }],
	[
		'an empty token',
		{ body, headers: { 'x-token': '', authorization: 'Bearer ' } },
		401,
		'?token=',
	],
	['a wrong token', typed(json, body, { 'x-token': 'msk_wrong' })],
	['a truncated token', typed(json, body, { 'x-token': token.slice(0, -1) })],
	['a doubled header', typed(json, body, { 'x-token': [token, token] })],
	['a doubled parameter', { body }, 401, `?token=${token}&token=${token}`],
	['a nested token', { body: JSON.stringify({ data: { token } }) }],
	['the token as the body', typed('text/plain', token, { 'x-token': undefined })],
	['an HMAC of another body', { body, headers: { 'x-signature': hmac('{}') } }],
	['an HMAC of no body', { body: '', headers: { 'x-signature': hmac('') } }],
	[
		'thousands of guesses in JSON, one of them right',
		withGuesses(JSON.stringify({ ...Object.fromEntries(guesses(5_000)), token })),
	],
	[
		'hundreds of guesses in the query, one of them right',
		{ body },
		401,
		`?${new URLSearchParams(guesses(300)).toString()}&token=${token}`,
	],
	['a form with files without the token', typed(multipart, file, { 'x-token': undefined })],
	['1 MB without the token', { body: JSON.stringify({ text: 'x'.repeat(1e6) }) }],
	// What n8n itself rejects.
	['malformed JSON', typed(json, '{"a":'), 422],
	['an unknown encoding', typed(`${json}; charset=utf-7`, body), 422],
	['PUT', { ...typed(json, body), method: 'PUT' }, 404],
	// More than n8n reads, with the token.
	[
		'17 MB of bytes',
		typed('application/octet-stream', Buffer.alloc(17 * 1024 * 1024), {
			'content-length': undefined,
			'transfer-encoding': 'chunked',
		}),
		400,
	],
];

test('only what carries the token starts an execution, and the token does not come out', async () => {
	const { id, url } = await publish({}, { verificationToken: token });
	const wrong: unknown[] = [];
	for (const [name, delivery, status = 401, query = ''] of rejected) {
		const response = await deliver(url + query, delivery);
		if (response.status !== status) wrong.push([name, response]);
	}
	expect(wrong).toEqual([]);
	for (const [name, delivery, , query = ''] of accepted) {
		const response = await deliver(url + query, delivery);
		expect([name, response.status, response.body]).toEqual([name, 200, '']);
	}
	const items = await started(id, accepted.length);
	// Executions that began at the same moment may end in another order.
	const key = (value: unknown) => JSON.stringify(value);
	expect(items.map((item) => key(item.body)).sort()).toEqual(
		accepted.map(([, , out]) => key(out)).sort(),
	);
	expect(JSON.stringify(items)).not.toContain(token);
	const [first] = items;
	expect(first).toEqual({
		registeredFor: 'messageReceived',
		receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
		body: parsed,
		headers: { 'content-type': json },
		query: {},
	});
});

test('n8n publishes no trigger without a credential, unless authentication is off', async () => {
	await expect(publish({})).rejects.toThrow('Missing required credential');
});

test.each<[string, IDataObject]>([
	['with an empty token', { verificationToken: '' }],
	['with a blank token', { verificationToken: ' '.repeat(10) }],
	['with a token whose expression returns nothing', { verificationToken: '={{ undefined }}' }],
	['with a token whose expression fails', { verificationToken: '={{ $json.a.b.c }}' }],
])('%s, nothing is let in', async (_name, credential) => {
	const { id, url } = await publish({}, credential);
	const statuses: number[] = [];
	for (const given of ['', ' ', ' '.repeat(10), 'undefined', 'null', '={{ undefined }}', token]) {
		const delivery = { body: JSON.stringify({ token: given }), headers: { 'x-token': given } };
		const query = `?${new URLSearchParams({ token: given, challenge: '1' }).toString()}`;
		statuses.push((await deliver(url + query, delivery)).status);
		statuses.push((await deliver(url + query, { method: 'GET' })).status);
	}
	expect(statuses).toEqual(statuses.map(() => 401));
	expect(await n8n.executions(id)).toEqual([]);
});

test('a check of the address is confirmed and starts nothing', async () => {
	const { id, url } = await publish({}, { verificationToken: token });
	const ask = async (query: string, method = 'GET') =>
		await fetch(`${url}?${query}`, { method, headers: { connection: 'close' } });
	const challenge = 'hub.challenge=%3Cb%3E42';
	const confirmed = await ask(`hub.verify_token=${token}&${challenge}`);
	expect([confirmed.status, await confirmed.text()]).toEqual([200, '<b>42']);
	expect(confirmed.headers.get('content-type')).toMatch(/^text\/plain/);
	const head = await ask(`token=${token}&${challenge}`, 'HEAD');
	expect([head.status, await head.text()]).toEqual([200, '']);
	for (const method of ['GET', 'HEAD']) {
		expect((await ask(challenge, method)).status).toBe(401);
		expect((await ask(`token=${token}x&${challenge}`, method)).status).toBe(401);
	}
	expect(await n8n.executions(id)).toEqual([]);
});

test('without authentication, everything is let in and comes out as it is', async () => {
	const { id, url } = await publish({ webhook: 'several', authentication: 'none' });
	expect((await deliver(`${url}?challenge=7`, { method: 'GET' })).body).toBe('7');
	expect((await deliver(`${url}?a=1`, { body, headers: { 'x-token': 'any' } })).status).toBe(200);
	const [item] = await started(id, 1);
	const headers = { 'content-type': json, 'x-token': 'any' };
	expect(item).toMatchObject({
		registeredFor: 'several',
		body: parsed,
		headers,
		query: { a: '1' },
	});
});

test.each(questions.dashboardToken.settings)(
	'every kind of event of the sandbox arrives, with the token in: %s',
	async (dashboardToken) => {
		const assumptions = { dashboardToken, dashboardCheck: 'get' as const };
		const sandbox = await startSandbox({ assumptions, lifecycle: { enabled: false } });
		try {
			const { id, url } = await publish({ webhook: 'several' }, { verificationToken: token });
			const add = async (given: string) =>
				await sandbox.control.addDashboardWebhook({ url, token: given });
			await expect(add('another token')).rejects.toThrow('does not confirm');
			await add(token);
			await sandbox.control.receiveMessage({ content: 'STOP', sender: '447700900210' });
			const requests: Array<[string, object]> = [
				['/chat/send-template', { phone: '447700900210', templateName: 'order_update' }],
				['/email/send', { to: 'you@host.example', subject: 'Hello', text: 'Hello' }],
			];
			for (const [path, content] of requests) {
				await fetch(sandbox.baseUrl + path, {
					method: 'POST',
					headers: { 'x-api-key': sandbox.keys.production, 'content-type': json },
					body: JSON.stringify(content),
				});
			}
			await sandbox.control.settle();
			const items = await started(id, 3);
			expect(items.map((item) => item.body as IDataObject)).toEqual(
				expect.arrayContaining([
					{
						event: 'messageReceived',
						content: 'STOP',
						sender: '447700900210',
						time: expect.any(String) as string,
					},
					expect.objectContaining({ event: 'statusUpdate', status: 'sent' }),
					expect.objectContaining({ event: 'emailStatus', recipient: 'you@host.example' }),
				]),
			);
			expect(JSON.stringify(items)).not.toContain(token);
		} finally {
			await sandbox.close();
		}
	},
);
