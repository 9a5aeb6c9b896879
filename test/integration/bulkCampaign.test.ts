import fc from 'fast-check';
import { filter, groupBy, map, omit, partition, pick, range, sumBy, uniq, uniqBy } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const plain: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
};
const campaign: INodeParameters = {
	...plain,
	paramsFields: 'name, order.id',
	additionalFields: { nameField: 'name' },
};
const fromJson: INodeParameters = {
	...plain,
	recipientsSource: 'json',
	recipientsJson: '={{ $json.list }}',
};
const path = '/chat/bulk-send';

const phoneOf = (index: number) => String(999_000_000_000 + index);

const json = (...items: IDataObject[]): INodeExecutionData[] =>
	items.map((item) => ({ json: item }));

const rows = (count: number) =>
	range(count).map((index) => ({
		json: { phone: Number(phoneOf(index)), name: `N${index}`, order: { id: index } },
	}));

const recipientsOf = (body: unknown) => (body as { recipients: IDataObject[] }).recipients;
const sentChunks = async () => (await sandbox.requests(path)).map(({ body }) => recipientsOf(body));

/** What went out: sending number and phone numbers of each request. */
const sent = async () =>
	(await sandbox.requests(path)).map(({ body }) => [
		(body as IDataObject).configId,
		map(recipientsOf(body), 'phone'),
	]);

test('a request has 10,000 recipients at most, and nothing of columns that were not entered', async () => {
	const items = json(...range(10_001).map((index) => ({ phone: phoneOf(index), '': 'x' })));
	await sandbox.run(plain, { items });
	const chunks = await sentChunks();
	expect(map(chunks, 'length')).toEqual([10_000, 1]);
	expect(chunks[1]).toEqual([{ phone: phoneOf(10_000) }]);
});

test('of invalid recipients the first 20 are listed, and nothing is sent', async () => {
	const bad = { phone: '0170', name: 'X', order: { id: 1 } };
	const mixed = [...rows(2), ...json(...Array<IDataObject>(25).fill(bad))];
	const error = await sandbox.failure(campaign, { items: mixed });
	expect(error.message).toBe('Invalid recipients: 25 of 27');
	const [advice, ...lines] = String(error.description).split('<br />');
	expect(advice).toContain('Invalid Recipients');
	expect(lines[0]).toContain('item 3 (sheet row 4): the phone number "0170" starts with a zero');
	expect(lines[19]).toContain('item 22 ');
	expect(lines[20]).toBe('and 5 more. This node sent nothing.');
	expect(await sandbox.requests()).toEqual([]);
});

test('rows to excluded recipients are left out and reported, whatever else is wrong with them', async () => {
	const mixed = [...rows(4), { json: { phone: phoneOf(9) } }, { json: { phone: '14155550100' } }];
	const options = {
		allowedRecipients: rows(4).map(({ json: { phone } }) => phone),
		excludedRecipients: [`+${phoneOf(1)}`, phoneOf(9)],
		invalidRecipients: 'skip',
		checkBalance: 'utility',
	};
	await sandbox.control.setAccount({ chatBalance: 3 });
	const output = await sandbox.json({ ...campaign, options } as INodeParameters, { items: mixed });
	expect(output).toMatchObject([
		{
			total: 3,
			excludedCount: 2,
			excluded: [
				{ row: 2, value: phoneOf(1) },
				{ row: 5, value: phoneOf(9) },
			],
			skipped: [{ row: 6, reason: 'Allowed Recipients does not include 14155550100' }],
		},
	]);
	expect(await sent()).toEqual([[undefined, [phoneOf(0), phoneOf(2), phoneOf(3)]]]);
	const stopping = { ...campaign, options: { ...options, invalidRecipients: 'stop' } };
	const { message } = await sandbox.failure(stopping as INodeParameters, { items: mixed });
	expect(message).toContain(': Allowed Recipients does not include 14155550100');
});

