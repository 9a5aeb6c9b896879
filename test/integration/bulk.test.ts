import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const campaign: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
	paramsFields: 'name, order.id',
	nameField: 'name',
};
const path = '/chat/bulk-send';
const first = 919_800_000_000;

const rows = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		json: { phone: first + index, name: `N${index}`, order: { id: index } },
	}));

const recipientsOf = (body: unknown) => (body as { recipients: IDataObject[] }).recipients;
const sentChunks = async () => (await sandbox.requests(path)).map(({ body }) => recipientsOf(body));

describe('recipients', () => {
	test('from input items, by name and by path', async () => {
		const [item] = await sandbox.run(campaign, { items: rows(2) });
		expect((await sandbox.requests(path))[0]?.body).toEqual({
			templateName: 'order_update',
			language: 'en',
			recipients: [
				{ phone: String(first), params: ['N0', '0'], name: 'N0' },
				{ phone: String(first + 1), params: ['N1', '1'], name: 'N1' },
			],
		});
		expect(item?.json).toMatchObject({
			campaignId: expect.any(String) as string,
			total: 2,
			status: 'processing',
			recipients: { from: 1, to: 2 },
		});
		expect(item?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	});

	describe('a field that no row has', () => {
		const refused = async (own: INodeParameters, fields: string) => {
			const error = await sandbox.failure({ ...campaign, ...own }, { items: rows(3) });
			expect(error.message).toBe(`No field ${fields}; the rows have phone, name, order`);
			expect(await sandbox.requests()).toEqual([]);
			return error.description;
		};

		test('is named once, with those that there are', async () => {
			expect(await refused({ paramsFields: 'name, tiem' }, 'tiem')).toBe(
				'Correct Parameter Fields: capitals and spaces count. A field that is empty in some rows still has to be there. Nothing was sent.',
			);
		});

		test.each([
			['phoneField', 'tel', 'tel'],
			['nameField', 'Name', 'Name'],
			['headerValueField', 'image', 'image'],
			['headerMediaIdField', 'order.media', 'order.media'],
			['paramsFields', 'order.name', 'order.name'],
		])('is none of %s', async (parameter, value, named) => {
			await refused({ [parameter]: value }, named);
		});

		test('is named beside others', async () => {
			const own = { phoneField: 'tel', nameField: 'nam', paramsFields: 'nam' };
			expect(await refused(own, 'tel and no field nam')).toContain(
				'Correct Phone Number Field and Parameter Fields and Name Field:',
			);
		});

		test('is not skipped with its rows either', async () => {
			const options = { invalidRecipients: 'skip' };
			await refused({ paramsFields: 'tiem', options }, 'tiem');
		});

		test('may be missing where values may be', async () => {
			const options = { allowBlankParameters: true };
			await sandbox.run({ ...campaign, paramsFields: 'tiem', options }, { items: rows(1) });
			expect((await sentChunks())[0]?.[0]).toMatchObject({ params: [''] });
		});
	});

	test('from JSON, with headers', async () => {
		const recipients = [
			{ phone: '+91 98000-00000', headerValue: 'https://host.example/a.png' },
			{ phone: '919800000001', headerMediaId: 'm1' },
		];
		const parameters = {
			...campaign,
			recipientsSource: 'json',
			recipientsJson: JSON.stringify(recipients),
		};
		await sandbox.run(parameters);
		expect(await sentChunks()).toEqual([
			[
				{ phone: '919800000000', headerValue: 'https://host.example/a.png' },
				{ phone: '919800000001', headerMediaId: 'm1' },
			],
		]);
	});

	test('a list in the input data stays as it was', async () => {
		const json = { list: [{ phone: '+91 98000 00000', params: [7, 'noon'] }] };
		const before = structuredClone(json);
		const parameters = {
			...campaign,
			recipientsSource: 'json',
			recipientsJson: '={{ $json.list }}',
		};
		await sandbox.run(parameters, { items: [{ json }] });
		expect(await sentChunks()).toEqual([[{ phone: '919800000000', params: ['7', 'noon'] }]]);
		expect(json).toEqual(before);
	});

	test.each([
		[10_000, [10_000]],
		[10_001, [10_000, 1]],
		[25_000, [10_000, 10_000, 5_000]],
	])('%i recipients become chunks of %j', async (count, sizes) => {
		const items = await sandbox.run(campaign, { items: rows(count) });
		expect((await sentChunks()).map(({ length }) => length)).toEqual(sizes);
		expect(items.map(({ json }) => json.total)).toEqual(sizes);
		expect(items.map(({ pairedItem }) => [pairedItem].flat().length)).toEqual(sizes);
		expect(items.at(-1)?.json.recipients).toEqual({
			from: count - (sizes.at(-1) ?? 0) + 1,
			to: count,
		});
		expect((await sandbox.control.stats()).peakConcurrentRequests).toBe(1);
	});

	test('none is a clear message', async () => {
		const parameters = { ...campaign, recipientsSource: 'json', recipientsJson: '[]' };
		expect((await sandbox.failure(parameters)).message).toContain('There are no recipients');
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('invalid recipients', () => {
	const mixed = [
		...rows(2),
		...Array.from({ length: 25 }, () => ({ json: { phone: '0170', name: 'X', order: { id: 1 } } })),
	];

	test('stop lists the first 20 and sends nothing', async () => {
		const error = await sandbox.failure(campaign, { items: mixed });
		expect(error.message).toBe('25 of 27 recipients cannot be sent to');
		const [advice, ...lines] = String(error.description).split('<br />');
		expect(advice).toContain('Invalid Recipients');
		expect(lines[0]).toContain(
			'item 3 (row 4 of a sheet with a heading), "0170": the phone number "0170" starts with a zero',
		);
		expect(lines[19]).toContain('item 22 ');
		expect(lines[20]).toBe('and 5 more. Nothing was sent.');
		expect(await sandbox.requests()).toEqual([]);
	});

	test('skip sends the rest and lists every skipped row', async () => {
		const parameters = { ...campaign, options: { invalidRecipients: 'skip' } };
		const items = await sandbox.run(parameters, { items: mixed });
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ total: 2, skippedCount: 25 });
		expect((items[0]?.json.skipped as IDataObject[])[0]).toMatchObject({ row: 3, value: '0170' });
	});

	test('skip gives an item where no row is good, too', async () => {
		const parameters = { ...campaign, options: { invalidRecipients: 'skip' } };
		const items = await sandbox.json(parameters, { items: mixed.slice(2) });
		expect(items).toEqual([expect.objectContaining({ total: 0, skippedCount: 25 })]);
		expect(await sandbox.requests()).toEqual([]);
	});

	test('duplicates are removed and counted', async () => {
		const parameters = { ...campaign, options: { removeDuplicates: true } };
		const [json] = await sandbox.json(parameters, { items: [...rows(3), ...rows(2)] });
		expect(json).toMatchObject({ total: 3, duplicatesRemoved: 2 });
	});
});

describe('balance', () => {
	test.each([
		['marketing', 30],
		['utility', 10],
	])('for %s templates 10 recipients need %i credits', async (checkBalance, needed) => {
		const parameters = { ...campaign, options: { checkBalance } };
		await sandbox.control.setAccount({ chatBalance: needed - 1 });
		const error = await sandbox.failure(parameters, { items: rows(10) });
		expect(error.message).toBe(
			`What is to be sent needs ${needed} chat credits, but the account has ${needed - 1}`,
		);
		expect(await sandbox.requests(path)).toEqual([]);
		await sandbox.control.setAccount({ chatBalance: needed });
		expect(await sandbox.run(parameters, { items: rows(10) })).toHaveLength(1);
	});
});

describe('a chunk that fails', () => {
	const parameters = { ...campaign, options: { chunkSize: 10 } };

	test('reports the campaigns before it, and a retry does not create them again', async () => {
		const runExecutionData = createRunExecutionData();
		const items = rows(30);
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 500,
			body: { error: 'Oops' },
			skip: 1,
		});
		const error = await sandbox.failure(parameters, { items, runExecutionData });
		expect(error.message).toBe('Oops');
		expect(error.description).toMatch(
			/Before this, campaign [0-9a-f-]+ \(recipients 1 to 10\) went out/,
		);

		const campaigns = await sandbox.json(parameters, { items, runExecutionData });
		expect(campaigns.map(({ recipients }) => recipients)).toEqual([
			{ from: 1, to: 10 },
			{ from: 11, to: 20 },
			{ from: 21, to: 30 },
		]);
		const accepted = (await sandbox.requests(path)).filter(({ processed }) => processed);
		expect(accepted.map(({ body }) => recipientsOf(body)[0]?.phone)).toEqual(
			[0, 10, 20].map((index) => String(first + index)),
		);
	});

	test('a cut connection is unknown for that chunk alone', async () => {
		await sandbox.control.addFault({ kind: 'cut', path, when: 'after', skip: 1 });
		const output = await sandbox.json(parameters, {
			items: rows(30),
			node: { onError: 'continueRegularOutput' },
		});
		expect(output.map(({ total }) => total)).toEqual([10, undefined, 10]);
		expect(output[1]?.details).toMatchObject({
			outcome: 'unknown',
			recipients: { from: 11, to: 20 },
		});
	});
});

describe('getOutcome', () => {
	const getOutcome = {
		resource: 'bulkCampaign',
		operation: 'getOutcome',
		phoneField: 'phone',
		sentAfter: '={{ $json.createdAt }}',
	};
	const phones = Array.from({ length: 250 }, (_, index) => String(919_876_540_000 + index));

	/** Rows of a campaign that was sent. */
	async function sent(): Promise<INodeExecutionData[]> {
		const [made] = await sandbox.json(
			{ resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' },
			{ items: phones.map((phone) => ({ json: { phone } })) },
		);
		const { createdAt } = made ?? {};
		expect(Math.abs(Date.parse(String(createdAt)) - Date.now())).toBeLessThan(60_000);
		return phones.map((phone) => ({ json: { phone: `+${phone}`, createdAt, name: `N${phone}` } }));
	}

	test('gives each row its record, and reads the list once', async () => {
		await sandbox.control.addMessages(150);
		const items = await sent();
		await sandbox.control.clearJournal();
		const output = await sandbox.run(getOutcome, {
			items: [...items, { json: { ...items[0]?.json, phone: 'none' } }],
		});
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: 251 }, (_, item) => ({ item })),
		);
		for (const [index, { json }] of output.slice(0, 250).entries()) {
			expect(json).toMatchObject(items[index]?.json ?? {});
			expect(json.delivery).toMatchObject({ status: 'Sent', record: { to: phones[index] } });
		}
		expect(output[250]?.json.delivery).toEqual({ status: 'notListed', record: null });
		const pages = await sandbox.requests('/chat/campaigns');
		expect(new Set(pages.map(({ query }) => JSON.stringify(query))).size).toBe(pages.length);
		expect(pages.length).toBeLessThanOrEqual(5);
	});

	test('a list that cannot be read fails before any row comes out', async () => {
		const items = await sent();
		await sandbox.control.addFault({
			kind: 'status',
			path: '/chat/campaigns',
			status: 500,
			body: { error: 'Out of order' },
			count: 'infinite',
		});
		expect((await sandbox.failure(getOutcome, { items })).message).toBe('Out of order');
		const failed = await sandbox.json(getOutcome, {
			items,
			node: { onError: 'continueRegularOutput' },
		});
		expect(failed.map(({ error }) => error)).toEqual(phones.map(() => 'Out of order'));
	});

	test.each<[INodeParameters, RegExp]>([
		[{ phoneField: 'telephone' }, /^No field telephone; the rows have phone/],
		[{ sentAfter: '' }, /^Sent After is empty/],
		[{ sentAfter: 'soon' }, /^Sent After is not a date/],
		[{ sentAfter: '={{ $json.other }}' }, /^Sent After has an expression that gives nothing/],
	])('refuses %j before it asks', async (parameters, message) => {
		const items = [{ json: { phone: '919876543210' } }];
		const { message: told } = await sandbox.failure({ ...getOutcome, ...parameters }, { items });
		expect(told).toMatch(message);
		expect(await sandbox.requests()).toEqual([]);
	});

	test('a retry gives the time of what went out before again', async () => {
		const parameters = { ...campaign, options: { chunkSize: 1 } };
		const rest = { items: rows(2), runExecutionData: createRunExecutionData() };
		await sandbox.control.addFault({
			kind: 'status',
			path,
			status: 402,
			body: { error: 'Insufficient balance' },
			skip: 1,
		});
		await sandbox.failure(parameters, rest);
		const between = Date.now();
		const times = (await sandbox.json(parameters, rest)).map(({ createdAt }) =>
			Date.parse(String(createdAt)),
		);
		expect(times.map((time) => time < between)).toEqual([true, false]);
	});
});
