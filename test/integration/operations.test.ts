// Requests are tested in test/unit/actions, output in schemas.test.ts.

import { map, pick, range, reject, sortBy } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { hasParameters } from '../../nodes/MessagingService/operation';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations } from '../support/operations';

const sandbox = useSandbox();

const phone = '447700900210';
const template = { resource: 'chatMessage', operation: 'sendTemplate', phone };
const media = { resource: 'chatMessage', operation: 'sendMedia' };
const mail = { subject: 'Hi', emailFormat: 'text', text: 'Hi' };

test.each([
	['Read', { messageOutcome: 'Failed' }, { status: 'Failed', reached: false }],
	['Delivered', { deliveredAfterMs: 0, readAfterMs: 0 }, { reached: true }],
] as const)('waiting for %s ends with the last status: %j', async (status, lifecycle, last) => {
	await sandbox.control.setLifecycle({ enabled: true, ...lifecycle });
	const wait = { status, pollInterval: 1, maxWait: 20 };
	const options = { waitForStatus: { wait } };
	const [json] = await sandbox.json({ ...template, templateName: 'order_update', options });
	expect(json).toMatchObject({ ended: true, ...last });
});

test.each([
	[
		'messages',
		...(['chatMessage', 'providerMessageId', 'The message records show no message'] as const),
		'Check that it is a providerMessageId from the same account.',
	],
	[
		'calls',
		...(['voiceCall', 'callId', 'The call log shows no call'] as const),
		'Check that it is the callId that Voice Call > Create returned, in the same account. If it is, look for the call by phone number and time with Voice Call > Get Many: the service does not document whether its call log contains these IDs.',
	],
] as const)(
	'the items of a run that gets %s share the reads, and one that is not found fails alone',
	async (kind, resource, parameter, missing, advice) => {
		await sandbox.control[kind === 'calls' ? 'addCalls' : 'addMessages'](250, {});
		const records: IDataObject[] = await sandbox.control[kind]();
		const ids = map(records, kind === 'calls' ? 'id' : parameter);
		const wanted = [ids[0], ids[249], 'none', '', ids[120]] as string[];
		const items = wanted.map((id) => ({ json: { id } }));
		const output = await sandbox.json(
			{
				...{ resource, operation: 'get', output: 'simplified' },
				[parameter]: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			},
			{ items, node: { onError: 'continueRegularOutput' } },
		);
		const shown = (index: number) =>
			pick(records[index], kind === 'calls' ? ['id', 'phone'] : ['providerMessageId', 'to']);
		const description = `${advice} The node read all 250 records of the list.`;
		expect(output).toMatchObject([
			shown(0),
			shown(249),
			{ error: `${missing} with the ID none`, details: { outcome: 'rejected', description } },
			{ error: expect.stringMatching(/ is empty \(item 3\)$/) as string },
			shown(120),
		]);
		expect(output[0]).not.toHaveProperty('updatedAt');
		expect(await sandbox.requests()).toHaveLength(3);
	},
);

test('two calls of a run to one number wait for each other, and each gets its own entry', async () => {
	await sandbox.control.setAssumptions({ callLogId: 'own' });
	await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 50, endedAfterMs: 50 });
	const waitForCompletion = { wait: { pollInterval: 1, maxWait: 20 } };
	const calls = {
		...{ resource: 'voiceCall', operation: 'create', to: '={{ $json.to }}', text: 'Hello' },
		options: { waitForCompletion },
	};
	const items = ['+44 7700 900210', '+447700900210'].map((to) => ({ json: { to } }));
	const output = await sandbox.json(calls, { items });
	expect(map(output, 'ended')).toEqual([true, true]);
	const placed = sortBy(await sandbox.control.calls(), 'createdAt');
	expect(map(output, 'callLog.id')).toEqual(map(placed, 'id'));
});

test('the simulation of a file shows what would be uploaded', async () => {
	const file = { fileName: 'a.png', mimeType: 'image/png' };
	const items = [{ json: {}, binary: { data: { ...file, data: btoa('\x89PNG\r') } } }];
	const media = { resource: 'chatMessage', operation: 'sendMedia', mediaSource: 'binary' };
	const options = { simulate: 'always' };
	const [json] = await sandbox.json({ ...media, phone, options }, { items });
	expect(json).toMatchObject({ request: { file: { ...file, size: 5 } } });
});

test.each<[string, INodeParameters]>([
	['447700900210', { resource: 'chatMessage', operation: 'send', message: 'Hi' }],
	['447700900210', { ...template, templateName: 'order_update' }],
	['447700900210', { ...template, templateName: 'order_update', header: 'binary' }],
	['447700900210', { ...media, mediaSource: 'url', mediaUrl: 'https://host.example/a.png' }],
	['+447700900210', { resource: 'voiceCall', operation: 'create', text: 'Hi' }],
	['anna@host.example', { resource: 'email', operation: 'send', ...mail }],
])('the item of a send names its recipient, %s, as it was sent: %j', async (to, parameters) => {
	const recipient = to.includes('@') ? ` ${to};` : '+44 (7700) 900-210';
	const binary = { data: { data: btoa('%PDF-'), mimeType: 'application/pdf', fileName: 'a.pdf' } };
	const own = { ...parameters, phone: recipient, to: recipient };
	const sent = (await sandbox.json(own, { items: [{ json: {}, binary }] }))[0];
	expect(sent).toMatchObject({ to });
	const simulated = await sandbox.json(
		{ ...own, options: { simulate: 'always' } },
		{ items: [{ json: {}, binary }] },
	);
	expect(simulated[0]).not.toHaveProperty('to');
});

test('a recipient that the service names is left as it is', async () => {
	const body = { success: true, providerMessageId: 'pm1', to: 'Anna' };
	await sandbox.responds('/chat/send-template', 200, body);
	const [json] = await sandbox.json({ ...template, templateName: 'order_update' });
	expect(json).toMatchObject({ to: 'Anna' });
});

describe('operations without parameters run once for all items', () => {
	const items = range(3).map((index) => ({ json: { index } }));
	const all = map(range(3), (item) => ({ item }));

	test.each(reject(describedOperations, hasParameters))('$name', async ({ choice: parameters }) => {
		const hook = { resource: 'webhook', operation: 'create', url: '={{ $json.url }}' };
		const urls = ['a', 'b'].map((path) => ({ json: { url: `https://host.example/${path}` } }));
		await sandbox.run(hook, { items: urls });
		const one = await sandbox.run(parameters, { items: items.slice(0, 1) });
		const { length } = await sandbox.requests();
		const output = await sandbox.run(parameters, { items });
		expect(await sandbox.requests()).toHaveLength(2 * length - urls.length);
		expect(map(output, 'json')).toHaveLength(one.length);
		expect(map(output, 'pairedItem')).toEqual(one.map(() => all));
	});

	test('a failure is one item, paired with all', async () => {
		const parameters = { resource: 'account', operation: 'getBalance' };
		await sandbox.responds('/balance', 403, { error: 'Forbidden' });
		const node = { onError: 'continueRegularOutput' as const };
		expect(await sandbox.run(parameters, { items, node })).toMatchObject([
			{ json: { error: 'Forbidden' }, pairedItem: all },
		]);
	});
});

test('a record with a key error does not look like a failure', async () => {
	const body = { success: true, providerMessageId: 'pm1', error: 'only a warning' };
	await sandbox.responds('/chat/send-template', 200, body);
	const [json] = await sandbox.json({ ...template, templateName: 'order_update' });
	expect(json).toMatchObject({ success: true, serviceError: 'only a warning' });
	expect(json).not.toHaveProperty('error');
});
