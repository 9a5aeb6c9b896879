import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();

function list(query = '') {
	return fixture.api.get(`/chat/campaigns${query}`);
}

test('lists records and counts', async () => {
	const [id] = await fixture.control.addMessages(1, { to: '919812345678', content: 'Hello' });
	const { data, status } = await list();
	expect({ status, data }).toEqual({
		status: 200,
		data: {
			total: 1,
			limit: 20,
			offset: 0,
			stats: { Sent: 1, Delivered: 0, Read: 0, Failed: 0 },
			messages: [
				{
					id,
					to: '919812345678',
					status: 'Sent',
					providerMessageId: expect.any(String),
					content: 'Hello',
					type: 'template',
					sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
					updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
				},
			],
		},
	});
});

test.each(['Sent', 'Delivered', 'Read', 'Failed'] as const)('filters by %s', async (status) => {
	await fixture.control.addMessages(2, { status });
	await fixture.control.addMessages(3, { status: status === 'Sent' ? 'Read' : 'Sent' });
	const { data } = await list(`?status=${status}`);
	expect(data.total).toBe(2);
	expect(data.stats[status]).toBe(2);
	expect(data.messages.map((one: { status: string }) => one.status)).toEqual([status, status]);
});

test('pages through all records, newest first', async () => {
	const ids = await fixture.control.addMessages(250);
	const seen: string[] = [];
	for (const offset of [0, 100, 200, 300]) {
		const { data } = await list(`?limit=100&offset=${offset}`);
		expect(data).toMatchObject({ total: 250, limit: 100, offset });
		seen.push(...data.messages.map(({ id }: { id: string }) => id));
	}
	expect(seen).toEqual(ids.reverse());
});

test('gives 20 without a limit', async () => {
	await fixture.control.addMessages(21);
	expect((await list()).data.messages).toHaveLength(20);
});

test('knows no campaignId parameter', async () => {
	await fixture.control.addMessages(2);
	expect((await list('?campaignId=x')).data.total).toBe(2);
});

test.each([
	'status=sent',
	'status=',
	'limit=0',
	'limit=x',
	'limit=1.5',
	'offset=-1',
	'limit=1&limit=2',
])('answers 400 for %s', async (query) => {
	const { status, data } = await list(`?${query}`);
	expect(status).toBe(400);
	expect(Object.keys(data)).toEqual(['error']);
});
