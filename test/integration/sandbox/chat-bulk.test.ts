import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

function recipients(count: number, more: object = {}) {
	return Array.from({ length: count }, (_, index) => ({
		phone: String(919_000_000_000 + index),
		...more,
	}));
}

function send(body: object) {
	return fixture.api.post('/chat/bulk-send', { templateName: 'order_update', ...body });
}

test('answers at once and sends to everyone afterwards', async () => {
	await fixture.control.setAccount({ chatBalance: 3_000 });
	const list = recipients(1_200, { params: ['Ann'], name: 'Ann', headerValue: 'x' });
	expect(shown(await send({ recipients: list }))).toEqual({
		status: 200,
		data: {
			success: true,
			campaignId: expect.stringMatching(/^[0-9a-f-]{36}$/),
			total: 1_200,
			status: 'processing',
			message: expect.any(String),
		},
	});
	await fixture.control.settle();
	const messages = await fixture.control.messages();
	expect(messages.map(({ to }) => to)).toEqual(list.map(({ phone }) => phone));
	expect(messages[0]).toMatchObject({ content: 'order_update: Ann', type: 'template' });
	expect((await fixture.control.account()).chatBalance).toBe(1_800);
});

test('processes while nothing else moves', async () => {
	await fixture.control.setLifecycle({ enabled: false });
	await send({ recipients: recipients(3) });
	await fixture.control.settle();
	await fixture.control.advance(60_000);
	const { data } = await fixture.api.get('/chat/campaigns');
	expect(data.stats).toEqual({ Sent: 3, Delivered: 0, Read: 0, Failed: 0 });
});

test('takes 10,000 recipients and answers 400 for one more', async () => {
	expect((await send({ recipients: recipients(10_000) })).data.total).toBe(10_000);
	const response = await send({ recipients: recipients(10_001) });
	expect(shown(response)).toEqual({
		status: 400,
		data: { error: 'Invalid recipients: must hold at most 10,000 items' },
	});
});

test('answers 402 when the credits cover all but one recipient, and sends to none', async () => {
	const body = { templateName: 'seasonal_offer', recipients: recipients(4) };
	await fixture.control.setAccount({ chatBalance: 11 });
	expect((await send(body)).status).toBe(402);
	await fixture.control.settle();
	expect(await fixture.control.messages()).toEqual([]);
	await fixture.control.setAccount({ chatBalance: 12 });
	expect((await send(body)).status).toBe(200);
	expect((await fixture.control.account()).chatBalance).toBe(0);
});

test.each([
	['no recipients', {}, 'Missing required field: recipients'],
	['an empty list', { recipients: [] }, 'Invalid recipients: must not be empty'],
	['no list', { recipients: 'x' }, /^Invalid recipients/],
	[
		'a wrong phone number',
		{ recipients: [...recipients(1), { phone: '+91' }] },
		/recipients\.1\.phone/,
	],
	['params that are no texts', { recipients: recipients(1, { params: [1] }) }, /params/],
	['no template', { recipients: recipients(1), templateName: undefined }, /templateName/],
	[
		'an unapproved template',
		{ recipients: recipients(1), templateName: 'pending_review' },
		/approved/,
	],
	['an unknown number', { recipients: recipients(1), configId: 'x' }, /configId/],
	[
		'a wrong number of params',
		{ recipients: recipients(1), templateName: 'appointment_reminder' },
		/expects 2 parameters/,
	],
])('answers 400 for %s', async (_case, body, error) => {
	const response = await send(body);
	expect(response.status).toBe(400);
	expect(response.data.error).toEqual(expect.stringMatching(error));
});
