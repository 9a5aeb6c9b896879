import fc from 'fast-check';
import { type IDataObject, type INodeExecutionData, type INodeParameters } from 'n8n-workflow';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const path = '/chat/bulk-send';
const campaign: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
};
const phoneOf = (index: number) => String(919_800_000_000 + index);

const json = (...items: IDataObject[]): INodeExecutionData[] =>
	items.map((item) => ({ json: item }));

const recipientsOf = (body: unknown) => (body as { recipients: IDataObject[] }).recipients;

/** What went out: template, language, sending number and phone numbers of each request. */
const sent = async () =>
	(await sandbox.requests(path)).map(({ body }) => {
		const { templateName, language, configId } = body as IDataObject;
		return [templateName, language, configId, recipientsOf(body).map(({ phone }) => phone)];
	});

beforeEach(async () => {
	await sandbox.control.setTemplate({ name: 'reminder' });
});

describe('several campaigns', () => {
	const byFields: INodeParameters = {
		...campaign,
		templateName: '={{ $json.template }}',
		language: '={{ $json.language }}',
	};
	const rows = [
		['order_update', 'en'],
		['reminder', 'de'],
		['order_update', 'en'],
		['reminder', 'en'],
		['reminder', 'de'],
	].map(([template, language], index) => ({
		json: { template, language, phone: phoneOf(index) },
	}));

	test('items that agree on template and language make one, in the order of first appearance', async () => {
		const output = await sandbox.run(byFields, { items: rows });
		expect(await sent()).toEqual([
			['order_update', 'en', undefined, [phoneOf(0), phoneOf(2)]],
			['reminder', 'de', undefined, [phoneOf(1), phoneOf(4)]],
			['reminder', 'en', undefined, [phoneOf(3)]],
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 2 }],
			[{ item: 1 }, { item: 4 }],
			{ item: 3 },
		]);
		expect(output[1]?.json).toMatchObject({
			total: 2,
			templateName: 'reminder',
			language: 'de',
			recipients: { from: 1, to: 2 },
		});
	});

	test('the sending number makes a campaign, too, however it is written', async () => {
		const [first, second] = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
		const configId = { __rl: true, mode: 'id', value: '={{ $json.from }}' };
		const items = json(
			{ phone: phoneOf(0), from: `+${String(first?.phoneNumber)}` },
			{ phone: phoneOf(1), from: second?.id },
			{ phone: phoneOf(2), from: first?.phoneNumber },
		);
		await sandbox.run({ ...campaign, configId }, { items });
		expect(await sent()).toEqual([
			['order_update', 'en', first?.phoneNumber, [phoneOf(0), phoneOf(2)]],
			['order_update', 'en', second?.id, [phoneOf(1)]],
		]);
	});

	test('drawn rows: each recipient once, in its campaign, in order', async () => {
		const row = fc.record({
			template: fc.constantFrom('order_update', 'reminder'),
			language: fc.constantFrom('en', 'de'),
		});
		const drawn = fc.array(row, { minLength: 1, maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(drawn, fc.integer({ min: 1, max: 9 }), async (all, chunkSize) => {
				await sandbox.control.clearJournal();
				const items = all.map((values, index) => ({ json: { ...values, phone: phoneOf(index) } }));
				await sandbox.run({ ...byFields, options: { chunkSize } }, { items });
				const wanted = new Map<string, string[]>();
				for (const { template, language, phone } of items.map((item) => item.json)) {
					const key = `${template} ${language}`;
					wanted.set(key, [...(wanted.get(key) ?? []), phone]);
				}
				const arrived = new Map<string, unknown[]>();
				for (const [template, language, , phones] of await sent()) {
					expect((phones as unknown[]).length).toBeLessThanOrEqual(chunkSize);
					const key = `${String(template)} ${String(language)}`;
					arrived.set(key, [...(arrived.get(key) ?? []), ...(phones as unknown[])]);
				}
				expect([...arrived]).toEqual([...wanted]);
			}),
			{ numRuns: 20 },
		);
	});

	test('nothing is evaluated per item where a field is only named', async () => {
		const items = Array.from({ length: 50 }, (_, index) => ({
			json: { template: 'order_update', language: 'en', phone: phoneOf(index) },
		}));
		const context = executeContext({
			credential: sandbox.credential(),
			parameters: byFields,
			items,
		});
		const { MessagingService } = await import('../../nodes/MessagingService/MessagingService.node');
		const read = jest.spyOn(context, 'getNodeParameter');
		await new MessagingService().execute.call(context);
		expect(read.mock.calls.filter(([, itemIndex]) => itemIndex !== 0)).toEqual([]);
	});

	test('an item without a template is named, and nothing is sent', async () => {
		const items = json({ phone: phoneOf(0), template: 'reminder', language: 'en' }, { phone: '1' });
		const error = await sandbox.failure(byFields, { items });
		expect(error.message).toBe('Template Name is empty');
		expect(await sandbox.requests()).toEqual([]);
	});

	test.each([
		['phoneField', 'Phone Number Field'],
		['paramsFields', 'Parameter Fields'],
		['nameField', 'Name Field'],
	])('%s that differs between items is refused', async (name, label) => {
		const items = json({ phone: phoneOf(0), field: 'phone' }, { phone: phoneOf(1), field: 'tel' });
		const error = await sandbox.failure({ ...campaign, [name]: '={{ $json.field }}' }, { items });
		expect(error.message).toContain(`${label} differs between the input items`);
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('JSON recipients', () => {
	const fromJson: INodeParameters = {
		...campaign,
		recipientsSource: 'json',
		recipientsJson: '={{ $json.list }}',
	};

	test('of all input items count', async () => {
		const items = json(
			{ list: [{ phone: phoneOf(0) }, { phone: phoneOf(1) }] },
			{ list: [] },
			{ list: `[{"phone":"${phoneOf(2)}"}]` },
		);
		const output = await sandbox.run(fromJson, { items });
		expect(await sent()).toEqual([
			['order_update', 'en', undefined, [phoneOf(0), phoneOf(1), phoneOf(2)]],
		]);
		expect(output[0]?.pairedItem).toEqual([{ item: 0 }, { item: 2 }]);
	});

	test.each([
		['parameters', 'did you mean params?'],
		['Phone Number', 'did you mean phone?'],
		['mediaId', 'did you mean headerMediaId?'],
		['colour', 'known are phone, params, headerValue, headerMediaId, name'],
	])('the unknown key %s is refused by name', async (key, hint) => {
		const items = json(
			{ list: [{ phone: phoneOf(0) }] },
			{ list: [{ phone: phoneOf(1) }, { phone: phoneOf(2), [key]: 'x' }] },
		);
		const error = await sandbox.failure(fromJson, { items });
		expect(error.message).toBe(
			`1 of 3 recipients cannot be sent to: row 2 of item 2, "${phoneOf(2)}": it has the unknown key "${key}": ${hint}`,
		);
		expect(await sandbox.requests()).toEqual([]);
	});

	test('rows with another number of values than most are skipped, the first one too', async () => {
		const lengths = [1, 2, 2, 2];
		const list = lengths.map((length, index) => ({
			phone: phoneOf(index),
			params: Array.from({ length }, () => 'x'),
		}));
		const parameters = { ...fromJson, options: { invalidRecipients: 'skip' } };
		const output = await sandbox.json(parameters, { items: json({ list }) });
		expect(await sent()).toEqual([
			['order_update', 'en', undefined, [phoneOf(1), phoneOf(2), phoneOf(3)]],
		]);
		expect(output[0]).toMatchObject({
			skipped: [
				{
					row: 1,
					value: phoneOf(0),
					reason: 'it has 1 placeholder value, most recipients have 2',
				},
			],
		});
	});

	test('on a tie nothing is sent', async () => {
		const list = [1, 2].map((length) => ({
			phone: phoneOf(length),
			params: Array(length).fill('x'),
		}));
		const parameters = { ...fromJson, options: { invalidRecipients: 'skip' } };
		const error = await sandbox.failure(parameters, { items: json({ list }) });
		expect(error.message).toContain('different numbers of placeholder values');
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('blank placeholder values', () => {
	const parameters = { ...campaign, paramsFields: 'name' };

	test.each([undefined, null, '', '  '])('%j is a mistake of the row', async (name) => {
		const items = json({ phone: phoneOf(0), name: 'Anna' }, { phone: phoneOf(1), name });
		const error = await sandbox.failure(parameters, { items });
		expect(error.message).toContain('the field "name" is missing or blank');
		expect(await sandbox.requests()).toEqual([]);
	});

	test('goes out where it is allowed', async () => {
		const items = json({ phone: phoneOf(0) }, { phone: phoneOf(1), name: ' ' });
		await sandbox.run({ ...parameters, options: { allowBlankParameters: true } }, { items });
		const [request] = await sandbox.requests(path);
		expect(recipientsOf(request?.body).map(({ params }) => params)).toEqual([[''], [' ']]);
	});

	const template: INodeParameters = {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: phoneOf(0),
		templateName: 'order_update',
	};

	test.each<[INodeParameters, string]>([
		[
			{ parametersUi: { parameter: [{ value: 'A' }, { value: ' ' }] } },
			'Parameters has no value for {{2}}',
		],
		[
			{ parametersMode: 'json', parametersJson: '["", "B"]' },
			'Parameters (JSON) has no value for {{1}}',
		],
		[
			{ parametersMode: 'json', parametersJson: '[null]' },
			'Parameters (JSON) has no value for {{1}}',
		],
	])('Send Template refuses %j', async (values, message) => {
		expect((await sandbox.failure({ ...template, ...values })).message).toBe(message);
		expect(await sandbox.requests()).toEqual([]);
		await sandbox.run({ ...template, ...values, options: { allowBlankParameters: true } });
		expect(await sandbox.requests('/chat/send-template')).toHaveLength(1);
	});
});

describe('headers', () => {
	const items = json({ phone: phoneOf(0), text: 'A' }, { phone: phoneOf(1), text: 'B' });
	const headers = async () =>
		(await sandbox.requests(path))
			.flatMap(({ body }) => recipientsOf(body))
			.map(({ headerValue, headerMediaId }) => [headerValue, headerMediaId]);

	test('a value and a media id go out together', async () => {
		const both = { headerValueField: 'text', headerMediaIdField: 'media' };
		await sandbox.run(
			{ ...campaign, ...both },
			{ items: json({ phone: phoneOf(0), text: 'A', media: 'm1' }) },
		);
		expect(await headers()).toEqual([['A', 'm1']]);
	});

	test('one value for all recipients, or that of their item', async () => {
		const value = { ...campaign, campaignHeader: 'value' };
		await sandbox.run({ ...value, headerValue: 'Hi' }, { items });
		await sandbox.run({ ...value, headerValue: '={{ $json.text }}' }, { items });
		expect(await headers()).toEqual([
			['Hi', undefined],
			['Hi', undefined],
			['A', undefined],
			['B', undefined],
		]);
	});

	test('one media id for all recipients', async () => {
		const mediaId = { ...campaign, campaignHeader: 'mediaId', headerMediaId: 'm1' };
		await sandbox.run(mediaId, { items });
		expect(await headers()).toEqual([
			[undefined, 'm1'],
			[undefined, 'm1'],
		]);
	});

	test('an own header of a JSON recipient beside that of all is refused', async () => {
		const parameters = {
			...campaign,
			campaignHeader: 'value',
			headerValue: 'Hi',
			recipientsSource: 'json',
			recipientsJson: `[{"phone":"${phoneOf(0)}","headerValue":"Own"}]`,
		};
		const error = await sandbox.failure(parameters);
		expect(error.message).toContain(
			'it has a headerValue of its own beside that of all recipients',
		);
	});

	describe('from a file', () => {
		const file = { ...campaign, campaignHeader: 'binary', options: { chunkSize: 1 } };
		const withFile = async (item: INodeExecutionData, content: string) => {
			const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
			const data = await helpers.prepareBinaryData(
				Buffer.from(content),
				'a.pdf',
				'application/pdf',
			);
			return { ...item, binary: { data } };
		};

		test('it is uploaded once, and goes to all recipients of all chunks', async () => {
			const [first, ...others] = items;
			await sandbox.run(file, { items: [...others, await withFile(first ?? { json: {} }, 'A')] });
			expect(await sandbox.requests('/chat/upload')).toHaveLength(1);
			const sentHeaders = await headers();
			expect(sentHeaders).toHaveLength(2);
			const [[, mediaId] = []] = sentHeaders;
			expect(mediaId).toEqual(expect.any(String));
			expect(sentHeaders).toEqual([
				[undefined, mediaId],
				[undefined, mediaId],
			]);
			const requests = (await sandbox.requests()).map((request) => request.path);
			expect(requests.indexOf('/chat/upload')).toBe(0);
		});

		test('what looks like its place in a text stays as it is', async () => {
			const name = '"headerMediaId":"uploaded before sending"';
			const item = await withFile({ json: { phone: phoneOf(0), name } }, 'A');
			await sandbox.run({ ...file, nameField: 'name' }, { items: [item] });
			const [request] = await sandbox.requests(path);
			expect(recipientsOf(request?.body)[0]?.name).toBe(name);
		});

		test('different files are refused', async () => {
			const both = [
				await withFile(items[0] ?? { json: {} }, 'A'),
				await withFile(items[1] ?? { json: {} }, 'B'),
			];
			const error = await sandbox.failure(file, { items: both });
			expect(error.message).toContain('The input items hold different files');
			expect(await sandbox.requests()).toEqual([]);
		});

		test('without a file nothing is sent', async () => {
			expect((await sandbox.failure(file, { items })).message).toContain('no file "data"');
			expect(await sandbox.requests()).toEqual([]);
		});

		test('a failed upload leaves the campaign unsent', async () => {
			const one = [await withFile(items[0] ?? { json: {} }, 'A')];
			await sandbox.control.addFault({ kind: 'cut', path: '/chat/upload', when: 'after' });
			const error = await sandbox.failure(file, { items: one });
			expect(error.context.data).toMatchObject({ outcome: 'notSent' });
			expect(await sandbox.requests(path)).toEqual([]);
		});
	});
});
