import { createHmac, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { attachN8n, chain, messagingServiceDashboardTrigger, noOp, waitFor } from '../../harness';
import { deliver, type Delivery } from '../../harness/deliver';
import { questions, startSandbox } from '../../sandbox';
import { askService } from '../support/e2e/sandbox';

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

/** What the executions were started with, of which there are so many. */
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
const mask = '[verification token]';
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
const hmac = createHmac('sha256', token).update(body).digest('hex');
const large = { text: 'x'.repeat(1e6) };

// Where a token counts is tested in test/unit/trigger/dashboard. These are deliveries that n8n itself reads first.
/** Deliveries that start an execution, and the body with which they do. */
const accepted: Array<[name: string, delivery: Delivery, out: unknown, query?: string]> = [
	['token in a header', typed(json, body), parsed],
	['token as Bearer', { body, headers: { authorization: `Bearer ${token}` } }, parsed],
	['token in the query', { body }, parsed, `?token=${token}`],
	['token in JSON', { body: JSON.stringify({ ...parsed, token }) }, { ...parsed, token: mask }],
	[
		'token again in XML',
		typed('application/xml', `<a b="${token}">${token}</a>`),
		{ a: { _: mask, $: { b: mask } } },
	],
	['token again in a list', typed(json, `[["${token}"], 1]`), [[mask], 1]],
	['token again in a text', typed('text/plain', `It is ${token}.`), `It is ${mask}.`],
	['HMAC in a header', { body, headers: { 'x-signature': `sha256=${hmac}` } }, parsed],
	['JSON that is a list', typed(json, '[{"a":1}]'), [{ a: 1 }]],
	['gzip', typed(json, gzipSync(body), { 'content-encoding': 'gzip' }), parsed],
	['text', typed('text/plain', 'Hello, {"a": 1}'), 'Hello, {"a": 1}'],
	['no content type', typed(undefined, body), body],
	['bytes', typed('application/octet-stream', body), body],
	['empty body', typed(json, ''), ''],
	['form', typed(form, 'a=1&b=2&b=3'), { a: '1', b: ['2', '3'] }],
	[
		'token in a form',
		typed(form, `a=1&token=${token}`, { 'x-token': undefined }),
		{ a: '1', token: mask },
	],
	[
		'token in a form with files',
		typed(multipart, field('a', '1') + field('token', token) + file, { 'x-token': undefined }),
		{ a: '1', token: mask },
	],
	['1 MB', typed(json, JSON.stringify(large)), large],
];

const unlimited = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
const bytes = Buffer.alloc(17 * 1024 * 1024);

/** Deliveries that start nothing, and the status. */
const rejected: Array<[name: string, delivery: Delivery, status: number, query?: string]> = [
	['no token', { body }, 401],
	[
		'an empty token',
		{ body, headers: { 'x-token': '', authorization: 'Bearer ' } },
		401,
		'?token=',
	],
	['a doubled header', typed(json, body, { 'x-token': [token, token] }), 401],
	['a doubled parameter', { body }, 401, `?token=${token}&token=${token}`],
	['a form with files without the token', typed(multipart, file, { 'x-token': undefined }), 401],
	// What n8n itself rejects, with the token.
	['malformed JSON', typed(json, '{"a":'), 422],
	['an unknown encoding', typed(`${json}; charset=utf-7`, body), 422],
	['PUT', { ...typed(json, body), method: 'PUT' }, 404],
	['more than n8n reads', typed('application/octet-stream', bytes, unlimited), 400],
];

test('only deliveries with the token start an execution, and the token does not come out', async () => {
	const { id, url } = await publish({}, { verificationToken: token });
	const responses: unknown[] = [];
	for (const [name, delivery, , query = ''] of [...rejected, ...accepted])
		responses.push([name, (await deliver(url + query, delivery)).status]);
	const statuses = [
		...rejected.map(([name, , status]) => [name, status]),
		...accepted.map(([name]) => [name, 200]),
	];
	expect(responses).toEqual(statuses);
	const items = await started(id, accepted.length);
	// Executions that began at the same moment may end in another order.
	const key = (value: unknown) => JSON.stringify(value);
	expect(items.map((item) => key(item.body)).sort()).toEqual(
		accepted.map(([, , out]) => key(out)).sort(),
	);
	expect(JSON.stringify(items)).not.toContain(token);
	expect(items[0]).toEqual({
		registeredFor: 'messageReceived',
		receivedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
		body: parsed,
		headers: { 'content-type': json, 'x-token': mask },
		query: {},
	});
});

test('n8n publishes no trigger without a credential, unless authentication is off', async () => {
	await expect(publish({})).rejects.toThrow('Missing required credential');
});

test.each(['={{ undefined }}', '={{ $json.a.b.c }}'])(
	'with the token %s, everything is rejected',
	async (verificationToken) => {
		const { id, url } = await publish({}, { verificationToken });
		const statuses: number[] = [];
		for (const given of ['', 'undefined', '={{ undefined }}', token]) {
			const delivery = { body: JSON.stringify({ token: given }), headers: { 'x-token': given } };
			const query = `?${new URLSearchParams({ token: given, challenge: '1' }).toString()}`;
			statuses.push((await deliver(url + query, delivery)).status);
			statuses.push((await deliver(url + query, { method: 'GET' })).status);
		}
		expect(statuses).toEqual(statuses.map(() => 401));
		expect(await n8n.executions(id)).toEqual([]);
	},
);

test('a check of the address is confirmed and starts nothing', async () => {
	const { id, url } = await publish({}, { verificationToken: token });
	const check = async (query: string, method = 'GET') =>
		await fetch(`${url}?${query}`, { method, headers: { connection: 'close' } });
	const challenge = 'hub.challenge=%3Cb%3E42';
	const confirmed = await check(`hub.verify_token=${token}&${challenge}`);
	expect([confirmed.status, await confirmed.text()]).toEqual([200, '<b>42']);
	expect(confirmed.headers.get('content-type')).toMatch(/^text\/plain/);
	expect(confirmed.headers.get('x-content-type-options')).toBe('nosniff');
	const head = await check(`token=${token}&${challenge}`, 'HEAD');
	expect([head.status, await head.text()]).toEqual([200, '']);
	for (const method of ['GET', 'HEAD']) {
		expect((await check(challenge, method)).status).toBe(401);
		expect((await check(`token=${token}x&${challenge}`, method)).status).toBe(401);
	}
	expect(await n8n.executions(id)).toEqual([]);
});

test('without authentication, every delivery is accepted and comes out as it is', async () => {
	const { id, url } = await publish({ webhook: 'several', authentication: 'none' });
	expect((await deliver(`${url}?challenge=7`, { method: 'GET' })).body).toBe('7');
	const headers = { 'content-type': json, 'x-token': 'any' };
	expect((await deliver(`${url}?a=1`, { body, headers })).status).toBe(200);
	const [item] = await started(id, 1);
	const query = { a: '1' };
	expect(item).toMatchObject({ registeredFor: 'several', body: parsed, headers, query });
});

test('every kind of event of the sandbox arrives, wherever its token is', async () => {
	const sandbox = await startSandbox({ lifecycle: { enabled: false } });
	const { control } = sandbox;
	try {
		const { id, url } = await publish({ webhook: 'several' }, { verificationToken: token });
		await control.setAssumptions({ dashboardCheck: 'get' });
		const another = control.addDashboardWebhook({ url, token: 'another token' });
		await expect(another).rejects.toThrow('does not confirm');
		await control.addDashboardWebhook({ url, token });
		const { settings } = questions.dashboardToken;
		for (const dashboardToken of settings) {
			await control.setAssumptions({ dashboardToken });
			await control.receiveMessage({ content: dashboardToken, sender: '447700900210' });
			await control.settle();
		}
		const template = { phone: '447700900210', templateName: 'order_update' };
		await askService(sandbox, '/chat/send-template', template);
		const mail = { to: 'you@host.example', subject: 'Hello', text: 'Hello' };
		await askService(sandbox, '/email/send', mail);
		await control.settle();
		const items = await started(id, settings.length + 2);
		const received = { event: 'messageReceived', sender: '447700900210' };
		const kinds = [
			...settings.map((content) => ({
				...{ ...received, content, time: expect.any(String) as string },
				...(content === 'body' && { token: '[verification token]' }),
			})),
			expect.objectContaining({ event: 'statusUpdate', status: 'sent' }),
			expect.objectContaining({ event: 'emailStatus', recipient: 'you@host.example' }),
		];
		expect(items.map((item) => item.body)).toEqual(expect.arrayContaining(kinds));
		expect(JSON.stringify(items)).not.toContain(token);
	} finally {
		await sandbox.close();
	}
});
