import { findOperation } from '../../../nodes/MessagingService/actions';
import { fakeFile, fakeRead, firstRequest, sentRequest } from '../../support/unit/fakeRead';

const build = async (name: string, parameters: Record<string, unknown>, file = fakeFile()) =>
	await firstRequest(name, parameters, { file });

describe('requests without parameters', () => {
	test.each([
		['account.getBalance', 'GET', '/balance'],
		['phoneNumber.getMany', 'GET', '/chat/configs'],
		['webhook.getMany', 'GET', '/chat/webhooks'],
	])('%s is %s %s', async (name, method, path) => {
		expect(await build(name, {})).toEqual({ method, path });
	});

	test('chatMessage.getStats asks for the smallest page', async () => {
		expect(await build('chatMessage.getStats', {})).toEqual({
			method: 'GET',
			path: '/chat/campaigns',
			query: { limit: 1 },
		});
	});
});

describe('chatMessage.send', () => {
	test('sends phone, message and image', async () => {
		const request = await build('chatMessage.send', {
			phone: '+91 98765-43210',
			message: ' Hello ',
			imageUrl: 'https://host.example/a.png',
		});
		expect(request).toEqual({
			method: 'POST',
			path: '/chat/send',
			body: { phone: '919876543210', message: ' Hello ', file: 'https://host.example/a.png' },
		});
	});

	test('leaves an empty image out', async () => {
		const { body } = await build('chatMessage.send', { phone: 919876543210, message: 'Hi' });
		expect(body).toEqual({ phone: '919876543210', message: 'Hi' });
	});

	test('refuses an empty message', async () => {
		await expect(
			build('chatMessage.send', { phone: '919876543210', message: ' ' }),
		).rejects.toThrow('Message is empty (item 1)');
	});
});

describe('chatMessage.sendTemplate', () => {
	const base = { phone: '919876543210', templateName: 'welcome', language: 'en', header: 'none' };

	test('sends fields as parameters in their order', async () => {
		const request = await build('chatMessage.sendTemplate', {
			...base,
			parametersMode: 'fields',
			parametersUi: { parameter: [{ value: 'Anna' }, { value: 12 }] },
			configId: { __rl: true, mode: 'phoneNumber', value: '+91 80471 04710' },
		});
		expect(request).toEqual({
			method: 'POST',
			path: '/chat/send-template',
			body: {
				phone: '919876543210',
				templateName: 'welcome',
				configId: '918047104710',
				language: 'en',
				parameters: ['Anna', '12'],
			},
		});
	});

	test('takes JSON parameters and header parameters as text or as values', async () => {
		const { body } = await build('chatMessage.sendTemplate', {
			...base,
			parametersMode: 'json',
			parametersJson: '["Anna", 2]',
			header: 'json',
			headerParametersJson: { type: 'image' },
		});
		expect(body).toMatchObject({ parameters: ['Anna', '2'], headerParameters: { type: 'image' } });
	});

	test('sends no configId for the default number and no empty parameters', async () => {
		const { body } = await build('chatMessage.sendTemplate', {
			...base,
			configId: { __rl: true, mode: 'list', value: '' },
		});
		expect(body).toEqual({ phone: '919876543210', templateName: 'welcome', language: 'en' });
	});

	test('sends a header file as multipart', async () => {
		const file = fakeFile();
		const request = await build(
			'chatMessage.sendTemplate',
			{
				...base,
				parametersMode: 'json',
				parametersJson: ['A'],
				header: 'binary',
				headerType: 'document',
				headerFilename: 'bill.pdf',
			},
			file,
		);
		expect(request).toEqual({
			method: 'POST',
			path: '/chat/send-template',
			form: {
				fields: {
					phone: '919876543210',
					templateName: 'welcome',
					language: 'en',
					parameters: '["A"]',
					headerType: 'document',
					headerFilename: 'bill.pdf',
				},
				file,
			},
		});
	});

	test.each([
		['{"a": 1}', 'Parameters (JSON) is not a JSON array'],
		['[1, {}]', 'Parameters (JSON) is not text'],
		['[1', 'Parameters (JSON) is not valid JSON'],
	])('refuses the parameters %s', async (parametersJson, message) => {
		await expect(
			build('chatMessage.sendTemplate', { ...base, parametersMode: 'json', parametersJson }),
		).rejects.toThrow(message);
	});
});

