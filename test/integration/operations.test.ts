import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sendTemplate } from '../../nodes/MessagingService/actions/chatMessage/sendTemplate.operation';
import { useBinaryMode } from '../support/core/binaryData';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '919876543210';
const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};

describe('account', () => {
	test.each(['nested', 'flat'] as const)(
		'getBalance gives the account, answered %s',
		async (balance) => {
			await sandbox.control.setAssumptions({ balance });
			const account = await sandbox.control.account();
			const [item, ...others] = await sandbox.run({ resource: 'account', operation: 'getBalance' });
			expect(others).toEqual([]);
			expect(item?.pairedItem).toEqual({ item: 0 });
			expect(item?.json).toMatchObject({
				chatBalance: account.chatBalance,
				voiceMins: account.voiceMins,
			});
			expect(item?.json).not.toHaveProperty('user');
			expect(item?.json).not.toHaveProperty('success');
		},
	);

	test('the key goes out as x-api-key and one read serves all items', async () => {
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		const output = await sandbox.run({ resource: 'account', operation: 'getBalance' }, { items });
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		const requests = await sandbox.requests();
		expect(requests).toHaveLength(1);
		expect(requests[0]?.headers['x-api-key']).toBeDefined();
		expect(requests[0]?.headers.authorization).toBeUndefined();
	});
});

describe('account.checkSetup', () => {
	const checkSetup = { resource: 'account', operation: 'checkSetup' };
	const checks = async (apiKey?: string) =>
		new Map(
			(await sandbox.json(checkSetup, { credential: sandbox.credential(apiKey) })).map(
				({ check, ...rest }) => [check, rest],
			),
		);

	test('tells the scopes of a key that a free request can show', async () => {
		const shown = ['chat:campaigns', 'chat:send', 'voice:calls'] as const;
		await fc.assert(
			fc.asyncProperty(fc.subarray([...shown]), async (scopes) => {
				const { key } = await sandbox.control.createKey({ scopes });
				const found = await checks(key);
				for (const scope of shown) {
					const { ok, advice } = found.get(`scope ${scope}`) ?? {};
					expect(ok).toBe(scopes.includes(scope));
					if (!ok) expect(advice).toContain(scope);
				}
			}),
			{ numRuns: 8 },
		);
	});

	test('what does not answer leaves the others as they are, and the clock is the service’s', async () => {
		await sandbox.control.addFault({
			kind: 'status',
			path: '/chat/campaigns',
			status: 500,
			body: { error: 'Out of order' },
			count: 'infinite',
		});
		const found = await checks();
		expect(found.get('scope chat:campaigns')).toMatchObject({ ok: null, message: 'Out of order' });
		const names = ['key', 'clock', 'scope chat:send', 'scope voice:calls', 'defaultNumber'];
		expect(names.map((name) => found.get(name)?.ok)).toEqual(names.map(() => true));
	});
});

describe('phoneNumber', () => {
	test('getMany gives one item per number', async () => {
		const numbers = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
		expect(numbers.map(({ isDefault }) => isDefault)).toEqual([true, false]);
		expect(numbers[0]).toMatchObject({ qualityRating: 'GREEN', phoneNumber: '14155550100' });
	});
});

