import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { code } from '../../harness';
import { node, useOneNode } from '../support/e2e/oneNode';

const workflow = useOneNode('Bulk recipients');

const path = '/chat/bulk-send';
const campaign = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
const phoneOf = (index: number) => String(919_800_000_000 + index);

/** The recipients in the items' `list`. */
const fromJson: INodeParameters = {
	...campaign,
	recipientsSource: 'json',
	recipientsJson: '={{ JSON.stringify($json.list) }}',
};

/** Template, language and recipients of the campaigns that the service accepted. */
async function accepted(): Promise<Array<[unknown, unknown, IDataObject[]]>> {
	return (await workflow.accepted(path)).map(({ templateName, language, recipients }) => [
		templateName,
		language,
		recipients as IDataObject[],
	]);
}

const recipients = async () => (await accepted()).flatMap(([, , all]) => all);

test('lists of several items with templates and languages of their own: everybody gets what was written', async () => {
	await workflow.control.setTemplate({ name: 'reminder' });
	const output = await workflow.json({
		parameters: {
			...fromJson,
			templateName: '={{ $json.template }}',
			language: '={{ $json.language }}',
		},
		input: [
			{ template: 'order_update', language: 'en', list: [{ phone: phoneOf(0) }] },
			{
				template: 'reminder',
				language: 'de',
				list: [{ phone: phoneOf(1) }, { phone: phoneOf(2) }],
			},
			{ template: 'order_update', language: 'en', list: [{ phone: phoneOf(3) }] },
		],
	});
	expect(await accepted()).toEqual([
		['order_update', 'en', [{ phone: phoneOf(0) }, { phone: phoneOf(3) }]],
		['reminder', 'de', [{ phone: phoneOf(1) }, { phone: phoneOf(2) }]],
	]);
	expect(output.map(({ templateName, total }) => [templateName, total])).toEqual([
		['order_update', 2],
		['reminder', 2],
	]);
});

describe('a placeholder value that is empty or blank', () => {
	test.each(['', '   ', null])('%j in a row sends nothing', async (name) => {
		const parameters = { ...campaign, paramsFields: 'name' };
		const input = [
			{ phone: phoneOf(0), name: 'Anna' },
			{ phone: phoneOf(1), name },
		];
		const { message } = await workflow.failure({ parameters, input });
		expect(message).toContain('the value of parameter {{1}} is missing or blank');
		expect(await workflow.requests()).toEqual([]);
		await workflow.json({
			parameters: { ...parameters, options: { allowBlankParameters: true } },
			input,
		});
		expect(await recipients()).toHaveLength(2);
	});

	test('of Send Template is a mistake of its item, and goes out where it is allowed', async () => {
		const parameters = {
			resource: 'chatMessage',
			operation: 'sendTemplate',
			phone: '={{ $json.phone }}',
			templateName: 'order_update',
			parametersUi: { parameter: [{ value: '={{ $json.name }}' }] },
		};
		const input = [
			{ phone: phoneOf(0), name: 'Anna' },
			{ phone: phoneOf(1), name: ' ' },
		];
		const { message } = await workflow.failure({ parameters, input });
		expect(message).toContain('has no value for {{1}} (item 2)');
		expect(await workflow.requests()).toEqual([]);
		await workflow.json({
			parameters: { ...parameters, options: { allowBlankParameters: true } },
			input,
		});
		expect(await workflow.accepted('/chat/send-template')).toHaveLength(2);
	});
});

test('a key of a JSON recipient that is not known is refused by its name', async () => {
	const input = [{ list: [{ phone: phoneOf(0), parameters: ['Anna'] }] }];
	const { message } = await workflow.failure({ parameters: fromJson, input });
	expect(message).toContain('it has the unknown key "parameters": did you mean params?');
	expect(await workflow.requests()).toEqual([]);
});

describe('rows with different numbers of placeholder values', () => {
	const listOf = (...lengths: number[]) =>
		lengths.map((length, index) => ({
			phone: phoneOf(index),
			params: Array.from({ length }, () => 'x'),
		}));
	const parameters = { ...fromJson, options: { invalidRecipients: 'skip' } };

	test('those that differ from most are skipped, the first one too', async () => {
		const output = await workflow.json({ parameters, input: [{ list: listOf(1, 2, 2) }] });
		expect((await recipients()).map(({ phone }) => phone)).toEqual([phoneOf(1), phoneOf(2)]);
		expect(output[1]).toMatchObject({ skippedCount: 1, skipped: [{ row: 1 }] });
	});

	test('on a tie nothing is sent', async () => {
		const { message } = await workflow.failure({ parameters, input: [{ list: listOf(1, 2) }] });
		expect(message).toContain('different numbers of placeholder values');
		expect(await workflow.requests()).toEqual([]);
	});
});

describe('headers', () => {
	test('a value and a media ID go out together', async () => {
		await workflow.json({
			parameters: { ...campaign, headerValueField: 'text', headerMediaIdField: 'media' },
			input: [{ phone: phoneOf(0), text: 'A', media: 'm1' }],
		});
		expect(await recipients()).toEqual([
			{ phone: phoneOf(0), headerValue: 'A', headerMediaId: 'm1' },
		]);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['value', { headerValue: 'Hi' }, { headerValue: 'Hi' }],
		['mediaId', { headerMediaId: 'm1' }, { headerMediaId: 'm1' }],
	])('one for all recipients: %s', async (campaignHeader, parameters, expected) => {
		await workflow.json({
			parameters: { ...campaign, campaignHeader, ...parameters },
			input: [{ phone: phoneOf(0) }, { phone: phoneOf(1) }],
		});
		expect(await recipients()).toEqual([
			{ phone: phoneOf(0), ...expected },
			{ phone: phoneOf(1), ...expected },
		]);
	});

	test('one file for all recipients is uploaded once, and not again by Retry', async () => {
		const rows = code(
			`const data = await this.helpers.prepareBinaryData(Buffer.from('%PDF-1.4'), 'a.pdf', 'application/pdf');
			return Array.from({ length: 3 }, (_, i) => ({ json: { phone: String(${phoneOf(0)} + i) }, ...(i ? {} : { binary: { data } }) }));`,
			'Rows',
		);
		await workflow.control.addFault({
			kind: 'status',
			path,
			status: 500,
			body: { error: 'Down' },
			skip: 1,
		});
		const failed = await workflow.run({
			parameters: { ...campaign, campaignHeader: 'binary', options: { chunkSize: 1 } },
			input: rows,
		});
		expect(failed.error?.message).toContain('Down');
		const retried = await workflow.n8n.retry(failed.id);
		expect(retried.status).toBe('success');
		expect(retried.json(node)).toHaveLength(3);
		expect(await workflow.requests('/chat/upload')).toHaveLength(1);
		const all = await recipients();
		expect(all.map(({ phone }) => phone)).toEqual([phoneOf(0), phoneOf(1), phoneOf(2)]);
		expect(new Set(all.map(({ headerMediaId }) => headerMediaId)).size).toBe(1);
		expect(all[0]?.headerMediaId).toEqual(expect.any(String));
	});
});
