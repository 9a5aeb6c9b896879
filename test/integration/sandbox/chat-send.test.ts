import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const message = { phone: '919812345678', message: 'Hello' };

function send(body: object) {
	return fixture.api.post('/chat/send', body);
}

test('sends, charges and records the message', async () => {
	await fixture.control.setAccount({ chatBalance: 5 });
	expect(shown(await send(message))).toEqual({
		status: 200,
		data: { success: true, message: expect.any(String), cost: 1, remainingBalance: 4 },
	});
	const [record] = await fixture.control.messages();
	expect(record).toMatchObject({
		to: message.phone,
		status: 'Sent',
		content: 'Hello',
		type: 'text',
	});
});

test('sends an image', async () => {
	await send({ ...message, file: 'https://files.example/picture.png' });
	expect(await fixture.control.messages()).toMatchObject([{ type: 'image' }]);
});

test.each([
	['without phone', { message: 'Hello' }, 'Missing required field: phone'],
	['without message', { phone: message.phone }, 'Missing required field: message'],
	['with an empty message', { ...message, message: ' ' }, 'Invalid message: must not be empty'],
	['with a message that is no text', { ...message, message: 5 }, /^Invalid message/],
	['with a file that is no text', { ...message, file: {} }, /^Invalid file/],
])('answers 400 %s', async (_case, body, error) => {
	const response = await send(body);
	expect(response.status).toBe(400);
	expect(Object.keys(response.data)).toEqual(['error']);
	expect(response.data.error).toEqual(expect.stringMatching(error));
	expect(await fixture.control.messages()).toEqual([]);
});

test.each(['+919812345678', '0919812345678', '91 9812345678', '91-98123', '(91)9812345', '12', ''])(
	'answers 400 for the phone number %j',
	async (phone) => {
		expect((await send({ ...message, phone })).status).toBe(400);
	},
);

test('answers 402 without credits, and sends nothing', async () => {
	await fixture.control.setAccount({ chatBalance: 0 });
	expect(shown(await send(message))).toEqual({
		status: 402,
		data: { error: 'Insufficient chat balance' },
	});
	expect(await fixture.control.messages()).toEqual([]);
});
