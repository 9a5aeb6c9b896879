import type { Method } from 'axios';
import { call, phone, shown, template, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

const text = expect.any(String);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const aUuid = 'b0f7c1de-1f0c-4d3e-9c55-0a4d6f1c2b3a';
const url = 'https://127.0.0.1:1/events';
const reminder = { phone, templateName: 'appointment_reminder' };
const image = { phone, type: 'image', mediaUrl: 'https://files.example/a.png' };
const mail = { to: 'ann@mail.example', subject: 'Hello', text: 'Hello' };
const paid = { cost: 1, remainingBalance: 9 };

function formOf(fields: Record<string, string>, file?: { name: string; bytes: number }) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	if (file) form.set('file', new Blob([Buffer.alloc(file.bytes, 'x')]), file.name);
	return form;
}

/** What each endpoint is asked with, and what of its answer test/integration/schemas.test.ts does not see. */
const asked: Record<string, { data?: () => unknown; status?: number; response: object }> = {
	'GET /balance': {
		response: { user: { chatBalance: 10, emailBalance: 10, voiceMins: 10, createdAt: time } },
	},
	'GET /chat/configs': {
		response: { configs: [true, false].map((isDefault) => ({ id: uuid, isDefault })) },
	},
	'POST /chat/send': { data: () => ({ phone, message: 'Hello' }), response: paid },
	'POST /chat/send-template': {
		data: () => formOf(template),
		response: { ...paid, providerMessageId: expect.stringMatching(/^pm\.[0-9a-f]{32}$/) },
	},
	'POST /chat/send-media': { data: () => image, response: { ...paid, providerMessageId: text } },
	'POST /chat/upload': {
		data: () => formOf({}, { name: 'a.png', bytes: 1 }),
		response: { mediaId: text, type: 'document', filename: 'a.png', size: 1 },
	},
	'POST /chat/bulk-send': {
		data: () => ({ templateName: 'seasonal_offer', recipients: [{ phone }] }),
		response: { campaignId: uuid, total: 1, status: 'processing' },
	},
	'GET /chat/campaigns': {
		response: {
			total: 1,
			limit: 20,
			offset: 0,
			stats: { Sent: 1, Delivered: 0, Read: 0, Failed: 0 },
			messages: [{ to: phone, status: 'Sent', type: 'template', sentAt: time, updatedAt: time }],
		},
	},
	'POST /chat/webhooks': {
		data: () => ({ url, events: ['message.read', 'message.read'] }),
		status: 201,
		response: {
			webhook: {
				id: uuid,
				url,
				secret: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
				events: ['message.read'],
				isActive: true,
			},
		},
	},
	'GET /chat/webhooks': { response: { webhooks: [] } },
	'DELETE /chat/webhooks': { status: 400, response: { error: text } },
	'POST /voice/call': {
		data: () => call,
		response: {
			route: 'carrier_us1',
			from: expect.stringMatching(/^\+1\d{10}$/),
			to: '+447700900678',
			status: 'initiated',
			remainingVoiceMins: 9,
		},
	},
	'GET /voice/call-logs': {
		response: {
			data: [{ phone: '+447700900678', status: 'Started', route: 'carrier_in1', createdAt: time }],
			pagination: { page: 1, pageSize: 10, total: 1, totalPages: 1 },
		},
	},
	'POST /email/send': { data: () => mail, response: { cost: 1, remainingBalance: 9 } },
};

const ask = async (endpoint: string, data?: unknown, query = '') => {
	const [method, path] = endpoint.split(' ') as [Method, string];
	return await fixture.api.request({ method, url: `${path}${query}`, data });
};

test.each(Object.entries(asked))('%s', async (endpoint, { data, status = 200, response }) => {
	await fixture.control.setAccount({ chatBalance: 10, emailBalance: 10, voiceMins: 10 });
	await fixture.control.addMessages(1, { to: phone });
	await fixture.control.addCalls(1, { to: phone, callStatus: 'initiated' });
	expect(shown(await ask(endpoint, data?.()))).toMatchObject({ status, data: response });
});

const bulk = (count: number, more: object = {}) => ({
	templateName: 'order_update',
	recipients: Array.from({ length: count }, (_, index) => ({ phone: `${999e9 + index}`, ...more })),
});

