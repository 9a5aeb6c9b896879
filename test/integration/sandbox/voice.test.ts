import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const uuid = 'b0f7c1de-1f0c-4d3e-9c55-0a4d6f1c2b3a';
const call = { to: '+919812345678', audioName: 'Your order is on its way' };

function place(body: object) {
	return fixture.api.post('/voice/call', body);
}

function logs(query = '') {
	return fixture.api.get(`/voice/call-logs${query}`);
}

async function idsOf(query: string): Promise<string[]> {
	return (await logs(query)).data.data.map(({ id }: { id: string }) => id);
}

describe('POST /voice/call', () => {
	test('places a call and takes a minute', async () => {
		await fixture.control.setAccount({ voiceMins: 7 });
		expect(shown(await place(call))).toEqual({
			status: 200,
			data: {
				success: true,
				callId: expect.any(String),
				route: 'carrier_in1',
				from: expect.stringMatching(/^\+91\d{10}$/),
				to: '+919812345678',
				status: 'initiated',
				remainingVoiceMins: 6,
			},
		});
	});

	test.each([{ audioName: 'https://files.example/a.mp3' }, { aiAgentId: uuid }, { xmlId: uuid }])(
		'plays %j',
		async (content) => {
			expect((await place({ to: call.to, ...content })).status).toBe(200);
		},
	);

	test.each([
		['+91 98123-45678', '+919812345678'],
		['9812345678', '+919812345678'],
		['09812345678', '+919812345678'],
		['0014155550199', '+14155550199'],
		['(+1) 415 555 0199', '+14155550199'],
	])('normalizes %s', async (to, normalized) => {
		expect((await place({ ...call, to })).data.to).toBe(normalized);
	});

	test.each([
		[undefined, '+919812345678', 'carrier_in1'],
		['auto', '+14155550199', 'carrier_us1'],
		['indian', '+14155550199', 'carrier_in1'],
		['us', '+919812345678', 'carrier_us1'],
		['carrier_in2', '+919812345678', 'carrier_in2'],
		['+918040005678', '+919812345678', 'carrier_in2'],
		['14155550123', '+919812345678', 'carrier_in1'],
	])('voiceRoute %s to %s goes through %s', async (voiceRoute, to, route) => {
		expect((await place({ ...call, to, voiceRoute })).data).toMatchObject({ route });
	});

	test('calls from an own number that voiceRoute names, or from fromNumber', async () => {
		const { data } = await place({ ...call, voiceRoute: '+918040005678' });
		expect(data.from).toBe('+918040005678');
		const other = await place({ ...call, voiceRoute: '+14155550123' });
		expect(other.data).toMatchObject({ from: '+14155550123', route: 'carrier_in1' });
		const own = await place({ ...call, fromNumber: '+1 415 555 0177' });
		expect(own.data).toMatchObject({ from: '+14155550177', route: 'carrier_in1' });
	});

	test.each([
		['no number', { audioName: 'x' }, 'Missing required field: to'],
		['nine digits', { ...call, to: '+91 981234 5' }, /^Invalid to: must have at least 10 digits/],
		['nothing to play', { to: call.to }, 'One of audioName, aiAgentId or xmlId is required'],
		['an agent that is no UUID', { to: call.to, aiAgentId: 'x' }, /^Invalid aiAgentId/],
		['a template that is no UUID', { to: call.to, xmlId: 'x' }, /^Invalid xmlId/],
		['an unknown route', { ...call, voiceRoute: 'constructor' }, /constructor/],
		["someone else's number as route", { ...call, voiceRoute: '+14155559999' }, /14155559999/],
	])('answers 400 for %s', async (_case, body, error) => {
		const response = await place(body);
		expect(response.status).toBe(400);
		expect(Object.keys(response.data)).toEqual(['error']);
		expect(response.data.error).toEqual(expect.stringMatching(error));
		expect(await fixture.control.calls()).toEqual([]);
	});

	test('answers 402 without minutes, and places nothing', async () => {
		await fixture.control.setAccount({ voiceMins: 0 });
		expect(shown(await place(call))).toEqual({
			status: 402,
			data: { error: 'Insufficient voice minutes' },
		});
		expect(await fixture.control.calls()).toEqual([]);
	});

	test('answers 500 for a route without credentials, and takes no minute', async () => {
		await fixture.control.setVoiceRoutes({ carrier_us1: false });
		const before = (await fixture.control.account()).voiceMins;
		const response = await place({ ...call, to: '+14155550199' });
		expect(response.status).toBe(500);
		expect(Object.keys(response.data)).toEqual(['error']);
		expect(response.data.error).toContain('carrier_us1');
		expect((await fixture.control.account()).voiceMins).toBe(before);
		expect((await place(call)).status).toBe(200);
	});
});

