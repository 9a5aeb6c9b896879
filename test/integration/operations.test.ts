// What goes out is tested in test/unit/actions, what comes out in schemas.test.ts.

import { createRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '447700900210';
const template = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};

describe('a message whose status is waited for', () => {
	const waiting = (own: INodeParameters): INodeParameters => ({
		...template,
		options: { pollInterval: 1, maxWait: 20, ...own },
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
});

describe('a call whose end is waited for', () => {
	const call = {
		resource: 'voiceCall',
		operation: 'create',
		to: '+44 7700 900210',
		content: 'text',
		text: 'Hello',
	};
	const waiting = { ...call, options: { waitForCompletion: true, pollInterval: 1, maxWait: 20 } };

	test('two calls of a run to one number wait for each other, and each gets its own entry', async () => {
		await sandbox.control.setAssumptions({ callLogId: 'own' });
		await sandbox.control.setLifecycle({ enabled: true, answeredAfterMs: 50, endedAfterMs: 50 });
		const both = { ...waiting, to: '={{ $json.to }}', text: '={{ $json.text }}' };
		const items = [
			{ json: { to: '+44 7700 900210', text: 'First' } },
			{ json: { to: '7700900210', text: 'Second' } },
		];
		const output = await sandbox.json(both, { items });
		expect(output.map(({ ended }) => ended)).toEqual([true, true]);
		const found = output.map(({ callLog }) => (callLog as IDataObject).id);
		const placed = (await sandbox.control.calls()).sort((a, b) =>
			a.createdAt.localeCompare(b.createdAt),
		);
		expect(found).toEqual(placed.map(({ id }) => id));
	});
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
		const options = { simulate: 'always' };
		const [json] = await sandbox.json({ ...media, options }, { items });
		expect(json).toMatchObject({
			request: { file: { fileName: 'a.png', mimeType: 'image/png', size: 5 } },
		});
	});

	test('does not go out after a failure that came while it was still being uploaded', async () => {
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

test('an execution keeps little of an accepted item beyond its answer, and that only until all are', async () => {
	const count = 200;
	const items = Array.from({ length: count }, (_, index) => ({ json: { to: phone + index } }));
	const parameters = { ...template, phone: '={{ $json.to }}' };
	const runExecutionData = createRunExecutionData();
	const kept = () => JSON.stringify(runExecutionData.executionData?.contextData).length;
	await sandbox.answers('/chat/send-template', 402, { error: 'Short' }, { skip: count - 1 });
	await sandbox.failure(parameters, { items, runExecutionData });
	const afterFailure = kept();
	const output = await sandbox.json(parameters, { items, runExecutionData });
	const answers = JSON.stringify(output.slice(1)).length;
	expect(afterFailure).toBeGreaterThan(answers);
	expect((afterFailure - answers) / count).toBeLessThanOrEqual(140);
	// What went to whom, for a later round.
	expect(kept() / count).toBeLessThanOrEqual(90);
});