/** What is refused with 400, and the words that say why: something of each kind. */
const refused: Array<[endpoint: string, data: unknown, error: string, query?: string]> = [
	['POST /chat/send', { phone }, 'Missing required field: message'],
	['POST /chat/send', { phone: '+447700900678', message: 'x' }, 'Invalid phone: must be an E.164'],
	['POST /chat/send', { phone, message: ' ' }, 'Invalid message: must not be empty'],
	['POST /chat/send', { phone, message: 'x', more: 1 }, "'more'"],
	['POST /chat/send', formOf({ phone }), 'Unsupported content type'],
	['POST /chat/send-template', { ...template, templateName: 'nope' }, 'nope'],
	['POST /chat/send-template', { ...template, templateName: 'pending_review' }, 'not approved'],
	['POST /chat/send-template', { ...reminder, parameters: ['Ann'] }, 'expects 2 parameters'],
	['POST /chat/send-template', { ...reminder, language: 'de' }, "language 'de'"],
	['POST /chat/send-template', formOf({ ...template, configId: 'none' }), 'configId'],
	['POST /chat/send-template', formOf({ ...template, parameters: 'Ann' }), 'parameters'],
	['POST /chat/send-media', { phone, type: 'image', mediaId: '1' }, "mediaId '1'"],
	['POST /chat/send-media', { phone, type: 'image' }, 'Either mediaUrl or mediaId is required'],
	['POST /chat/send-media', { ...image, mediaUrl: 'https://127.0.0.1/a.png' }, 'publicly'],
	['POST /chat/upload', formOf({ configId: '14155550100' }), 'file is required'],
	['POST /chat/bulk-send', bulk(0), 'Invalid recipients: must not be empty'],
	['POST /chat/bulk-send', bulk(10_001), 'Invalid recipients: must hold at most 10,000 items'],
	['POST /chat/bulk-send', bulk(1, { phone: '+44' }), 'recipients.0.phone'],
	['POST /chat/webhooks', { url: 'http://receiver.example/x' }, 'must be a valid HTTPS URL'],
	['POST /chat/webhooks', { url, events: ['message.lost'] }, 'Invalid events.0'],
	['POST /voice/call', { ...call, to: '+44 770090 0' }, 'must have at least 10 digits'],
	['POST /voice/call', { to: call.to }, 'One of audioName, aiAgentId or xmlId is required'],
	['POST /voice/call', { ...call, voiceRoute: '+14155550199' }, '14155550199'],
	['POST /email/send', { ...mail, text: '  ' }, 'to, subject and either html or text are required'],
	['POST /email/send', { ...mail, to: 'ann@mail.example; b@mail.example' }, 'email address'],
	['GET /chat/campaigns', undefined, 'status', '?status=sent'],
	['GET /chat/campaigns', undefined, 'limit', '?limit=101'],
	['GET /chat/campaigns', undefined, 'more', '?more=1'],
	['GET /voice/call-logs', undefined, 'route', '?route=constructor'],
	['GET /voice/call-logs', undefined, 'from', '?from=today'],
	['GET /voice/call-logs', undefined, 'to', '?to=2025-13-01'],
	['GET /voice/call-logs', undefined, 'page', '?page=0'],
];

test.each(refused)('%s refuses', async (endpoint, data, error, query = '') => {
	const response = await ask(endpoint, data, query);
	expect(shown(response)).toEqual({
		status: 400,
		data: { error: expect.stringContaining(error) },
	});
	expect(await fixture.control.messages()).toEqual([]);
	expect(await fixture.control.calls()).toEqual([]);
});

test.each([
	['POST /chat/send-template', { ...template, templateName: 'seasonal_offer' }, 3, 'chat balance'],
	['POST /chat/bulk-send', bulk(4), 4, 'chat balance'],
	['POST /voice/call', call, 1, 'voice minutes'],
	['POST /email/send', { ...mail, to: 'ann@mail.example,bob@mail.example' }, 2, 'email balance'],
])('%s costs what it costs', async (endpoint, data, cost, name) => {
	const [kind] = name.split(' ');
	const balance = kind === 'voice' ? 'voiceMins' : `${kind}Balance`;
	await fixture.control.setAccount({ [balance]: cost });
	expect((await ask(endpoint, data)).status).toBe(200);
	expect(await fixture.control.account()).toMatchObject({ [balance]: 0 });
	await fixture.control.setAccount({ [balance]: cost - 1 });
	const error = `Insufficient ${name}`;
	expect(shown(await ask(endpoint, data))).toEqual({ status: 402, data: { error } });
	expect(await fixture.control.account()).toMatchObject({ [balance]: cost - 1 });
});

test('a form with a file is kept in the journal, with its hash, and a campaign reaches all', async () => {
	const fields = { ...template, parameters: '["Ann"]', headerType: 'document' };
	await ask('POST /chat/send-template', formOf(fields, { name: 'bill.pdf', bytes: 20_000_000 }));
	expect((await fixture.control.journal({ kind: 'request' }))[0]?.body).toMatchObject({
		fields,
		files: [{ filename: 'bill.pdf', size: 20_000_000, sha256: text }],
	});
	await ask('POST /chat/bulk-send', bulk(1_200, { params: ['Ben'] }));
	await fixture.control.settle();
	const contents = (await fixture.control.messages()).map(({ content }) => content);
	const expected = Array<string>(1_200).fill('order_update: Ben');
	expect(contents).toEqual(['order_update: Ann', ...expected]);
});

test.each([
	['a.bin', 'video/x-matroska', 'video'],
	['a.docx', 'application/octet-stream', 'document'],
])('%s (%s) is taken and sent as %s, and as nothing else', async (name, mimeType, type) => {
	const form = new FormData();
	form.set('file', new Blob(['x'], { type: mimeType }), name);
	const { mediaId } = (await ask('POST /chat/upload', form)).data;
	const send = async (kind: string) =>
		(await ask('POST /chat/send-media', { phone, type: kind, mediaId })).status;
	expect(await send(type)).toBe(200);
	expect(await send(type === 'video' ? 'audio' : 'video')).toBe(400);
	expect(await fixture.control.messages()).toMatchObject([{ type, content: name }]);
});