test('a retry gives the time of what went out before again', async () => {
	const templateName = '={{ $json.order.id ? "seasonal_offer" : "order_update" }}';
	const parameters = { ...campaign, templateName };
	const rest = { items: rows(2), runExecutionData: createRunExecutionData() };
	await sandbox.answers(path, 402, { error: 'Insufficient balance' }, { skip: 1 });
	const { description } = await sandbox.failure(parameters, rest);
	expect(description).toMatch(/Already sent: campaign [0-9a-f-]+ \(recipient 1\)/);
	const between = Date.now();
	const times = (await sandbox.json(parameters, rest)).map(({ createdAt }) =>
		Date.parse(String(createdAt)),
	);
	expect(times.map((time) => time < between)).toEqual([true, false]);
});

test('the sending number makes a campaign, too, however it is written', async () => {
	const [first, second] = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
	const configId = { __rl: true, mode: 'id', value: '={{ $json.from }}' };
	const items = json(
		{ phone: phoneOf(0), from: `+${String(first?.phoneNumber)}` },
		{ phone: phoneOf(1), from: second?.id },
		{ phone: phoneOf(2), from: first?.phoneNumber },
	);
	await sandbox.run({ ...plain, additionalFields: { configId } }, { items });
	expect(await sent()).toEqual([
		[first?.phoneNumber, [phoneOf(0), phoneOf(2)]],
		[second?.id, [phoneOf(1)]],
	]);
});

