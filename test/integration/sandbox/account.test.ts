import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();

describe('GET /balance', () => {
	test('gives the account in `user`', async () => {
		expect(shown(await fixture.api.get('/balance'))).toEqual({
			status: 200,
			data: {
				success: true,
				user: {
					name: expect.any(String),
					email: expect.stringContaining('@'),
					role: expect.stringMatching(/^(user|admin|client)$/),
					balance: expect.any(Number),
					chatBalance: expect.any(Number),
					emailBalance: expect.any(Number),
					voiceMins: expect.any(Number),
					createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
				},
			},
		});
	});

	test('gives the balances flat when switched', async () => {
		await fixture.control.setAssumptions({ balance: 'flat' });
		await fixture.control.setAccount({
			voiceMins: 1,
			chatBalance: 2,
			emailBalance: 3,
			leadBalance: 4,
		});
		const data = { success: true, voiceMins: 1, chatBalance: 2, emailBalance: 3, leadBalance: 4 };
		expect((await fixture.api.get('/balance')).data).toEqual(data);
	});

	test('is read live', async () => {
		await fixture.control.setAccount({ chatBalance: 10 });
		await fixture.api.post('/chat/send', { phone: '919812345678', message: 'Hello' });
		expect((await fixture.api.get('/balance')).data.user.chatBalance).toBe(9);
	});
});

describe('GET /chat/configs', () => {
	test('gives the connected numbers, one of them the default', async () => {
		const { status, data } = await fixture.api.get('/chat/configs');
		expect(status).toBe(200);
		expect(Object.keys(data)).toEqual(['configs']);
		for (const config of data.configs) {
			expect(config).toEqual({
				id: expect.stringMatching(/^[0-9a-f-]{36}$/),
				phoneNumber: expect.stringMatching(/^\d+$/),
				phoneNumberId: expect.stringMatching(/^\d+$/),
				wabaId: expect.stringMatching(/^\d+$/),
				qualityRating: 'GREEN',
				isDefault: expect.any(Boolean),
				createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
			});
		}
		const defaults = data.configs.filter(({ isDefault }: { isDefault: boolean }) => isDefault);
		expect(defaults).toHaveLength(1);
	});

	test('shows a number that is connected later', async () => {
		const { id } = await fixture.control.addChatNumber('447700900123');
		const { data } = await fixture.api.get('/chat/configs');
		expect(data.configs.at(-1)).toMatchObject({
			id,
			phoneNumber: '447700900123',
			isDefault: false,
		});
	});
});
