import { createRunExecutionData, WAIT_INDEFINITELY, type INodeParameters } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();
const path = '/chat/send';
const phone = '919876543210';

const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone,
	message: '={{ $json.question }}',
};
const items = ['First?', 'Second?'].map((question) => ({ json: { question } }));
const continuing = { node: { onError: 'continueRegularOutput' as const } };

const texts = async (): Promise<string[]> =>
	(await sandbox.requests(path)).map(({ body }) => (body as { message: string }).message);

test('one message goes out for all items, with the values of the first, and the execution waits', async () => {
	const runExecutionData = createRunExecutionData();
	const context = executeContext({
		credential: sandbox.credential(),
		parameters: chat,
		items,
		runExecutionData,
	});
	const [output] = await new MessagingService().execute.call(context);
	expect(output).toEqual([
		{ json: expect.objectContaining({ success: true }), pairedItem: { item: 0 } },
	]);
	expect(await texts()).toEqual([expect.stringMatching(/^First\?\n\nApprove: http/)]);
	expect(runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
	expect(context.hints.map(({ message }) => message)).toEqual([
		expect.stringContaining('One message was sent for all 2 input items'),
	]);
});

test('one item needs no hint', async () => {
	const context = executeContext({
		credential: sandbox.credential(),
		parameters: chat,
		items: items.slice(0, 1),
	});
	await new MessagingService().execute.call(context);
	expect(context.hints).toEqual([]);
});

test('the links are those of the execution and the node, and differ by answer', async () => {
	const approvalOptions = { values: { approvalType: 'double' } };
	await sandbox.run({ ...chat, approvalOptions }, { items, executionId: '4711' });
	const [text = ''] = await texts();
	const urls = [...text.matchAll(/https?:\S+/g)].map(([url]) => new URL(url));
	expect(urls.map(({ pathname }) => pathname)).toEqual(Array(2).fill('/webhook-waiting/4711/1'));
	expect(urls.map(({ searchParams }) => searchParams.get('approved'))).toEqual(['true', 'false']);
	expect(new Set(urls.map(({ searchParams }) => searchParams.get('signature'))).size).toBe(2);
});

test('what another execution has asked with the same key is not waited for', async () => {
	const parameters = { ...chat, options: { idempotencyKey: 'question 1' } };
	await sandbox.run(parameters, { items, executionId: '1' });
	const runExecutionData = createRunExecutionData();
	const output = await sandbox.json(parameters, { items, executionId: '2', runExecutionData });
	expect(output).toEqual([{ alreadySent: true, idempotencyKey: 'question 1' }]);
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await texts()).toHaveLength(1);
});

test('a simulated question shows its request and waits for nothing', async () => {
	const runExecutionData = createRunExecutionData();
	const options = { simulate: 'always' };
	const [item] = await sandbox.run({ ...chat, options }, { items, runExecutionData });
	expect(item?.json).toMatchObject({ simulated: true, request: { path } });
	expect(runExecutionData.waitTill).toBeUndefined();
	expect(await sandbox.requests()).toEqual([]);
});

test('after an answer that rejects nothing waits, and a retry sends', async () => {
	await sandbox.control.addFault({ kind: 'status', path, status: 500, body: { error: 'No' } });
	const runExecutionData = createRunExecutionData();
	const error = await sandbox.failure(chat, { items, runExecutionData });
	expect(error.message).toBe('No');
	expect(error.description).toMatch(/ Nothing was sent\.$/);
	expect(runExecutionData.waitTill).toBeUndefined();

	await sandbox.run(chat, { items, runExecutionData });
	expect(await texts()).toHaveLength(2);
	expect(runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
});

test('with continue on fail a failed send gives its item and nothing waits', async () => {
	await sandbox.control.addFault({ kind: 'status', path, status: 402, body: { error: 'No' } });
	const runExecutionData = createRunExecutionData();
	const output = await sandbox.run(chat, { items, runExecutionData, ...continuing });
	expect(output).toEqual([
		{
			json: { error: 'No', details: expect.objectContaining({ outcome: 'rejected' }) as unknown },
			pairedItem: { item: 0 },
		},
	]);
	expect(runExecutionData.waitTill).toBeUndefined();
});

describe('after an unknown outcome', () => {
	const lost = async () => {
		await sandbox.control.addFault({ kind: 'cut', path, when: 'after' });
		const runExecutionData = createRunExecutionData();
		const error = await sandbox.failure(chat, { items, runExecutionData, executionId: '1' });
		expect(error.context.data?.outcome).toBe('unknown');
		return { runExecutionData, error };
	};

	test.each(['1', '2'])('a retry in execution %s repeats nothing', async (executionId) => {
		const { runExecutionData, error } = await lost();
		const again = await sandbox.failure(chat, { items, runExecutionData, executionId });
		expect(again.message).toBe(error.message);
		expect(await texts()).toHaveLength(1);
		expect(runExecutionData.waitTill).toBeUndefined();
	});

	test('resendUnknown sends the links of the new execution', async () => {
		const { runExecutionData } = await lost();
		const parameters = { ...chat, options: { resendUnknown: true } };
		await sandbox.run(parameters, { items, runExecutionData, executionId: '2' });
		const [first = '', second = ''] = await texts();
		expect(first).toContain('/webhook-waiting/1/');
		expect(second).toContain('/webhook-waiting/2/');
		expect(runExecutionData.waitTill).toEqual(WAIT_INDEFINITELY);
	});

	test('a changed input item is sent', async () => {
		const { runExecutionData } = await lost();
		const changed = [{ json: { question: 'Really?' } }];
		await sandbox.run(chat, { items: changed, runExecutionData });
		expect(await texts()).toHaveLength(2);
	});
});

test('a limit that cannot be used is found before anything is sent', async () => {
	const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T00:00:00' };
	const parameters = { ...chat, options: { limitWaitTime: { values } } };
	const error = await sandbox.failure(parameters, { items });
	expect(error.message).toBe('Max Date and Time is in the past (item 1)');
	expect(await sandbox.requests()).toEqual([]);
});

test('the limit is when the execution goes on', async () => {
	const maxDateAndTime = '2999-12-31T00:00:00Z';
	const limitWaitTime = { values: { limitType: 'atSpecifiedTime', maxDateAndTime } };
	const runExecutionData = createRunExecutionData();
	await sandbox.run({ ...chat, options: { limitWaitTime } }, { items, runExecutionData });
	expect(runExecutionData.waitTill).toEqual(new Date(maxDateAndTime));
});

test('an email goes out as HTML and text', async () => {
	await sandbox.run({
		resource: 'email',
		operation: 'sendAndWait',
		to: 'a@host.example',
		subject: 'Order',
		message: 'Ship "A & B"?',
	});
	const [request] = await sandbox.requests('/email/send');
	expect(request).toMatchObject({
		status: 200,
		body: {
			to: 'a@host.example',
			subject: 'Order',
			html: expect.stringContaining('Ship &quot;A &amp; B&quot;?') as unknown,
			text: expect.stringMatching(/^Ship "A & B"\?\n\nApprove: http/) as unknown,
		},
	});
});