describe('chatMessage', () => {
	test('send', async () => {
		const [json] = await sandbox.json({
			resource: 'chatMessage',
			operation: 'send',
			phone: '+91 98765-43210',
			message: 'Hello',
		});
		expect(json).toMatchObject({ success: true, cost: 1 });
		expect((await sandbox.requests('/chat/send'))[0]?.body).toEqual({ phone, message: 'Hello' });
	});

	test('sendTemplate as JSON', async () => {
		const [number] = await sandbox.json({ resource: 'phoneNumber', operation: 'getMany' });
		const items = await sandbox.run({
			...template,
			configId: { __rl: true, mode: 'list', value: String(number?.id) },
			language: 'en',
			parametersUi: { parameter: [{ value: 'Anna' }, { value: 'Tuesday' }] },
			header: 'json',
			headerParametersJson: '{"type": "text", "text": "Hi"}',
		});
		expect(items[0]?.json).toMatchObject({
			success: true,
			cost: 1,
			providerMessageId: expect.any(String) as string,
		});
		expect((await sandbox.requests('/chat/send-template'))[0]?.body).toEqual({
			phone,
			templateName: 'order_update',
			configId: number?.id,
			language: 'en',
			parameters: ['Anna', 'Tuesday'],
			headerParameters: { type: 'text', text: 'Hi' },
		});
	});

	test('parameters are evaluated for each item and the output keeps the order', async () => {
		const items = Array.from({ length: 12 }, (_, index) => ({
			json: { phone: Number(`9198765432${String(index).padStart(2, '0')}`), name: `N${index}` },
		}));
		const output = await sandbox.run(
			{
				...template,
				phone: '={{ $json.phone }}',
				parametersMode: 'json',
				parametersJson: '={{ [$json.name] }}',
			},
			{ items },
		);
		const messages = await sandbox.control.messages();
		const recipientOf = new Map(
			messages.map(({ providerMessageId, to }) => [providerMessageId, to]),
		);
		expect(output.map(({ json }) => recipientOf.get(String(json.providerMessageId)))).toEqual(
			items.map(({ json }) => String(json.phone)),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	});

	test.each([
		['url', { mediaUrl: 'https://host.example/a.png' }, { mediaUrl: 'https://host.example/a.png' }],
	])('sendMedia by %s', async (mediaSource, source, sent) => {
		await sandbox.run({
			resource: 'chatMessage',
			operation: 'sendMedia',
			phone,
			mediaType: 'image',
			mediaSource,
			...source,
			caption: 'Look',
		});
		expect((await sandbox.requests('/chat/send-media'))[0]?.body).toEqual({
			phone,
			type: 'image',
			...sent,
			caption: 'Look',
		});
	});

	test('getStats gives total and the four counts', async () => {
		await sandbox.control.addMessages(3);
		const [json] = await sandbox.json({ resource: 'chatMessage', operation: 'getStats' });
		expect(Object.keys(json ?? {}).sort()).toEqual([
			'Delivered',
			'Failed',
			'Read',
			'Sent',
			'total',
		]);
		expect(json?.total).toBe(3);
	});
});

describe('lists', () => {
	test.each([
		['chatMessage', '/chat/campaigns', { limit: 100, offset: 200 }],
		['voiceCall', '/voice/call-logs', { page: 3, pageSize: 100 }],
	])('%s.getMany reads all records in order', async (resource, path, lastQuery) => {
		if (resource === 'chatMessage') await sandbox.control.addMessages(250);
		else await sandbox.control.addCalls(250);
		const records = await sandbox.json({ resource, operation: 'getMany', returnAll: true });
		const expected =
			resource === 'chatMessage' ? await sandbox.control.messages() : await sandbox.control.calls();
		const ids = records.map(({ id }) => id);
		expect(new Set(ids).size).toBe(250);
		expect(new Set(ids)).toEqual(new Set(expected.map(({ id }) => id)));
		const times = records.map(({ sentAt, createdAt }) => String(sentAt ?? createdAt));
		expect(times).toEqual([...times].sort().reverse());
		const requests = await sandbox.requests(path);
		expect(requests).toHaveLength(3);
		const asText = Object.fromEntries(
			Object.entries(lastQuery).map(([key, value]) => [key, String(value)]),
		);
		expect(requests.map(({ query }) => query)).toContainEqual(expect.objectContaining(asText));
	});
});

describe('webhook', () => {
	const url = 'https://host.example/hook';

	test('create gives the webhook with its secret, delete removes it', async () => {
		const [webhook] = await sandbox.json({
			resource: 'webhook',
			operation: 'create',
			url,
			events: ['message.read'],
		});
		expect(webhook).toMatchObject({
			url,
			events: ['message.read'],
			secret: expect.any(String) as string,
		});
		const [deleted] = await sandbox.json({
			resource: 'webhook',
			operation: 'delete',
			webhookId: String(webhook?.id),
		});
		expect(deleted).toEqual({ deleted: true });
		expect(await sandbox.control.webhooks()).toEqual([]);
	});

	test('delete works when the service answers without a body', async () => {
		const [webhook] = await sandbox.json({ resource: 'webhook', operation: 'create', url });
		await sandbox.control.setAssumptions({ webhookDelete: 'empty' });
		expect(
			await sandbox.json({
				resource: 'webhook',
				operation: 'delete',
				webhookId: String(webhook?.id),
			}),
		).toEqual([{ deleted: true }]);
	});

	test.each(['webhooks', 'array', 'data'] as const)(
		'getMany reads a list answered as %s',
		async (webhookList) => {
			await sandbox.json({ resource: 'webhook', operation: 'create', url });
			await sandbox.control.setAssumptions({ webhookList });
			const webhooks = await sandbox.json({ resource: 'webhook', operation: 'getMany' });
			expect(webhooks).toEqual([expect.objectContaining({ url })]);
			expect(webhooks[0]).not.toHaveProperty('secret');
		},
	);
});

describe('a message whose status is waited for', () => {
	const waiting = (own: INodeParameters): INodeParameters => ({
		...template,
		options: { pollInterval: 1, maxWait: 20, ...own },
	});

	test.each(['Delivered', 'Read'])('is told with its record once it is %s', async (status) => {
		await sandbox.control.setLifecycle({
			enabled: true,
			messageOutcome: 'Read',
			deliveredAfterMs: 50,
			readAfterMs: 50,
		});
		const [json] = await sandbox.json(waiting({ waitForStatus: status }));
		const { providerMessageId, status: reached } = json?.messageRecord as IDataObject;
		expect(json).toMatchObject({ ended: true, status: reached });
		expect(json).not.toHaveProperty('success');
		expect(providerMessageId).toBe(json?.providerMessageId);
		expect(status === 'Read' ? ['Read'] : ['Delivered', 'Read']).toContain(reached);
	});

	test('is waited for no longer once it has failed', async () => {
		await sandbox.control.setLifecycle({ enabled: true, messageOutcome: 'Failed' });
		const [json] = await sandbox.json(waiting({ waitForStatus: 'Read' }));
		expect(json).toMatchObject({ ended: true, messageRecord: { status: 'Failed' } });
	});

	test.each([{}, { waitForStatus: 'none' }])('is not with %j', async (own) => {
		const [json] = await sandbox.json(waiting(own));
		expect(json).not.toHaveProperty('ended');
		expect(await sandbox.requests('/chat/campaigns')).toEqual([]);
	});

	test('adding the option is enough', () => {
		const [collection] = sendTemplate.fields.filter(({ name }) => name === 'options');
		const added = collection?.options?.find(({ name }) => name === 'waitForStatus');
		expect(added).toHaveProperty('default', 'Delivered');
	});
});

describe('voiceCall', () => {
	const call = {
		resource: 'voiceCall',
		operation: 'create',
		to: '+91 98765 43210',
		content: 'text',
		text: 'Hello',
	};
	const waiting = { ...call, options: { waitForCompletion: true, pollInterval: 1, maxWait: 20 } };

	test('create', async () => {
		const [json] = await sandbox.json({ ...call, voiceRoute: 'us', recipientName: 'Anna' });
		expect(json).toMatchObject({ success: true, status: 'initiated', route: 'carrier_us1' });
		expect((await sandbox.requests('/voice/call'))[0]?.body).toEqual({
			to: '+919876543210',
			audioName: 'Hello',
			voiceRoute: 'us',
			recipientName: 'Anna',
		});
	});

	test.each(['callId', 'own'] as const)(
		'waits for the end and finds its own entry, whose id is %s',
		async (callLogId) => {
			await sandbox.control.setAssumptions({ callLogId });
			await sandbox.control.setLifecycle({
				enabled: true,
				answeredAfterMs: 100,
				endedAfterMs: 100,
			});
			await sandbox.json(call);
			await sandbox.control.settle();
			const [json] = await sandbox.json(waiting);
			const calls = await sandbox.control.calls();
			expect(calls).toHaveLength(2);
			expect(json).toMatchObject({ ended: true, callStatus: 'success', status: 'success' });
			const { id, duration, transcript } = json?.callLog as IDataObject;
			const newest = [...calls].sort((a, b) => a.createdAt.localeCompare(b.createdAt)).pop();
			expect(id).toBe(newest?.id);
			expect(json).toMatchObject({ duration, transcript });
			expect(duration).toBeGreaterThan(0);
		},
	);

	test('two calls of a run to one number wait for each other, and each gets its own entry', async () => {
		await sandbox.control.setAssumptions({ callLogId: 'own' });
		await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 50, endedAfterMs: 50 });
		const both = { ...waiting, to: '={{ $json.to }}', text: '={{ $json.text }}' };
		const items = [
			{ json: { to: '+91 98765 43210', text: 'First' } },
			{ json: { to: '9876543210', text: 'Second' } },
		];
		const output = await sandbox.json(both, { items });
		expect(output.map(({ ended }) => ended)).toEqual([true, true]);
		const found = output.map(({ callLog }) => (callLog as IDataObject).id);
		const placed = (await sandbox.control.calls()).sort((a, b) =>
			a.createdAt.localeCompare(b.createdAt),
		);
		expect(found).toEqual(placed.map(({ id }) => id));
	});

	test('gives up waiting after maxWait and returns what is known', async () => {
		const [json] = await sandbox.json({
			...call,
			options: { waitForCompletion: true, pollInterval: 1, maxWait: 1 },
		});
		expect(json).toMatchObject({
			ended: false,
			callStatus: 'initiated',
			callId: expect.any(String) as string,
		});
		expect(json?.waitStopped).toContain('1 seconds');
		expect(json).not.toHaveProperty('success');
	});

	test('a call log that cannot be read does not fail a placed call', async () => {
		await sandbox.control.addFault({
			kind: 'status',
			path: '/voice/call-logs',
			status: 500,
			body: { error: 'Down' },
			skip: 1,
		});
		const [json] = await sandbox.json(waiting);
		expect(json).toMatchObject({ ended: false, callId: expect.any(String) as string });
		expect(json?.waitStopped).toContain('Down');
	});
});

