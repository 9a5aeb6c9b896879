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

test.each([
	['templateName', 'Template Name'],
	['language', 'Language'],
	['phoneField', 'Phone Number Field'],
	['paramsFields', 'Parameter Fields'],
	['nameField', 'Name Field'],
])('%s that differs between items is refused', async (name, label) => {
	const items = json({ phone: phoneOf(0), field: 'phone' }, { phone: phoneOf(1), field: 'tel' });
	const error = await sandbox.failure({ ...campaign, [name]: '={{ $json.field }}' }, { items });
	expect(error.message).toContain(`${label} differs between the input items`);
	expect(await sandbox.requests()).toEqual([]);
});

test('template, language and number may come from the items, the number however it is written', async () => {
	const [number] = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
	const configId = { __rl: true, mode: 'id', value: '={{ $json.from }}' };
	const same = { template: 'order_update', language: 'de' };
	const items = json(
		{ ...same, phone: phoneOf(0), from: `+${String(number?.phoneNumber)}` },
		{ ...same, phone: phoneOf(1), from: number?.phoneNumber },
	);
	const parameters = {
		...campaign,
		templateName: '={{ $json.template }}',
		language: '={{ $json.language }}',
		configId,
	};
	const context = executeContext({ credential: sandbox.credential(), parameters, items });
	const { MessagingService } = await import('../../nodes/MessagingService/MessagingService.node');
	const read = jest.spyOn(context, 'getNodeParameter');
	await new MessagingService().execute.call(context);
	expect(await sent()).toEqual([
		['order_update', 'de', number?.phoneNumber, [phoneOf(0), phoneOf(1)]],
	]);
	// Nothing is evaluated per item where a field is only named.
	expect(read.mock.calls.filter(([, itemIndex]) => itemIndex !== 0)).toEqual([]);
});

describe('JSON recipients', () => {
	const fromJson: INodeParameters = {
		...campaign,
		recipientsSource: 'json',
		recipientsJson: '={{ $json.list }}',
	};

	test('that are the same for all input items go out once', async () => {
		const items = json({ a: 1 }, { a: 2 });
		const recipientsJson = JSON.stringify([{ phone: phoneOf(0) }, { phone: phoneOf(1) }]);
		const output = await sandbox.run({ ...fromJson, recipientsJson }, { items });
		expect(await sent()).toEqual([['order_update', 'en', undefined, [phoneOf(0), phoneOf(1)]]]);
		expect(output[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test('that differ between input items are refused', async () => {
		const items = json({ list: [{ phone: phoneOf(0) }] }, { list: [{ phone: phoneOf(1) }] });
		const error = await sandbox.failure(fromJson, { items });
		expect(error.message).toContain('Recipients (JSON) differs between the input items');
		expect(await sandbox.requests()).toEqual([]);
	});

	test('an unknown key is refused by name', async () => {
		const list = [{ phone: phoneOf(1) }, { phone: phoneOf(2), parameters: 'x' }];
		const error = await sandbox.failure(fromJson, { items: json({ list }) });
		expect(error.message).toBe(
			`1 of 2 recipients cannot be sent to: row 2, "${phoneOf(2)}": it has the unknown key "parameters": known are phone, params, headerValue, headerMediaId, name`,
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

	test('one value for all recipients', async () => {
		const value = { ...campaign, campaignHeader: 'value', headerValue: 'Hi' };
		await sandbox.run(value, { items });
		expect(await headers()).toEqual([
			['Hi', undefined],
			['Hi', undefined],
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
			expect((await sandbox.failure(file, { items })).message).toContain("binary file 'data'");
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