test.each([
	['/chat/upload', 'multipart/form-data; boundary=x', '--x\r\nContent-Disp', text],
	['/chat/send', 'application/json', '{"phone":', 'Request body is not valid JSON'],
	['/chat/send', 'application/json', '', 'Missing required field: phone'],
	['/chat/send', 'application/json', `"${'x'.repeat(64 << 20)}"`, 'Request body is too large'],
])('a body that is none is 400 (%#)', async (path, type, body, error) => {
	const headers = { 'content-type': type };
	const response = await fixture.api.post(path, Buffer.from(body), { headers });
	expect(shown(response)).toEqual({ status: 400, data: { error } });
});

test.each([
	['GET', '/balance/'],
	['POST', '/balance'],
	['GET', '/../v2/balance'],
])('%s %s is no endpoint', async (method, path) => {
	const response = await fixture.api.request({ method, url: path });
	const error = expect.stringMatching(/^Not found: /);
	expect(shown(response)).toEqual({ status: 404, data: { error } });
});

test('a configId is the id of a number or the number itself', async () => {
	const { id = '', phoneNumber = '' } = (await fixture.control.info()).chatNumbers[1] ?? {};
	for (const configId of [id, phoneNumber, `+${phoneNumber}`]) {
		expect((await ask('POST /chat/send-template', { ...template, configId })).status).toBe(200);
	}
});

test('a webhook is deleted once', async () => {
	const { id } = (await ask('POST /chat/webhooks', { url })).data.webhook;
	const kept = (await ask('POST /chat/webhooks', { url })).data.webhook;
	expect(kept.events).toEqual(['message.sent', 'message.delivered', 'message.failed']);
	const remove = async () => shown(await ask('DELETE /chat/webhooks', undefined, `?id=${id}`));
	expect(await remove()).toEqual({ status: 200, data: { success: true, message: text } });
	expect(await remove()).toEqual({ status: 404, data: { error: 'Webhook not found' } });
	expect(await fixture.control.webhooks()).toEqual([kept]);
});

test.each([
	[undefined, '(+1) 415 555 0199', '+14155550199', 'carrier_us1'],
	[undefined, '+91 10000 00001', '+911000000001', 'carrier_in1'],
	['us', '01000000001', '+911000000001', 'carrier_us1'],
	['+441632960678', '+44 7700-900678', '+447700900678', 'carrier_in2'],
])('voiceRoute %s to %s calls %s through %s', async (voiceRoute, to, called, route) => {
	const { data } = await ask('POST /voice/call', { to, xmlId: aUuid, voiceRoute });
	expect(data).toMatchObject({ to: called, route });
	const own = await ask('POST /voice/call', { ...call, fromNumber: '+1 415 555 0177' });
	expect(own.data).toMatchObject({ from: '+14155550177' });
});

test('what the dashboard has not set up is told, and nothing is paid', async () => {
	await fixture.control.setUp({ smtp: 'rejecting', voiceRoutes: [], chatSession: false });
	const before = await fixture.control.account();
	const failed = async (endpoint: string, data: unknown, error: string, more = {}) =>
		expect(shown(await ask(endpoint, data))).toEqual({ status: 500, data: { error, ...more } });
	const noRoute = "Credentials for route 'carrier_us1' are not configured";
	await failed('POST /voice/call', call, noRoute);
	await failed('POST /email/send', mail, 'The SMTP provider rejected the message');
	const screenshot = expect.stringMatching(/^iVBOR/);
	await failed('POST /chat/send', { phone, message: 'x' }, text, { success: false, screenshot });
	expect(await fixture.control.account()).toEqual(before);
	await fixture.control.setUp({ smtp: 'none' });
	const error = 'SMTP is not configured for this account';
	expect(shown(await ask('POST /email/send', mail))).toEqual({ status: 400, data: { error } });
});

test('calls by pages, status, route and number', async () => {
	const logs = async (query: string): Promise<string[]> =>
		(await ask('GET /voice/call-logs', undefined, query)).data.data.map(
			({ id }: { id: string }) => id,
		);
	const ids = await fixture.control.addCalls(15, { callStatus: 'failed' });
	const [answered] = await fixture.control.addCalls(1, {
		to: '14155550199',
		callStatus: 'answered',
		route: 'carrier_us1',
	});
	const pages = [await logs(''), await logs('?page=2'), await logs('?page=3')];
	expect(pages.flat()).toEqual([...ids, answered].reverse());
	expect(await logs('?status=answered')).toEqual([answered]);
	expect(await logs('?search=%2B415%20555')).toEqual([answered]);
	for (const route of ['us', 'US1', 'carrier_us1']) {
		expect(await logs(`?route=${route}`)).toEqual([answered]);
	}
});
