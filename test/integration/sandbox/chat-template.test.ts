import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const message = { phone: '919812345678', templateName: 'order_update' };

function send(body: unknown) {
	return fixture.api.post('/chat/send-template', body);
}

function form(fields: Record<string, string>): FormData {
	const data = new FormData();
	for (const [name, value] of Object.entries(fields)) data.set(name, value);
	return data;
}

test.each([
	['utility', 1],
	['marketing', 3],
] as const)('a %s template costs %i', async (category, cost) => {
	await fixture.control.setTemplate({ name: 'priced', category, approved: true });
	await fixture.control.setAccount({ chatBalance: 10 });
	expect(shown(await send({ ...message, templateName: 'priced' }))).toEqual({
		status: 200,
		data: {
			success: true,
			message: expect.any(String),
			providerMessageId: expect.stringMatching(/^pm\.[0-9a-f]{32}$/),
			cost,
			remainingBalance: 10 - cost,
		},
	});
	await fixture.control.setAccount({ chatBalance: cost - 1 });
	expect(shown(await send({ ...message, templateName: 'priced' }))).toEqual({
		status: 402,
		data: { error: 'Insufficient chat balance' },
	});
});

test('records the message', async () => {
	const { data } = await send({ ...message, parameters: ['Ann', '42'] });
	expect(await fixture.control.messages()).toEqual([
		{
			id: expect.any(String),
			to: message.phone,
			status: 'Sent',
			providerMessageId: data.providerMessageId,
			content: 'order_update: Ann, 42',
			type: 'template',
			sentAt: expect.any(String),
			updatedAt: expect.any(String),
		},
	]);
});

test('takes the form with a file', async () => {
	const data = form({ ...message, parameters: '["Ann"]', headerType: 'document' });
	data.set('file', new Blob(['content'], { type: 'application/pdf' }), 'bill.pdf');
	expect((await send(data)).status).toBe(200);
	expect(await fixture.control.messages()).toMatchObject([{ content: 'order_update: Ann' }]);
	const [entry] = await fixture.control.journal({ kind: 'request' });
	expect(entry?.body).toEqual({
		fields: { ...message, parameters: '["Ann"]', headerType: 'document' },
		files: [
			{
				field: 'file',
				filename: 'bill.pdf',
				mimeType: 'application/pdf',
				size: 7,
				sha256: 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73',
			},
		],
	});
});

test.each([
	['no JSON', 'Ann'],
	['no list', '{"a":1}'],
	['no list of texts', '[1]'],
])('answers 400 when the parameters of a form are %s', async (_case, parameters) => {
	const { status, data } = await send(form({ ...message, parameters }));
	expect(status).toBe(400);
	expect(data.error).toContain('parameters');
});

test.each([
	['without phone', { templateName: 'order_update' }, 'Missing required field: phone'],
	['without template', { phone: message.phone }, 'Missing required field: templateName'],
	['for a phone number with a plus', { ...message, phone: '+919812345678' }, 'phone'],
	['for parameters that are no texts', { ...message, parameters: [1] }, 'parameters'],
	['for header parameters that are no object', { ...message, headerParameters: 'x' }, 'header'],
	['for an unknown template', { ...message, templateName: 'nope' }, 'nope'],
	['for an unapproved template', { ...message, templateName: 'pending_review' }, 'not approved'],
	['for an unknown number', { ...message, configId: '15550000000' }, 'configId'],
])('answers 400 %s', async (_case, body, error) => {
	const response = await send(body);
	expect(response.status).toBe(400);
	expect(Object.keys(response.data)).toEqual(['error']);
	expect(response.data.error).toContain(error);
	expect(await fixture.control.messages()).toEqual([]);
});

test('an approval takes effect at once', async () => {
	const unapproved = { name: 'new_one', category: 'utility', approved: false } as const;
	await fixture.control.setTemplate(unapproved);
	const body = { ...message, templateName: 'new_one' };
	expect((await send(body)).status).toBe(400);
	await fixture.control.setTemplate({ ...unapproved, approved: true });
	expect((await send(body)).status).toBe(200);
});

test('sends from the default number, or the one that configId names', async () => {
	const { chatNumbers } = await fixture.control.info();
	const other = chatNumbers.find(({ isDefault }) => !isDefault);
	for (const configId of [other?.id, other?.phoneNumber, `+${other?.phoneNumber}`]) {
		expect((await send({ ...message, configId })).status).toBe(200);
	}
});
