import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	attachN8n,
	chain,
	code,
	manualTrigger,
	messagingService,
	type CredentialRef,
	type Execution,
	type NodeExtra,
} from '../../harness';

const n8n = attachN8n();
let sandbox: Sandbox;
let credential: CredentialRef;

const path = '/chat/bulk-send';
const name = 'Campaign';

beforeAll(async () => {
	sandbox = await startSandbox();
	credential = await n8n.createCredential('Bulk', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.production,
	});
});

beforeEach(async () => {
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
});

afterAll(async () => await sandbox.close());

async function run(
	count: number,
	parameters: INodeParameters = {},
	extra: NodeExtra = {},
): Promise<Execution> {
	const rows = code(
		`return Array.from({ length: ${count} }, (_, i) => ({ json: { phone: 919800000000 + i, name: 'N' + i } }));`,
		'Rows',
	);
	const campaign = messagingService(
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			paramsFields: 'name',
			...parameters,
		},
		credential,
		{ name, ...extra },
	);
	return await n8n.run(
		await n8n.createWorkflow(chain(`Bulk ${count}`, [manualTrigger(), rows, campaign])),
	);
}

/** First recipient and number of recipients of the campaigns that the service accepted. */
async function accepted(): Promise<Array<[unknown, number]>> {
	const requests = await sandbox.control.journal({ kind: 'request', path });
	return requests
		.filter(({ processed }) => processed)
		.map(({ body }) => (body as { recipients: IDataObject[] }).recipients)
		.map((recipients) => [recipients[0]?.phone, recipients.length]);
}

test.each([
	[10_000, [10_000]],
	[10_001, [10_000, 1]],
	[25_000, [10_000, 10_000, 5_000]],
])('%i recipients from input items', async (count, sizes) => {
	const execution = await run(count);
	expect(execution.status).toBe('success');
	expect(execution.json(name).map(({ total }) => total)).toEqual(sizes);
	expect(execution.output(name).map(({ pairedItem }) => [pairedItem].flat().length)).toEqual(sizes);
	expect((await accepted()).map(([, length]) => length)).toEqual(sizes);
});

test('a fault in chunk 2 of 3 with Retry On Fail creates every campaign once', async () => {
	await sandbox.control.addFault({
		kind: 'status',
		path,
		status: 500,
		body: { error: 'Oops' },
		skip: 1,
	});
	const execution = await run(
		25_000,
		{},
		{ retryOnFail: true, maxTries: 2, waitBetweenTries: 100 },
	);
	expect(execution.status).toBe('success');
	expect(await accepted()).toEqual([
		['919800000000', 10_000],
		['919800010000', 10_000],
		['919800020000', 5_000],
	]);
	expect(execution.json(name).map(({ recipients }) => recipients)).toEqual([
		{ from: 1, to: 10_000 },
		{ from: 10_001, to: 20_000 },
		{ from: 20_001, to: 25_000 },
	]);
});

test('a cut connection is unknown for its chunk alone', async () => {
	await sandbox.control.addFault({ kind: 'cut', path, when: 'after', skip: 1 });
	const parameters = { options: { chunkSize: 10 } };
	const execution = await run(30, parameters, { onError: 'continueRegularOutput' });
	expect(
		execution.json(name).map(({ details }) => (details as IDataObject | undefined)?.outcome),
	).toEqual([undefined, 'unknown', undefined]);
});

test('items with different templates and languages become campaigns of their own', async () => {
	await sandbox.control.setTemplate({ name: 'reminder' });
	const execution = await run(6, {
		templateName: '={{ $itemIndex % 2 ? "reminder" : "order_update" }}',
		language: '={{ $itemIndex < 4 ? "en" : "de" }}',
	});
	expect(execution.status).toBe('success');
	const requests = await sandbox.control.journal({ kind: 'request', path });
	const sent = requests.map(({ body }) => {
		const { templateName, language, recipients } = body as IDataObject;
		const phones = (recipients as IDataObject[]).map(
			({ phone }) => Number(phone) - 919_800_000_000,
		);
		return [templateName, language, phones];
	});
	expect(sent).toEqual([
		['order_update', 'en', [0, 2]],
		['reminder', 'en', [1, 3]],
		['order_update', 'de', [4]],
		['reminder', 'de', [5]],
	]);
	expect(execution.output(name).map(({ pairedItem }) => pairedItem)).toEqual([
		[{ item: 0 }, { item: 2 }],
		[{ item: 1 }, { item: 3 }],
		{ item: 4 },
		{ item: 5 },
	]);
});

test('no recipients are a clear message and send nothing', async () => {
	const execution = await run(1, { recipientsSource: 'json', recipientsJson: '[]' });
	expect(execution.error?.message).toContain('There are no recipients');
	expect(await accepted()).toEqual([]);
});

test('credits that do not suffice stop before the first chunk', async () => {
	await sandbox.control.setAccount({ chatBalance: 74_999 });
	const execution = await run(25_000, { options: { checkBalance: 'marketing' } });
	expect(execution.error?.message).toBe(
		'25000 recipients need 75000 chat credits, but the account has 74999',
	);
	expect(await accepted()).toEqual([]);
});