/** Few numbers, so that some come twice; two of them cannot be sent to, and neither can a blank value. */
const row = fc.record({
	template: fc.constantFrom('order_update en', 'seasonal_offer en', 'seasonal_offer de'),
	phone: fc.constantFrom(...range(5).map(phoneOf), '+44 7700-900000', '0170', '9.1e11'),
	value: fc.constantFrom('A', 7, 'B', true, ' ', '', null),
});
const drawn = fc.record({
	rows: fc.array(row, { minLength: 1, maxLength: 25 }),
	isJson: fc.boolean(),
	removeDuplicates: fc.boolean(),
	allowBlankParameters: fc.boolean(),
	failing: fc.integer({ min: 0, max: 3 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** What is to be sent of the rows, and which of them cannot, by template and language. */
function wanted({ rows, removeDuplicates, allowBlankParameters }: Drawn) {
	const all = rows.map(({ template, phone, value }, index) => ({
		template,
		index,
		isGood: !/^0|e/.test(phone) && (allowBlankParameters || String(value ?? '').trim() !== ''),
		sent: { phone: phone.replace(/\D/g, ''), params: [String(value ?? '')], name: `N${index}` },
	}));
	return map(groupBy(all, 'template'), (own, template) => {
		const [valid, bad] = partition(own, 'isGood');
		const good = removeDuplicates ? uniqBy(valid, 'sent.phone') : valid;
		return { template, good, bad: bad.map(({ index }) => index + 1) };
	});
}

const templateOf = (one: unknown) => Object.values(pick(one, 'templateName', 'language')).join(' ');

test('each good row is sent once and in order, every other one reported, and a retry sends the rest', async () => {
	await fc.assert(
		fc.asyncProperty(drawn, async (one) => {
			const { rows, isJson, failing, ...flags } = one;
			await sandbox.control.reset();
			const campaigns = wanted(one);
			const items = rows.map(({ template, phone, value }, index) => {
				const [templateName, language] = template.split(' ');
				const own = { phone, name: `N${index}` };
				const list = [{ ...own, params: [value], headerValue: '', headerMediaId: null }];
				return { json: { ...own, templateName, language, value, list } };
			});
			const before = structuredClone(items);
			const parameters = (invalidRecipients: string): INodeParameters => ({
				...(isJson ? fromJson : { ...plain, paramsFields: 'value' }),
				templateName: '={{ $json.templateName }}',
				additionalFields: { language: '={{ $json.language }}', nameField: 'name' },
				options: { invalidRecipients, ...flags },
			});
			const bad = campaigns.flatMap((campaign) => campaign.bad);
			if (bad.length > 0) {
				const message = await sandbox.refusal(parameters('stop'), { items });
				expect(message).toContain(`Invalid recipients: ${bad.length} of ${rows.length}`);
			}

			// The request of one campaign is rejected, and all that follow are not made.
			const rest = { items, runExecutionData: createRunExecutionData() };
			if (failing < filter(campaigns, 'good.length').length) {
				await sandbox.answers(path, 402, { error: 'Short' }, { skip: failing });
				await sandbox.failure(parameters('skip'), rest);
			}
			const output = await sandbox.run(parameters('skip'), rest);
			expect(items).toEqual(before);
			const arrived = map(filter(await sandbox.requests(path), { status: 200 }), 'body');
			const full = campaigns.filter(({ good }) => good.length > 0);
			expect(uniq(arrived.map(templateOf))).toEqual(map(full, 'template'));
			for (const { template, good, bad: wrong } of full) {
				const isOfIt = (body: unknown) => campaigns.length === 1 || templateOf(body) === template;
				expect(arrived.filter(isOfIt).flatMap(recipientsOf)).toEqual(map(good, 'sent'));
				const own = output.filter((item) => isOfIt(item.json));
				const pairs = good.map(({ index }) => ({ item: index }));
				expect(own.flatMap(({ pairedItem }) => pairedItem)).toEqual(pairs);
				const placed = own.flatMap(({ json: { recipients } }) => {
					const { from = 0, to = -1 } = (recipients ?? {}) as { from?: number; to?: number };
					return range(from, to + 1);
				});
				expect(placed).toEqual(range(1, good.length + 1));
				const skipped = own.flatMap(({ json }) => (json.skipped ?? []) as IDataObject[]);
				expect(map(skipped, isJson ? 'item' : 'row')).toEqual(wrong);
			}
			expect(sumBy(output, 'json.skippedCount')).toBe(bad.length);
			// Where no row is good there is an item, too.
			const empty = filter(output, { json: { total: 0 } });
			expect(empty).toHaveLength(campaigns.length - full.length);
		}),
		{ numRuns: 40 },
	);
});

describe('rows as output', () => {
	const output = 'rows';

	test('are those that were sent, with their own fields and their request, and a retry gives the same', async () => {
		await fc.assert(
			fc.asyncProperty(drawn, async (one) => {
				const { rows, isJson, failing, ...flags } = one;
				await sandbox.control.reset();
				const items = rows.map(({ template, phone, value }, index) => {
					const [templateName, language] = template.split(' ');
					const own = { phone, name: `N${index}` };
					return {
						json: { ...own, templateName, language, value, list: [{ ...own, params: [value] }] },
					};
				});
				const parameters: INodeParameters = {
					...(isJson ? fromJson : { ...plain, paramsFields: 'value' }),
					templateName: '={{ $json.templateName }}',
					additionalFields: { language: '={{ $json.language }}', nameField: 'name' },
					options: { invalidRecipients: 'skip', ...flags },
					output,
				};
				const rest = { items, runExecutionData: createRunExecutionData() };
				const chunks = map(wanted(one), 'good').filter(({ length }) => length > 0);
				const isFailing = failing < chunks.length;
				if (isFailing) await sandbox.answers(path, 402, { error: 'Short' }, { skip: failing });
				const node = { onError: 'continueRegularOutput' as const };
				const continued = await sandbox.run(parameters, { ...rest, node });
				const [failed, first] = partition(continued, 'json.error');
				// A failed request is one item, paired to its rows.
				expect(map(failed, 'pairedItem')).toEqual(
					(isFailing ? [chunks[failing] ?? []] : []).map((own) =>
						own.length === 1 ? { item: own[0]?.index } : own.map(({ index }) => ({ item: index })),
					),
				);
				const sentChunks = chunks.filter((_, index) => index !== failing);
				expect(
					first.map(({ json: row, pairedItem }) => [omit(row, 'sentWith'), pairedItem]),
				).toEqual(
					sentChunks.flat().map(({ index }) => {
						const { list, ...own } = items[index]?.json ?? { list: [] };
						return [isJson ? list[0] : { ...own, list }, { item: index }];
					}),
				);
				// The rows of a request have its ID.
				const campaignIds = map(first, 'json.sentWith.campaignId') as unknown[];
				expect(uniq(campaignIds)).toHaveLength(sentChunks.length);
				for (const { json } of first)
					expect(json.sentWith).toEqual({
						campaignId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
						createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
					});
			}),
			{ numRuns: 25 },
		);
	});

	test('come again from a retry, and lead Get Outcome to their messages', async () => {
		const templateName = '={{ $json.name === "N0" ? "order_update" : "seasonal_offer" }}';
		const parameters = { ...campaign, templateName, output };
		const rest = { items: rows(2), runExecutionData: createRunExecutionData() };
		await sandbox.answers(path, 402, { error: 'Insufficient balance' }, { skip: 1 });
		await sandbox.failure(parameters, rest);
		const output2 = await sandbox.run(parameters, rest);
		expect(map(output2, 'json.phone')).toEqual(map(rows(2), 'json.phone'));
		const [first, second] = map(output2, 'json.sentWith.createdAt') as string[];
		expect(Date.parse(first ?? '')).toBeLessThan(Date.parse(second ?? ''));
		const getOutcome = { resource: 'bulkCampaign', operation: 'getOutcome' };
		const outcomes = await sandbox.json(getOutcome, { items: output2 });
		expect(map(outcomes, 'delivery.status')).toEqual(['Sent', 'Sent']);
	});

	test('are not those that were left out: a hint names them', async () => {
		const list = [...rows(3), ...rows(1), ...json({ phone: '0170', name: 'X', order: { id: 1 } })];
		const options = {
			...{ excludedRecipients: phoneOf(1), invalidRecipients: 'skip', removeDuplicates: true },
		};
		const credential = sandbox.credential();
		const parameters = { ...campaign, output, options };
		const context = executeContext({ credential, parameters, items: list });
		const [items = []] = await new MessagingService().execute.call(context);
		expect(map(items, 'json.name')).toEqual(['N0', 'N2']);
		expect(map(context.hints, 'message')).toEqual([
			'Skipped: 1 of 5 recipients. item 5 (sheet row 6): the phone number "0170" starts with a zero: start with the country code, without 0 or 00.',
			`Excluded: 1 of 5 recipients, who have opted out. item 2 (sheet row 3), "${phoneOf(1)}".`,
			'Skipped duplicates: 1 of 5.',
		]);
		const none = await sandbox.run(parameters, { items: list.slice(4) });
		expect(none).toEqual([]);
	});

	test('of one list for all items are paired to all of them, and a simulation is one item', async () => {
		const recipientsJson = JSON.stringify([{ phone: phoneOf(0) }, { phone: phoneOf(1) }]);
		const parameters = { ...fromJson, recipientsJson, output };
		const items = json({}, {});
		const all = [{ item: 0 }, { item: 1 }];
		expect(map(await sandbox.run(parameters, { items }), 'pairedItem')).toEqual([all, all]);
		const simulated = { ...parameters, options: { simulate: 'always' } };
		expect(await sandbox.json(simulated, { items })).toMatchObject([{ simulated: true, total: 2 }]);
	});
});

describe('JSON recipients', () => {
	test('that are the same for all input items are sent once', async () => {
		const recipientsJson = JSON.stringify([{ phone: phoneOf(0) }, { phone: phoneOf(1) }]);
		const output = await sandbox.run({ ...fromJson, recipientsJson }, { items: json({}, {}) });
		expect(await sent()).toEqual([[undefined, [phoneOf(0), phoneOf(1)]]]);
		expect(map(output, 'pairedItem')).toEqual([[{ item: 0 }, { item: 1 }]]);
	});

	test.each<[IDataObject, string]>([
		[
			{ parameters: 'x' },
			'it has the unknown key "parameters", which is not one of phone, params, headerValue, headerMediaId, name',
		],
		[{ params: 'A' }, 'params is not an array'],
		[
			{ params: [{}] },
			'the value of parameter {{1}} is an object: use one of its fields, e.g. "name"',
		],
		[{ name: [] }, 'name is a list: use one of its entries, or join them with .join(", ")'],
		[{ headerValue: NaN }, 'headerValue is NaN, which is not a number'],
	])('%j is rejected by name', async (wrong, reason) => {
		const params = Array.isArray(wrong.params) ? ['A'] : [];
		const list = [
			{ phone: phoneOf(1), params },
			{ phone: phoneOf(2), ...wrong },
		];
		expect(await sandbox.refusal(fromJson, { items: json({ list }) })).toBe(
			`Invalid recipients: 1 of 2. Row 2, "${phoneOf(2)}": ${reason}`,
		);
	});

	test('rows are sent with as many values as they have; invalid and repeated ones are reported', async () => {
		const list: IDataObject[] = [1, 2, 2, 2].map((length, index) => ({
			phone: phoneOf(Math.min(index, 2)),
			params: Array(length).fill('x'),
		}));
		list.push({ phone: '1' });
		const parameters = { ...fromJson, options: { invalidRecipients: 'skip' } };
		const credential = sandbox.credential();
		const context = executeContext({ credential, parameters, items: json({ list }) });
		const [output = []] = await new MessagingService().execute.call(context);
		expect(await sent()).toEqual([[undefined, [0, 1, 2, 2].map(phoneOf)]]);
		expect(map(context.hints, 'message')).toEqual([
			expect.stringMatching(/^Skipped: 1 of 5 recipients/),
			expect.stringMatching(/^Repeated phone numbers: 1 of 5\./),
		]);
		expect(output[0]?.json.skipped).toMatchObject([{ row: 5, value: '1' }]);
	});
});

describe('headers', () => {
	const items = json({ phone: phoneOf(0) }, { phone: phoneOf(1) });
	const withFile = (content: string, index: number) => {
		const data = { data: btoa(`%PDF${content}`), mimeType: 'application/pdf', fileName: 'a.pdf' };
		return { json: { phone: phoneOf(index) }, binary: { data } };
	};
	const file = {
		...plain,
		campaignHeader: 'binary',
		templateName: '={{ $binary.data ? "order_update" : "seasonal_offer" }}',
	};
	const value = { campaignHeader: 'value', headerValue: 'Hi' };
	const headers = async () =>
		(await sentChunks())
			.flat()
			.map(({ headerValue, headerMediaId }) => [headerValue, headerMediaId]);

	test.each([
		[value, ['Hi', undefined]],
		[{ campaignHeader: 'mediaId', headerMediaId: 'm1' }, [undefined, 'm1']],
	])('one for all recipients: %j', async (header, sentHeader) => {
		await sandbox.run({ ...plain, ...header }, { items });
		expect(await headers()).toEqual([sentHeader, sentHeader]);
	});

	test('a file is uploaded once, and goes to all recipients of all campaigns', async () => {
		await sandbox.run(file, { items: [...items.slice(1), withFile('A', 0)] });
		expect(map(await sandbox.requests(), 'path')).toEqual(['/chat/upload', path, path]);
		const [first, second] = await headers();
		expect(first).toEqual([undefined, expect.any(String)]);
		expect(second).toEqual(first);
	});

	test.each<[string, INodeParameters, INodeExecutionData[], string]>([
		[
			'an own header of a JSON recipient beside that of all',
			{ ...fromJson, ...value },
			json({ list: [{ phone: phoneOf(0), headerValue: 'Own' }] }),
			"it has a headerValue, but the field 'Header' sets it for all recipients",
		],
		['different files', file, ['A', 'B'].map(withFile), 'The input items contain different files'],
		['no file', file, items, 'no binary field "data"'],
	])('%s: nothing is sent', async (_what, parameters, given, message) => {
		expect(await sandbox.refusal(parameters, { items: given })).toContain(message);
	});
});

test('nothing is sent without recipients', async () => {
	const refusal = await sandbox.refusal(fromJson, { items: json({ list: [] }) });
	expect(refusal).toContain('There are no recipients');
});