describe('GET /voice/call-logs', () => {
	test('lists a call with its fields', async () => {
		const { callId } = (await place({ ...call, recipientName: 'Ann' })).data;
		expect(shown(await logs())).toEqual({
			status: 200,
			data: {
				success: true,
				data: [
					{
						id: callId,
						phone: '+919812345678',
						type: 'API Voice Call',
						duration: 0,
						cost: 1,
						status: 'Started',
						callStatus: 'initiated',
						route: 'carrier_in1',
						campaignName: 'Ann',
						transcript: expect.stringContaining('carrier_in1'),
						createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
						updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
					},
				],
				pagination: { page: 1, pageSize: 10, total: 1, totalPages: 1 },
			},
		});
	});

	test('leaves out calls of dashboard campaigns', async () => {
		await fixture.control.addCalls(2, { type: 'Dashboard Campaign' });
		const ids = await fixture.control.addCalls(1);
		expect(await idsOf('')).toEqual(ids);
		expect((await logs()).data.pagination.total).toBe(1);
	});

	test.each(['initiated', 'in-progress', 'answered', 'success', 'no-answer', 'failed'] as const)(
		'filters by the status %s',
		async (callStatus) => {
			await fixture.control.addCalls(2, {
				callStatus: callStatus === 'failed' ? 'success' : 'failed',
			});
			const ids = await fixture.control.addCalls(1, { callStatus });
			expect(await idsOf(`?status=${callStatus}`)).toEqual(ids);
			expect(await idsOf('?status=all')).toHaveLength(3);
		},
	);

	test.each([
		['indian', 'carrier_in1'],
		['IN1', 'carrier_in1'],
		['carrier_in1', 'carrier_in1'],
		['us', 'carrier_us1'],
		['US1', 'carrier_us1'],
		['carrier_us1', 'carrier_us1'],
		['IN2', 'carrier_in2'],
		['carrier_in2', 'carrier_in2'],
	])('filters by the route %s', async (filter, expected) => {
		for (const route of ['carrier_in1', 'carrier_us1', 'carrier_in2'] as const) {
			await fixture.control.addCalls(1, { route });
		}
		const { data } = (await logs(`?route=${filter}`)).data;
		expect(data.map(({ route }: { route: string }) => route)).toEqual([expected]);
	});

	test('searches digits of the number', async () => {
		await fixture.control.addCalls(1, { to: '919811111111' });
		const ids = await fixture.control.addCalls(1, { to: '919822222222' });
		expect(await idsOf('?search=9822')).toEqual(ids);
		expect(await idsOf(`?search=${encodeURIComponent('+91 98222')}`)).toEqual(ids);
		expect(await idsOf('?search=55')).toEqual([]);
	});

	test('filters by days, the last one whole', async () => {
		const days = [
			'2025-03-01T23:59:59.999Z',
			'2025-03-02T23:59:59.999Z',
			'2025-03-03T00:00:00.000Z',
		];
		const ids: string[] = [];
		for (const createdAt of days) ids.push(...(await fixture.control.addCalls(1, { createdAt })));
		expect(await idsOf('?from=2025-03-02')).toEqual([ids[2], ids[1]]);
		expect(await idsOf('?to=2025-03-02')).toEqual([ids[1], ids[0]]);
		expect(await idsOf('?from=2025-03-02&to=2025-03-02')).toEqual([ids[1]]);
		expect(await idsOf('?from=2025-03-04')).toEqual([]);
	});

	test('pages through all calls, newest first', async () => {
		const ids = await fixture.control.addCalls(25);
		const pages = [await idsOf('?page=1'), await idsOf('?page=2'), await idsOf('?page=3')];
		expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
		expect(pages.flat()).toEqual(ids.reverse());
		expect((await logs('?page=4')).data).toMatchObject({
			data: [],
			pagination: { page: 4, pageSize: 10, total: 25, totalPages: 3 },
		});
	});

	test.each([
		'status=Success',
		'route=mars',
		'route=constructor',
		'from=today',
		'to=2025-13-01',
		'page=0',
		'pageSize=x',
	])('answers 400 for %s', async (query) => {
		const { status, data } = await logs(`?${query}`);
		expect(status).toBe(400);
		expect(Object.keys(data)).toEqual(['error']);
	});
});
