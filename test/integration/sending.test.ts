// What is sent, kept back and remembered is tested in test/unit/sending and test/integration/histories.test.ts.
import type { INodeParameters } from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '={{ $json.phone }}',
	templateName: 'order_update',
};
const path = '/chat/send-template';

const recipients = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		json: { phone: `9198765${String(10_000 + index)}` },
	}));

test('a message whose file is still being uploaded does not go out after a failure', async () => {
	const file = {
		data: Buffer.from('x').toString('base64'),
		mimeType: 'image/png',
		fileName: 'a.png',
	};
	const items = recipients(2).map((item) => ({ ...item, binary: { data: file } }));
	await sandbox.control.addFault({
		kind: 'latency',
		path: '/chat/upload',
		latencyMs: 400,
		skip: 1,
	});
	const body = { error: 'No' };
	await sandbox.control.addFault({ kind: 'status', path: '/chat/send-media', status: 400, body });
	const parameters = {
		resource: 'chatMessage',
		operation: 'sendMedia',
		phone: '={{ $json.phone }}',
		mediaSource: 'binary',
	};
	const error = await sandbox.failure(parameters, { items });
	expect(error.message).toBe('No');
	expect(await sandbox.requests('/chat/upload')).toHaveLength(2);
	expect(await sandbox.requests('/chat/send-media')).toHaveLength(1);
});

test('a record with a key error does not look like a failure', async () => {
	const body = { success: true, providerMessageId: 'pm1', error: 'only a warning' };
	await sandbox.control.addFault({ kind: 'status', path, status: 200, body });
	const [json] = await sandbox.json(template, { items: recipients(1) });
	expect(json).toEqual({ success: true, providerMessageId: 'pm1', serviceError: 'only a warning' });
});
