// Requests are tested in test/unit/actions, output in schemas.test.ts.

import { map, sortBy } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '447700900210';
const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};
const waiting = (own: INodeParameters): INodeParameters => ({
	...template,
	options: { pollInterval: 1, maxWait: 20, ...own },
});

test('a message whose status is awaited is awaited no longer once it has failed', async () => {
	await sandbox.control.setLifecycle({ enabled: true, messageOutcome: 'Failed' });
	const [json] = await sandbox.json(waiting({ waitForStatus: 'Read' }));
	expect(json).toMatchObject({ ended: true, messageRecord: { status: 'Failed' } });
});

test.each([{}, { waitForStatus: 'none' }])('no status is awaited with %j', async (own) => {
	const [json] = await sandbox.json(waiting(own));
	expect(json).not.toHaveProperty('ended');
	expect(await sandbox.requests('/chat/campaigns')).toEqual([]);
});

test('two calls of a run to one number wait for each other, and each gets its own entry', async () => {
	await sandbox.control.setAssumptions({ callLogId: 'own' });
	await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 50, endedAfterMs: 50 });
	const calls = {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.to }}',
		text: 'Hello',
		options: { waitForCompletion: true, pollInterval: 1, maxWait: 20 },
	};
	const items = ['+44 7700 900210', '7700900210'].map((to) => ({ json: { to } }));
	const output = await sandbox.json(calls, { items });
	expect(map(output, 'ended')).toEqual([true, true]);
	const placed = sortBy(await sandbox.control.calls(), 'createdAt');
	expect(map(output, 'callLog.id')).toEqual(map(placed, 'id'));
});

describe('media from a file', () => {
	const data = { data: btoa('hello'), mimeType: 'image/png', fileName: 'a.png' };
	const items = [phone, '447700900211'].map((to) => ({ json: { to }, binary: { data } }));
	const media = {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.to }}',
		mediaSource: 'binary',
	};

	test('shows in a simulation the file that would be uploaded', async () => {
		const [json] = await sandbox.json({ ...media, options: { simulate: 'always' } }, { items });
		const file = { fileName: 'a.png', mimeType: 'image/png', size: 5 };
		expect(json).toMatchObject({ request: { file } });
	});

	test('is not sent after a failure that came while it was still being uploaded', async () => {
		const slow = { kind: 'latency', path: '/chat/upload', latencyMs: 400, skip: 1 } as const;
		await sandbox.control.addFault(slow);
		await sandbox.answers('/chat/send-media', 400, { error: 'No' });
		expect((await sandbox.failure(media, { items })).message).toBe('No');
		expect(await sandbox.requests('/chat/upload')).toHaveLength(2);
		expect(await sandbox.requests('/chat/send-media')).toHaveLength(1);
	});
});

test('a record with a key error does not look like a failure', async () => {
	const body = { success: true, providerMessageId: 'pm1', error: 'only a warning' };
	await sandbox.answers('/chat/send-template', 200, body);
	const [json] = await sandbox.json(template);
	expect(json).toEqual({ success: true, providerMessageId: 'pm1', serviceError: 'only a warning' });
});