describe('chatMessage.sendMedia', () => {
	const base = { phone: '919876543210', mediaType: 'document', caption: 'Bill', filename: 'b.pdf' };

	test('by URL', async () => {
		expect(
			await build('chatMessage.sendMedia', {
				...base,
				mediaSource: 'url',
				mediaUrl: 'HTTPS://host.example/b.pdf',
			}),
		).toEqual({
			method: 'POST',
			path: '/chat/send-media',
			body: {
				phone: '919876543210',
				type: 'document',
				mediaUrl: 'HTTPS://host.example/b.pdf',
				caption: 'Bill',
				filename: 'b.pdf',
			},
		});
	});

	test('by media id, without caption and file name for audio', async () => {
		const { body } = await build('chatMessage.sendMedia', {
			...base,
			mediaType: 'audio',
			mediaSource: 'mediaId',
			mediaId: 'm1',
		});
		expect(body).toEqual({ phone: '919876543210', type: 'audio', mediaId: 'm1' });
	});

	test('from a file, which is uploaded first', async () => {
		const file = fakeFile();
		const operation = findOperation('chatMessage', 'sendMedia');
		if (operation?.kind !== 'item') throw new Error('No such operation');
		const parameters = { ...base, mediaSource: 'binary' };
		const plan = await operation.plan(fakeRead(operation.fields, parameters, { file }));
		const uploads: unknown[] = [];
		const request = await plan.prepare?.(async (upload) => {
			uploads.push(sentRequest(upload));
			return await Promise.resolve({ mediaId: 'm1' });
		});
		expect(uploads).toEqual([{ method: 'POST', path: '/chat/upload', form: { fields: {}, file } }]);
		expect(request?.body).toMatchObject({ phone: '919876543210', mediaId: 'm1' });
	});

	test.each(['http://host.example/b.pdf', 'host.example/b.pdf', ''])(
		'refuses the URL "%s"',
		async (mediaUrl) => {
			await expect(
				build('chatMessage.sendMedia', { ...base, mediaSource: 'url', mediaUrl }),
			).rejects.toThrow('Media URL');
		},
	);
});

describe('lists', () => {
	test('chatMessage.getMany wants records with a status', async () => {
		expect(
			await build('chatMessage.getMany', { limit: 50, filters: { status: 'Failed' } }),
		).toEqual({
			method: 'GET',
			path: '/chat/campaigns',
			query: { status: 'Failed', limit: 100, offset: 0 },
		});
	});

	test('voiceCall.getMany asks for the days around two moments, wherever the day begins', async () => {
		const request = await build('voiceCall.getMany', {
			returnAll: true,
			filters: {
				status: 'answered',
				route: 'carrier_in2',
				search: '+91 98765',
				from: '2026-01-30T10:00:00Z',
				to: '2026-02-01T16:00:00+05:30',
			},
		});
		expect(request).toEqual({
			method: 'GET',
			path: '/voice/call-logs',
			query: {
				status: 'answered',
				route: 'carrier_in2',
				search: '9198765',
				from: '2026-01-29',
				to: '2026-02-02',
				page: 1,
				pageSize: 100,
			},
		});
	});

	test('voiceCall.getMany takes a range of one moment, and refuses one that ends before it starts', async () => {
		const filters = { from: '2026-02-01T10:00:00', to: '2026-02-01T10:00:00' };
		expect(await build('voiceCall.getMany', { limit: 1, filters })).toBeDefined();
		await expect(
			build('voiceCall.getMany', { limit: 1, filters: { from: '2026-02-02', to: '2026-02-01' } }),
		).rejects.toThrow(
			'The range from 2026-02-01T18:30:00.000Z to 2026-01-31T18:30:00.000Z ends first',
		);
	});
});

describe('webhook', () => {
	test('create sends URL and events, and no events for the default', async () => {
		const url = 'https://host.example/hook';
		expect((await build('webhook.create', { url, events: ['message.read'] })).body).toEqual({
			url,
			events: ['message.read'],
		});
		// As an expression may give them.
		const events = 'message.sent, , message.read,';
		expect((await build('webhook.create', { url, events })).body).toEqual({
			url,
			events: ['message.sent', 'message.read'],
		});
		for (const none of [[], '', [' ']]) {
			expect((await build('webhook.create', { url, events: none })).body).toEqual({ url });
		}
	});

	test('delete sends the id in the query', async () => {
		expect(await build('webhook.delete', { webhookId: ' w1 ' })).toEqual({
			method: 'DELETE',
			path: '/chat/webhooks',
			query: { id: 'w1' },
		});
	});
});

