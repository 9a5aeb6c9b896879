import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const url = 'https://receiver.example/events';

function create(body: object) {
	return fixture.api.post('/chat/webhooks', body);
}

describe('POST /chat/webhooks', () => {
	test('registers and tells the secret', async () => {
		const events = ['message.read', 'message.failed'];
		expect(shown(await create({ url, events }))).toEqual({
			status: 201,
			data: {
				webhook: {
					id: expect.stringMatching(/^[0-9a-f-]{36}$/),
					url,
					secret: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
					events,
					isActive: true,
					createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				},
			},
		});
	});

	test('takes three events when none are named, and each once', async () => {
		const { webhook } = (await create({ url })).data;
		expect(webhook.events).toEqual(['message.sent', 'message.delivered', 'message.failed']);
		const twice = (await create({ url, events: ['message.read', 'message.read'] })).data.webhook;
		expect(twice.events).toEqual(['message.read']);
	});

	test.each(['http://localhost:80/x', 'http://127.0.0.9/x', 'http://[::1]:5678/x'])(
		'takes plain HTTP to this computer: %s',
		async (local) => {
			expect((await create({ url: local })).status).toBe(201);
		},
	);

	test.each([
		['no URL', {}, 'Missing required field: url'],
		['a URL that is none', { url: 'receiver' }, 'Invalid url: must be a valid HTTPS URL'],
		['plain HTTP', { url: 'http://receiver.example/x' }, 'Invalid url: must be a valid HTTPS URL'],
		['a name like localhost', { url: 'http://localhost.example/x' }, /HTTPS/],
		['an unknown event', { url, events: ['message.lost'] }, /^Invalid events\.0/],
		['no events', { url, events: [] }, 'Invalid events: must not be empty'],
		['events that are no list', { url, events: 'message.sent' }, /^Invalid events/],
	])('answers 400 for %s', async (_case, body, error) => {
		const response = await create(body);
		expect(response.status).toBe(400);
		expect(response.data.error).toEqual(expect.stringMatching(error));
		expect(await fixture.control.webhooks()).toEqual([]);
	});
});

describe('GET /chat/webhooks', () => {
	test.each([
		['webhooks', (list: unknown) => ({ webhooks: list })],
		['array', (list: unknown) => list],
		['data', (list: unknown) => ({ success: true, data: list })],
	] as const)('lists without secrets (%s)', async (webhookList, wrapped) => {
		await fixture.control.setAssumptions({ webhookList });
		const { secret, ...rest } = (await create({ url })).data.webhook;
		expect(secret).toBeTruthy();
		expect(shown(await fixture.api.get('/chat/webhooks'))).toEqual({
			status: 200,
			data: wrapped([rest]),
		});
	});
});

describe('DELETE /chat/webhooks', () => {
	test('deletes one, and answers 404 the second time', async () => {
		const { id } = (await create({ url })).data.webhook;
		const kept = (await create({ url })).data.webhook;
		expect(shown(await fixture.api.delete(`/chat/webhooks?id=${id}`))).toEqual({
			status: 200,
			data: { success: true, message: expect.any(String) },
		});
		expect(shown(await fixture.api.delete(`/chat/webhooks?id=${id}`))).toEqual({
			status: 404,
			data: { error: 'Webhook not found' },
		});
		expect(await fixture.control.webhooks()).toEqual([kept]);
	});

	test.each(['', '?id=', '?id=a&id=b'])('answers 400 without one id: %j', async (query) => {
		expect((await fixture.api.delete(`/chat/webhooks${query}`)).status).toBe(400);
	});
});