describe('email', () => {
	test('send', async () => {
		const [json] = await sandbox.json({
			resource: 'email',
			operation: 'send',
			to: 'a@host.example, b@host.example',
			subject: 'Hi',
			emailFormat: 'both',
			html: '<p>H</p>',
			text: 'T',
			options: { fromName: 'Shop', important: true },
		});
		expect(json).toMatchObject({ success: true, cost: 2, messageId: expect.any(String) as string });
		expect((await sandbox.requests('/email/send'))[0]?.body).toEqual({
			to: 'a@host.example, b@host.example',
			subject: 'Hi',
			html: '<p>H</p>',
			text: 'T',
			fromName: 'Shop',
			important: true,
		});
	});

	test('a simulation tells the cost of all recipients', async () => {
		const [json] = await sandbox.json({
			resource: 'email',
			operation: 'send',
			to: 'Anna <a@host.example>; b@host.example, c@host.example',
			subject: 'Hi',
			html: '<p>H</p>',
			options: { simulate: 'always' },
		});
		expect(json).toMatchObject({ simulated: true, cost: { unit: 'email credits', amount: 3 } });
	});
});

describe.each(['default', 'filesystem'] as const)('files in %s mode', (mode) => {
	const content = Buffer.from('%PDF-1.4 some content');
	const fileName = 'Rechnung ä 発票.pdf';
	let folder = '';
	let items: INodeExecutionData[] = [];

	beforeAll(async () => {
		folder = await mkdtemp(path.join(process.env.TMPDIR ?? '/tmp', 'files-'));
		await useBinaryMode(mode, folder);
	});
	beforeEach(async () => {
		const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
		const data = await helpers.prepareBinaryData(content, fileName, 'application/pdf');
		items = [{ json: {}, binary: { data } }];
	});
	afterAll(async () => await rm(folder, { recursive: true, force: true }));

	const file = {
		field: 'file',
		filename: fileName,
		mimeType: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};
	const files = async (url: string) =>
		((await sandbox.requests(url))[0]?.body as { files: unknown; fields: unknown } | undefined) ??
		{};

	test('media.upload', async () => {
		const [json] = await sandbox.json({ resource: 'media', operation: 'upload' }, { items });
		expect(json).toMatchObject({
			success: true,
			mediaId: expect.any(String) as string,
			filename: fileName,
		});
		expect(await files('/chat/upload')).toMatchObject({ files: [file] });
	});

	test('sendMedia uploads first and sends the id', async () => {
		const parameters: INodeParameters = {
			resource: 'chatMessage',
			operation: 'sendMedia',
			phone,
			mediaType: 'document',
			mediaSource: 'binary',
		};
		await sandbox.run(parameters, { items });
		expect(await files('/chat/upload')).toMatchObject({ files: [file] });
		expect((await sandbox.requests('/chat/send-media'))[0]?.body).toEqual({
			phone,
			type: 'document',
			mediaId: expect.any(String) as string,
			filename: fileName,
		});
	});

	test('sendTemplate with a header file', async () => {
		const parameters = {
			...template,
			header: 'binary',
			parametersMode: 'json',
			parametersJson: '["A"]',
		};
		const [json] = await sandbox.json(parameters, { items });
		expect(json).toHaveProperty('providerMessageId');
		expect(await files('/chat/send-template')).toMatchObject({
			files: [file],
			fields: { phone, templateName: 'order_update', parameters: '["A"]', headerType: 'document' },
		});
	});

	test('a missing or empty file is named before any request', async () => {
		const parameters = { resource: 'media', operation: 'upload', binaryPropertyName: 'photo' };
		expect(await sandbox.failure(parameters, { items })).toMatchObject({
			message: expect.stringContaining("binary field 'photo'") as string,
		});
		const { helpers } = executeContext({ credential: sandbox.credential(), parameters: {} });
		const data = await helpers.prepareBinaryData(Buffer.alloc(0), 'empty.pdf', 'application/pdf');
		expect(
			await sandbox.failure(
				{ resource: 'media', operation: 'upload' },
				{ items: [{ json: {}, binary: { data } }] },
			),
		).toMatchObject({ message: 'The file "empty.pdf" is empty' });
		expect(await sandbox.requests()).toEqual([]);
	});
});
