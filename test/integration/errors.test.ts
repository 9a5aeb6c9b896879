import '../support/core/shortWaits';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { INodeParameters } from 'n8n-workflow';
import { freePort } from '../../harness';
import { startSandbox } from '../../sandbox';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '919876543210';
const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};
const balance: INodeParameters = { resource: 'account', operation: 'getBalance' };
const text: INodeParameters = { resource: 'chatMessage', operation: 'send', phone, message: 'Hi' };
const call: INodeParameters = {
	resource: 'voiceCall',
	operation: 'create',
	to: '919876543210',
	content: 'text',
	text: 'Hi',
};

describe("the service's text comes first, then what to do", () => {
	test('400 names the field', async () => {
		const error = await sandbox.failure({ ...template, templateName: 'pending_review' });
		expect(error.message).toBe("Template 'pending_review' does not exist or is not approved");
		expect(error.description).toBe(
			'Check Template Name: the template must exist and be approved. Nothing was sent.',
		);
		expect(error.context.itemIndex).toBe(0);
		expect(error.httpCode).toBe('400');
	});

	test('401 is sent once and says where to look', async () => {
		const error = await sandbox.failure(template, { credential: sandbox.credential('nonsense') });
		expect(error.message).toBe('Unauthorized: Invalid or missing API key');
		expect(error.description).toContain('Settings > API Keys');
		expect(await sandbox.requests()).toHaveLength(1);
	});

	test.each([
		[{ chatBalance: 0 }, template, 'chat credits'],
		[{ voiceMins: 0 }, call, 'voice minutes'],
		[
			{ emailBalance: 0 },
			{
				resource: 'email',
				operation: 'send',
				to: 'a@h.example',
				subject: 'S',
				emailFormat: 'text',
				text: 'T',
			},
			'email credits',
		],
	])('402 names the balance: %j', async (account, parameters, named) => {
		await sandbox.control.setAccount(account);
		const error = await sandbox.failure(parameters);
		expect(error.httpCode).toBe('402');
		expect(error.description).toContain(named);
	});

	test('403 names the scope', async () => {
		const { key } = await sandbox.control.createKey({ scopes: ['balance:read'] });
		const error = await sandbox.failure(template, { credential: sandbox.credential(key) });
		expect(error.message).toBe(
			"Forbidden: This API key does not have the 'chat:send-template' permission.",
		);
		expect(error.description).toContain('Add the scope chat:send-template');
	});

	test('404 names the base URL or the id', async () => {
		const { baseUrl, apiKey } = sandbox.credential();
		const credential = { baseUrl: `${baseUrl}/v9`, apiKey };
		expect((await sandbox.failure(balance, { credential })).description).toContain('base URL');
		const deletion = { resource: 'webhook', operation: 'delete', webhookId: 'none' };
		expect((await sandbox.failure(deletion)).description).toContain('Check the ID');
	});

	test('500 of a voice route names its credentials', async () => {
		await sandbox.control.setVoiceRoutes({ carrier_in1: false });
		const error = await sandbox.failure(call);
		expect(error.message).toContain('carrier_in1');
		expect(error.description).toContain('credentials are configured for the voice route');
	});

	test('500 of a text message names the browser session and keeps the screenshot', async () => {
		await sandbox.control.setChatSession(false);
		const error = await sandbox.failure(text);
		expect(error.description).toContain('browser session');
		const [item] = await sandbox.json(text, { node: { onError: 'continueRegularOutput' } });
		expect(item).toMatchObject({
			error: error.message,
			details: { outcome: 'rejected', statusCode: 500, screenshot: expect.any(String) as string },
		});
	});

	test('200 with success false is an error too', async () => {
		const body = { success: false, error: 'Not today' };
		await sandbox.control.addFault({ kind: 'status', path: '/chat/send', status: 200, body });
		expect(await sandbox.failure(text)).toMatchObject({
			message: 'Not today',
			context: { data: { outcome: 'rejected' } },
		});
	});
});