describe('voiceCall.create', () => {
	const id = '3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11';
	const base = { to: '+91 98765 43210', voiceRoute: 'auto' };

	test.each([
		[{ content: 'text', text: 'Hello' }, { audioName: 'Hello' }],
		[
			{ content: 'audioUrl', audioUrl: 'https://h.example/a.mp3' },
			{ audioName: 'https://h.example/a.mp3' },
		],
		[{ content: 'aiAgent', aiAgentId: id }, { aiAgentId: id }],
		[{ content: 'xmlTemplate', xmlId: id }, { xmlId: id }],
	])('content %j', async (content, expected) => {
		expect((await build('voiceCall.create', { ...base, ...content })).body).toEqual({
			to: '+919876543210',
			voiceRoute: 'auto',
			...expected,
		});
	});

	test('sends an own number as the route', async () => {
		const { body } = await build('voiceCall.create', {
			...base,
			content: 'text',
			text: 'Hi',
			voiceRoute: 'ownNumber',
			// The documentation asks for 10 digits of `to` alone.
			routeNumber: '8047-1047',
			fromNumber: '+918047104711',
			recipientName: 'Anna',
		});
		expect(body).toMatchObject({
			voiceRoute: '8047-1047',
			fromNumber: '+918047104711',
			recipientName: 'Anna',
		});
	});

	test.each([
		[{ to: '12345' }, 'Recipient Phone Number "12345" has 5 digits: at least 10 are needed'],
		[{ content: 'aiAgent', aiAgentId: 'x' }, 'AI Agent ID is not a UUID'],
		[{ content: 'audioUrl', audioUrl: 'a.mp3' }, 'Audio URL is not an absolute address'],
	])('refuses %j', async (wrong, message) => {
		await expect(
			build('voiceCall.create', { ...base, content: 'text', text: 'Hi', ...wrong }),
		).rejects.toThrow(message);
	});
});

describe('email.send', () => {
	const base = { to: 'a@h.example, b@h.example', subject: 'Hi', html: '<p>H</p>', text: 'T' };

	test.each([
		['html', { html: '<p>H</p>' }],
		['text', { text: 'T' }],
		['both', { html: '<p>H</p>', text: 'T' }],
	])('format %s', async (emailFormat, expected) => {
		expect((await build('email.send', { ...base, emailFormat })).body).toEqual({
			to: 'a@h.example, b@h.example',
			subject: 'Hi',
			...expected,
		});
	});

	test('sends the options that are set', async () => {
		const options = { fromName: 'Shop', replyTo: 'c@h.example', important: true };
		expect(
			(await build('email.send', { ...base, emailFormat: 'text', options })).body,
		).toMatchObject(options);
	});

	test.each([
		['a@h.example,', 'a@h.example'],
		['a@h.example; b@h.example;', 'a@h.example, b@h.example'],
		['Anna <a@h.example>, "Bell, Ben" <b@h.example>', 'a@h.example, b@h.example'],
		[' a@h.example , ; <b@h.example>', 'a@h.example, b@h.example'],
	])('sends the recipients %j as a list of addresses', async (to, sent) => {
		expect((await build('email.send', { ...base, emailFormat: 'html', to })).body).toMatchObject({
			to: sent,
		});
	});

	test.each([
		'a',
		';,',
		'Anna',
		'a@h.example b@h.example',
		'Anna <a@h.example',
		'a@h.example\r\nbcc: b@h.example',
		'a\u0007@h.example',
	])('refuses the recipient %j', async (to) => {
		await expect(build('email.send', { ...base, emailFormat: 'html', to })).rejects.toThrow(
			'is not an email address',
		);
	});
});

describe('media.upload', () => {
	test('sends the file and the number', async () => {
		const file = fakeFile();
		expect(await build('media.upload', { configId: { value: 'c1' } }, file)).toEqual({
			method: 'POST',
			path: '/chat/upload',
			form: { fields: { configId: 'c1' }, file },
		});
	});
});
