import type { Method } from 'axios';
import { get } from 'lodash';
import { shown, useService } from '../../support/core/useService';

const fixture = useService();

const text = expect.any(String);
const phone = '447700900678';
const template = { phone, templateName: 'order_update' };
const call = { to: `+${phone}`, audioName: 'Hello' };
const reminder = { phone, templateName: 'appointment_reminder' };
const image = { phone, type: 'image', mediaUrl: 'https://files.example/a.png' };
const mail = { to: 'ann@mail.example', subject: 'Hello', text: 'Hello' };

function formOf(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}

const ask = async (endpoint: string, data?: unknown, query = '') => {
	const [method, path] = endpoint.split(' ') as [Method, string];
	return await fixture.api.request({ method, url: `${path}${query}`, data });
};

const bulk = (count: number, more: object = {}) => ({
	templateName: 'order_update',
	recipients: Array.from({ length: count }, (_, index) => ({ phone: `${999e9 + index}`, ...more })),
});

/** What is refused with 400, and the words that say why: something of each kind. */
const refused: Array<[endpoint: string, data: unknown, error: string, query?: string]> = [
	['POST /chat/send', { phone }, 'Missing required field: message'],
	['POST /chat/send', { phone: '+447700900678', message: 'x' }, 'Invalid phone: must be an E.164'],
	['POST /chat/send', { phone, message: 'x', more: 1 }, "'more'"],
	['POST /chat/send-template', { ...template, templateName: 'pending_review' }, 'not approved'],
	['POST /chat/send-template', { ...reminder, parameters: ['Ann'] }, 'expects 2 parameters'],
	['POST /chat/send-template', { ...reminder, language: 'de' }, "language 'de'"],
	['POST /chat/send-template', formOf({ ...template, parameters: 'Ann' }), 'parameters'],
	['POST /chat/send-media', { phone, type: 'image', mediaId: '1' }, "mediaId '1'"],
	['POST /chat/send-media', { ...image, mediaUrl: 'https://127.0.0.1/a.png' }, 'publicly'],
	['POST /chat/bulk-send', bulk(10_001), 'Invalid recipients: must hold at most 10,000 items'],
	['POST /chat/bulk-send', bulk(1, { phone: '+44' }), 'recipients.0.phone'],
	['POST /chat/webhooks', { url: 'http://receiver.example/x' }, 'must be a valid HTTPS URL'],
	['POST /voice/call', { ...call, to: '+44 770090 0' }, 'must have at least 10 digits'],
	['POST /voice/call', { to: call.to }, 'One of audioName, aiAgentId or xmlId is required'],
	['POST /email/send', { ...mail, text: '  ' }, 'to, subject and either html or text are required'],
	['POST /email/send', { ...mail, to: 'ann@mail.example; b@mail.example' }, 'email address'],
	['GET /chat/campaigns', undefined, 'limit', '?limit=101'],
	['GET /voice/call-logs', undefined, 'from', '?from=today'],
];

test.each(refused)('%s rejects (%#)', async (endpoint, data, error, query = '') => {
	const expected = { error: expect.stringContaining(error) };
	expect(shown(await ask(endpoint, data, query))).toEqual({ status: 400, data: expected });
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

test.each(['GET /balance/', 'POST /balance', 'GET /../v2/balance'])('%s is a 404', async (one) => {
	const error = expect.stringMatching(/^Not found: /);
	expect(shown(await ask(one))).toEqual({ status: 404, data: { error } });
});

test.each([
	['image/png', 'image'],
	['video/mp4', 'video'],
	['audio/mpeg', 'audio'],
	['image/heic', 'document'],
	['video/quicktime', 'document'],
	['audio/aac', 'document'],
])('%s is sent as %s or as a document, and as nothing else', async (mimeType, kind) => {
	const form = new FormData();
	form.append('file', new Blob(['x'], { type: mimeType }), 'file');
	const { data: uploaded } = await ask('POST /chat/upload', form);
	expect(uploaded).toMatchObject({ type: kind, mimeType });
	for (const type of ['image', 'video', 'audio', 'document']) {
		const data = { phone, type, mediaId: get(uploaded, 'mediaId') };
		const { status } = await ask('POST /chat/send-media', data);
		expect([type, status]).toEqual([type, ['document', kind].includes(type) ? 200 : 400]);
	}
});