describe('answers that are not the service', () => {
	test.each([
		['a web page', { kind: 'html', path: '/balance' } as const],
		['an empty body', { kind: 'status', path: '/balance', status: 200, body: '' } as const],
		['another JSON', { kind: 'status', path: '/balance', status: 400, body: { code: 7 } } as const],
	])('%s', async (_name, fault) => {
		await sandbox.control.addFault(fault);
		const error = await sandbox.failure(balance);
		expect(error.message).toContain('does not answer like the service');
		expect(error.description).toContain('base URL');
	});

	test('a redirect is not followed; the message names where it points', async () => {
		const location = 'https://elsewhere.example/login';
		await sandbox.control.addFault({ kind: 'redirect', path: '/balance', location });
		const error = await sandbox.failure(balance);
		expect(error.message).toBe(`The base URL redirects to ${location}`);
		expect(await sandbox.requests()).toHaveLength(1);
	});

	test.each([502, 503, 504])('a read is repeated after %i', async (status) => {
		await sandbox.control.addFault({
			kind: 'status',
			path: '/balance',
			status,
			body: '<html>',
			count: 2,
		});
		expect(await sandbox.json(balance)).toHaveLength(1);
		expect(await sandbox.requests()).toHaveLength(3);
	});
});

describe('connections that fail', () => {
	/** Comes true when a connection that this process opens is refused. */
	const firstRefusal = async (): Promise<void> =>
		await new Promise((resolve) => {
			const watch = (message: unknown) => {
				const { socket } = message as { socket: Socket };
				socket.once('error', ({ code }: NodeJS.ErrnoException) => {
					if (code !== 'ECONNREFUSED') return;
					unsubscribe('net.client.socket', watch);
					resolve();
				});
			};
			subscribe('net.client.socket', watch);
		});
	const at = (baseUrl: string) => ({ credential: { baseUrl, apiKey: 'key of the test' } });

	test('refused', async () => {
		const port = await freePort();
		const error = await sandbox.failure(template, at(`http://127.0.0.1:${port}/api/v1`));
		expect(error.message).toBe(`127.0.0.1:${port} refused the connection or could not be reached`);
		expect(error.context.data).toMatchObject({ outcome: 'notSent', code: 'ECONNREFUSED' });
	});

	test('refused at first: the send is tried again and arrives once', async () => {
		const port = await freePort();
		const refused = firstRefusal();
		const running = sandbox.run(template, {
			credential: {
				baseUrl: `http://127.0.0.1:${port}/api/v1`,
				apiKey: sandbox.credential().apiKey,
			},
		});
		await refused;
		// The same seed gives the same keys.
		const late = await startSandbox({ port, lifecycle: { enabled: false } });
		expect((await running)[0]?.json).toHaveProperty('providerMessageId');
		expect(await late.control.messages()).toHaveLength(1);
		await late.close();
	});

	test('unknown host', async () => {
		const error = await sandbox.failure(template, at('https://no-such-host.invalid/api/v1'));
		expect(error.message).toBe('The name of the host no-such-host.invalid was not found');
		expect(error.context.data).toMatchObject({ outcome: 'notSent' });
	});

	test('a server that does not speak TLS', async () => {
		const { baseUrl } = sandbox.credential();
		const error = await sandbox.failure(template, at(baseUrl.replace('http:', 'https:')));
		expect(error.message).toContain('No secure connection to 127.0.0.1');
		expect(error.context.data).toMatchObject({ outcome: 'notSent' });
		expect(await sandbox.requests()).toEqual([]);
	});

	test('timeout', async () => {
		await sandbox.control.addFault({ kind: 'silence', path: '/chat/send-template', when: 'after' });
		const error = await sandbox.failure({ ...template, options: { timeout: 300 } });
		expect(error.message).toContain('did not answer within the timeout');
		expect(error.description).toContain('Get Many');
		expect(error.context.data).toMatchObject({ outcome: 'unknown' });
	});

	test.each([
		['cut', { kind: 'cut', path: '/chat/send-template', when: 'after' } as const],
		['half an answer', { kind: 'halfResponse', path: '/chat/send-template' } as const],
	])('%s', async (_name, fault) => {
		await sandbox.control.addFault(fault);
		const error = await sandbox.failure(template);
		expect(error.message).toContain('was cut before the answer was complete');
		expect(error.context.data).toMatchObject({ outcome: 'unknown' });
		expect(await sandbox.requests()).toHaveLength(1);
	});

	test('a base URL that is none', async () => {
		const error = await sandbox.failure(balance, at('host.example/api/v1'));
		expect(error.message).toBe('The base URL of the credential is not a web address');
	});
});

test('no error carries the key or the request', async () => {
	const apiKey = 'a key that must stay secret';
	const credential = { ...sandbox.credential(), apiKey };
	await sandbox.control.addFault({ kind: 'cut', path: '/balance', count: 'infinite' });
	for (const parameters of [template, balance]) {
		const error = await sandbox.failure(parameters, { credential });
		const everything =
			JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error.stack);
		expect(everything).not.toContain(apiKey);
		expect((error as { cause?: unknown }).cause).toBeUndefined();
	}
});
