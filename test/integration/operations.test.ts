// Requests are tested in test/unit/actions, output in schemas.test.ts.

import { map, sortBy } from 'lodash';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '447700900210';
const limits = { pollInterval: 1, maxWait: 20 };
const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};
test('a message whose status is awaited is awaited no longer once it has failed', async () => {
	await sandbox.control.setLifecycle({ enabled: true, messageOutcome: 'Failed' });
	const [json] = await sandbox.json({
		...template,
		options: { waitForStatus: { wait: { status: 'Read', ...limits } } },
	});
	expect(json).toMatchObject({ ended: true, messageRecord: { status: 'Failed' } });
});

test('two calls of a run to one number wait for each other, and each gets its own entry', async () => {
	await sandbox.control.setAssumptions({ callLogId: 'own' });
	await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 50, endedAfterMs: 50 });
	const calls = {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.to }}',
		text: 'Hello',
		options: { waitForCompletion: { wait: limits } },
	};
	const items = ['+44 7700 900210', '7700900210'].map((to) => ({ json: { to } }));
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

test('a record with a key error does not look like a failure', async () => {
	const body = { success: true, providerMessageId: 'pm1', error: 'only a warning' };
	await sandbox.answers('/chat/send-template', 200, body);
	const [json] = await sandbox.json(template);
	expect(json).toEqual({ success: true, providerMessageId: 'pm1', serviceError: 'only a warning' });
});
