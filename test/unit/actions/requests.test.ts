import fc from 'fast-check';
import { omit } from 'lodash';
import { findOperation } from '../../../nodes/MessagingService/actions';
import { fakeFile, fakeRead, fakeReader, firstRequest } from '../../support/unit/fakeRead';

type Values = Record<string, unknown>;

const file = fakeFile();
const uuid = '3f2b8f1e-52c1-4f5e-8a8e-6d1a0e9b7c11';
const phone = '447700900210';
const url = 'https://host.example/hook';
const welcome = { phone, templateName: 'welcome', language: 'en' };
const template = { ...welcome, header: 'none' };
const filters = { status: 'answered', route: 'carrier_in2' };
const headerFile = { headerType: 'document', headerFilename: 'bill.pdf' };
const media = { phone, mediaType: 'document', caption: 'Bill', filename: 'b.pdf' };
const call = { to: '+44 7700 900210', voiceRoute: 'auto', content: 'text', text: 'Hi' };
const called = { to: '+447700900210', voiceRoute: 'auto', audioName: 'Hi' };
const mailed = { to: 'a@h.example, b@h.example', subject: 'Hi', html: '<p>H</p>', text: 'T' };
const email = { ...mailed, emailFormat: 'both' };

/** An operation, its parameters, and the request that it makes of them. */
type Case = [operation: string, parameters: Values, request: string, values?: Values];

/** Requests whose parameters are in the address. */
const reads: Case[] = [
	['account.getBalance', {}, 'GET /balance'],
	['phoneNumber.getMany', {}, 'GET /chat/configs'],
	['webhook.getMany', {}, 'GET /chat/webhooks'],
	['webhook.delete', { webhookId: ' w1 ' }, 'DELETE /chat/webhooks', { id: 'w1' }],
	['chatMessage.getStats', {}, 'GET /chat/campaigns', { limit: 1 }],
	[
		'chatMessage.getMany',
		{ limit: ' 55 ', filters: { status: 'Failed' } },
		'GET /chat/campaigns',
		{ status: 'Failed', limit: 100, offset: 0 },
	],
	[
		'voiceCall.getMany',
		{
			returnAll: true,
			filters: {
				...filters,
				search: '+44 7700',
				// The days around two moments, wherever the day begins.
				from: '2026-01-30T10:00:00Z',
				to: '2026-02-01T16:00:00+05:30',
			},
		},
		'GET /voice/call-logs',
		{
			...filters,
			search: '447700',
			from: '2026-01-29',
			to: '2026-02-02',
			page: 1,
			pageSize: 100,
		},
	],
];

test.each(reads)('%s of %j is %s', async (operation, parameters, request, query = {}) => {
	const [method, path] = request.split(' ');
	const sent = await firstRequest(operation, parameters);
	expect({ query: {}, ...sent }).toEqual({ method, path, query });
});

/** Requests whose parameters are in the body. */
const writes: Case[] = [
	[
		'chatMessage.send',
		{ phone: '+44 7700-900210', message: ' Hello ', imageUrl: 'https://host.example/a.png' },
		'/chat/send',
		{ phone, message: ' Hello ', file: 'https://host.example/a.png' },
	],
	[
		'chatMessage.send',
		{ phone: Number(phone), message: 'Hi' },
		'/chat/send',
		{ phone, message: 'Hi' },
	],
	[
		'chatMessage.sendTemplate',
		{
			...template,
			parametersMode: 'fields',
			parametersUi: { parameter: [{ value: 'Anna' }, { value: 12 }] },
			configId: { __rl: true, mode: 'phoneNumber', value: '+44 1632 960710' },
		},
		'/chat/send-template',
		{ ...welcome, configId: '441632960710', parameters: ['Anna', '12'] },
	],
	[
		'chatMessage.sendTemplate',
		{
			...template,
			parametersMode: 'json',
			parametersJson: '["Anna", 2]',
			header: 'json',
			headerParametersJson: { type: 'image' },
		},
		'/chat/send-template',
		{ ...welcome, parameters: ['Anna', '2'], headerParameters: { type: 'image' } },
	],
	...['1', 'TRUE', true].map((allowBlankParameters): Case => [
		'chatMessage.sendTemplate',
		{
			...template,
			parametersMode: 'json',
			parametersJson: ['Anna', null],
			options: { allowBlankParameters },
		},
		'/chat/send-template',
		{ phone, templateName: 'welcome', language: 'en', parameters: ['Anna', ''] },
	]),
	[
		'chatMessage.sendMedia',
		{ ...media, mediaSource: 'url', mediaUrl: 'HTTPS://host.example/b.pdf' },
		'/chat/send-media',
		{ ...omit(media, 'mediaType'), type: 'document', mediaUrl: 'HTTPS://host.example/b.pdf' },
	],
	[
		'chatMessage.sendMedia',
		{ ...media, mediaType: 'audio', mediaSource: 'mediaId', mediaId: 'm1' },
		'/chat/send-media',
		{ phone, type: 'audio', mediaId: 'm1' },
	],
	...(
		[
			['a.JPG?size=1', { type: 'image', caption: 'Bill' }],
			['a.mp4', { type: 'video', caption: 'Bill' }],
			['a.pdf', { type: 'document', caption: 'Bill', filename: 'b.pdf' }],
		] as const
	).map(([name, body]): Case => {
		const mediaUrl = `https://host.example/${name}`;
		const parameters = { ...media, mediaType: 'auto', mediaSource: 'url', mediaUrl };
		return ['chatMessage.sendMedia', parameters, '/chat/send-media', { phone, mediaUrl, ...body }];
	}),
	// As an expression may give them.
	...['a, , b,', ['a', 'b']].map((events): Case => {
		return ['webhook.create', { url, events }, '/chat/webhooks', { url, events: ['a', 'b'] }];
	}),
	...[[], '', [' ']].map((events): Case => {
		return ['webhook.create', { url, events }, '/chat/webhooks', { url }];
	}),
	[
		'voiceCall.create',
		{ ...call, text: 'Say {{1}}' },
		'/voice/call',
		{ ...called, audioName: 'Say {{1}}' },
	],
	...[
		{ content: 'audioUrl', audioUrl: 'https://h.example/a.mp3' },
		{ content: 'aiAgent', aiAgentId: uuid },
		{ content: 'xmlTemplate', xmlId: uuid },
	].map(({ content, audioUrl, ...own }): Case => [
		'voiceCall.create',
		{ ...call, content, audioUrl, ...own },
		'/voice/call',
		{ to: called.to, voiceRoute: 'auto', ...(audioUrl ? { audioName: audioUrl } : own) },
	]),
	[
		'voiceCall.create',
		{
			...call,
			voiceRoute: 'ownNumber',
			// The documentation asks for 10 digits of `to` alone.
			routeNumber: '1632-9607',
			fromNumber: '+441632960711',
			recipientName: 'Anna',
		},
		'/voice/call',
		{ ...called, voiceRoute: '1632-9607', fromNumber: '+441632960711', recipientName: 'Anna' },
	],
	['email.send', email, '/email/send', mailed],
	...(['html', 'text'] as const).map((emailFormat): Case => {
		const { to, subject } = email;
		const sent = { to, subject, [emailFormat]: email[emailFormat] };
		return ['email.send', { ...email, emailFormat }, '/email/send', sent];
	}),
	[
		'email.send',
		{ ...email, options: { fromName: 'Shop', replyTo: 'c@h.example', important: true } },
		'/email/send',
		{ ...mailed, fromName: 'Shop', replyTo: 'c@h.example', important: true },
	],
	...[
		['Anna <a@h.example>, "Bell, Ben" <b@h.example>', mailed.to],
		[' a@h.example , ; <b@h.example>', mailed.to],
		[`'a@h.example'; B <“b@h.example”>; "A@H.EXAMPLE"`, mailed.to],
		['é@bücher.example, e\u0301@xn--bcher-kva.example', 'é@bücher.example'],
	].map(([to, sent]): Case => [
		'email.send',
		{ ...email, to },
		'/email/send',
		{ ...mailed, to: sent },
	]),
];

test.each(writes)('%s of %j is sent to %s', async (operation, parameters, path, body) => {
	expect(await firstRequest(operation, parameters)).toEqual({ method: 'POST', path, body });
});

test.each<Case>([
	['media.upload', { configId: { value: 'c1' } }, '/chat/upload', { configId: 'c1' }],
	[
		'chatMessage.sendTemplate',
		{
			...template,
			...headerFile,
			parametersMode: 'json',
			parametersJson: ['A'],
			header: 'binary',
		},
		'/chat/send-template',
		{ ...welcome, ...headerFile, parameters: '["A"]' },
	],
])('%s of %j is a form with a file to %s', async (operation, parameters, path, fields) => {
	const request = await firstRequest(operation, parameters, { file });
	expect(request).toEqual({ method: 'POST', path, form: { fields, file } });
});

/** What JSON can hold and JavaScript stumbles over when it makes text or a number of it. */
const noText = { toString: 1, valueOf: 1 };
const noRows = 'Parameters is not a list of rows with a value each';

test.each<[operation: string, parameters: Values, message: string]>([
	['chatMessage.send', { phone, message: ' ' }, 'Message is empty (item 1)'],
	[
		'chatMessage.send',
		{ phone, message: 'Hi {{ name }}' },
		'Message contains {{ name }}, which was',
	],
	[
		'voiceCall.create',
		{ ...call, text: 'Hi $json.name!' },
		'Text contains $json.name as plain text. Write {{ $json.name }} and switch',
	],
	['chatMessage.sendTemplate', { ...template, language: 'English' }, 'Language is not a language'],
	[
		'chatMessage.sendTemplate',
		{ ...template, header: 'json', headerParametersJson: '{}' },
		'Header Parameters (JSON) is empty',
	],
	[
		'chatMessage.sendMedia',
		{ ...media, mediaType: 'image', mediaSource: 'url', mediaUrl: 'https://host.example/a.PDF?b' },
		'The file at the URL ends in .PDF, which cannot be sent as Image',
	],
	...Object.entries({
		'{"a": 1}': 'is not a JSON array',
		'[1, {"time": 1}]': '(value of {{2}}) is an object: use one of its fields, e.g. "time"',
		'[1, []]': '(value of {{2}}) is a list',
		'["{{1}}"]': '(value of {{1}}) contains {{1}}, which was not filled in',
		'["{{ $json.name }}"]': 'contains {{ $json.name }} as plain text',
		[`${'['.repeat(20_000)}${']'.repeat(20_000)}`]: 'has more than 20 levels',
		'[1': 'is not valid JSON',
	}).map(([parametersJson, problem]): [string, Values, string] => {
		const parameters = { ...template, parametersMode: 'json', parametersJson };
		return ['chatMessage.sendTemplate', parameters, `Parameters (JSON) ${problem}`];
	}),
	...(
		[
			['0', 'Parameters has no value for {{1}}'],
			['', 'Tolerate Blank Parameters is neither true nor false'],
		] as const
	).map(([allowBlankParameters, message]): [string, Values, string] => [
		'chatMessage.sendTemplate',
		{
			...template,
			parametersUi: { parameter: [{ value: ' ' }] },
			options: { allowBlankParameters },
		},
		message,
	]),
	['chatMessage.sendTemplate', { ...template, parametersUi: { parameter: 'Anna' } }, noRows],
	...['http://host.example/b.pdf', 'host.example/b.pdf', ''].map(
		(mediaUrl): [string, Values, string] => [
			'chatMessage.sendMedia',
			{ ...media, mediaSource: 'url', mediaUrl },
			'Media URL',
		],
	),
	...(
		[
			[{ mediaSource: 'mediaId', mediaId: 'm1' }, "can't be determined from a media ID"],
			[{ mediaSource: 'url', mediaUrl: url }, `can't be determined from the URL ${url}`],
			[{ mediaSource: 'url', mediaUrl: `${url}/a.mp3` }, 'Audio files cannot have a caption'],
		] as const
	).map(([source, message]): [string, Values, string] => {
		return ['chatMessage.sendMedia', { ...media, mediaType: 'auto', ...source }, message];
	}),
	['webhook.create', { url, events: [noText] }, 'Events is an object'],
	[
		'webhook.create',
		{ url: 'http://host.example' },
		'URL is not an address that starts with https',
	],
	...[noText, true, ' '].map((limit): [string, Values, string] => {
		return ['chatMessage.getMany', { limit }, 'Limit is not a number'];
	}),
	['chatMessage.getMany', { limit: 1e300 }, 'Limit is more than 2147483647'],
	['voiceCall.getMany', { limit: 1, filters: { from: { toISO: 1 } } }, 'From is not a date'],
	[
		'voiceCall.getMany',
		{ limit: 1, filters: { from: '2026-02-02', to: '2026-02-01' } },
		'To (2026-02-01 00:00) is before From (2026-02-02 00:00, Asia/Kolkata)',
	],
	...(
		[
			[{ to: '12345' }, 'Recipient Phone Number "12345" has 5 digits: 10 to 15 are needed'],
			[{ content: 'aiAgent', aiAgentId: 'x' }, 'AI Agent ID is not a UUID'],
			[{ content: 'audioUrl', audioUrl: 'a.mp3' }, 'Audio URL is not an absolute address'],
			[
				{ options: { waitForCompletion: true, pollInterval: 1e9 } },
				'Wait Between Checks (Seconds) is more than 2147483',
			],
		] as const
	).map(([own, message]): [string, Values, string] => {
		return ['voiceCall.create', { ...call, ...own }, message];
	}),
	...(
		[
			['a'.repeat(40), `To "${'a'.repeat(40)}" is`],
			['a'.repeat(200_000), `To "${'a'.repeat(40)}…" is not an email address`],
		] as const
	).map(([to, message]): [string, Values, string] => ['email.send', { ...email, to }, message]),
	[
		'email.send',
		{ ...email, to: 'a@host.example, @host.example' },
		'To "@host.example" is not an email address',
	],
	...[
		'Doe, Anna <a@h.example>',
		'"a@h.example',
		'a@h..example',
		'(a@h.example)',
		'a@evil.example＠h.example',
		'a@h。example',
		'a@h.example\r\nb@h.example',
	].map((replyTo): [string, Values, string] => {
		return ['email.send', { ...email, options: { replyTo } }, 'is not an email address'];
	}),
	[
		'email.send',
		{ ...email, options: { replyTo: mailed.to } },
		'Reply To has more than one address',
	],
	...['fromName', 'subject'].map((name): [string, Values, string] => {
		const parameters = { ...email, subject: 'a\nb', options: { [name]: 'Hello\r\nBcc: b' } };
		return ['email.send', parameters, 'has a line break'];
	}),
	[
		'email.send',
		{ ...email, text: 'Dear {{ $json.name }}' },
		'Text contains {{ $json.name }} as plain text. Switch the field to Expression (item 1)',
	],
	['email.send', { ...email, to: '{{$json.to}}' }, 'To contains {{$json.to}} as plain text'],
	...[
		';,',
		'Anna',
		'a@h.example b@h.example',
		'a@h.example\r\nbcc: b@h.example',
		'a@h.example\u200b',
		'mailto:a@h.example',
	].map((to): [string, Values, string] => {
		return ['email.send', { ...email, to }, 'is not an email address'];
	}),
])('%s refuses what it cannot send (%#)', async (operation, parameters, message) => {
	await expect(firstRequest(operation, parameters)).rejects.toThrow(message);
});

test.each(['webhook.create', 'media.upload'])(
	'%s does not take an answer without an ID for a success',
	(name) => {
		const [resource = '', operation = ''] = name.split('.');
		expect(() => findOperation(resource, operation)?.output?.({ success: true })).toThrow(
			'The service responded without',
		);
	},
);

const answered = { ...template, sendAs: 'template', responseType: 'approval' };

test.each<[string, Values, Values]>([
	['chatMessage.send', { phone, message: 'Hi' }, { unit: 'chat credits', amount: null }],
	[
		'chatMessage.sendMedia',
		{ ...media, mediaSource: 'url', mediaUrl: url },
		{ unit: 'chat credits', amount: 1 },
	],
	['chatMessage.sendTemplate', template, { unit: 'chat credits', marketing: 3, utility: 1 }],
	['chatMessage.sendAndWait', answered, { unit: 'chat credits', marketing: 3, utility: 1 }],
	[
		'chatMessage.sendAndWait',
		{ ...answered, sendAs: 'text', message: 'Hi' },
		{ unit: 'chat credits', amount: null },
	],
	['voiceCall.create', call, { unit: 'voice minutes', amount: 1 }],
	[
		'email.send',
		{ ...email, to: `A <a@h.example>; ${mailed.to}` },
		{ unit: 'email credits', amount: 2 },
	],
	['email.sendAndWait', { ...email, message: 'Hi' }, { unit: 'email credits', amount: 2 }],
])('%s of %j costs %j', async (name, parameters, cost) => {
	const [resource = '', value = ''] = name.split('.');
	const operation = findOperation(resource, value);
	if (!operation) throw new Error('No such operation');
	const read = fakeRead(operation.fields, parameters);
	const plan =
		operation.kind === 'item'
			? await operation.plan(read)
			: (await operation.plan(fakeReader(read), [{ json: {} }])).plans[0];
	expect(plan && operation.cost?.(plan.request)).toEqual(cost);
});

test('a mailbox in any spelling is sent once, quotes and names left out', async () => {
	const name = fc.stringMatching(/^[a-z][\w.+-]{0,20}$/);
	const spelling = fc.constantFrom(
		(one: string) => one,
		(one: string) => one.toUpperCase(),
		(one: string) => `'${one}'`,
		(one: string) => ` Bell <"${one}"> `,
	);
	await fc.assert(
		fc.asyncProperty(name, spelling, spelling, async (local, first, second) => {
			const address = `${local}@bücher.h.example`;
			const to = `${first(address)};${second(address)}, b@h.example`;
			const { body } = await firstRequest('email.send', { ...email, to });
			expect(String(body?.to).toLowerCase()).toBe(`${address}, b@h.example`.toLowerCase());
		}),
	);
});

describe('one rule for every address on the web', () => {
	const sentAs = async (imageUrl: string) =>
		(await firstRequest('chatMessage.send', { phone, message: 'Hi', imageUrl })).body?.file;
	const path = fc.stringMatching(/^[\w~!$&'()*+=:@%?/#[\]-]{0,30}$/);

	test('printable ASCII goes out as it was entered', async () => {
		await fc.assert(
			fc.asyncProperty(path, async (entered) => {
				const address = `https://host.example/${entered}`;
				expect(await sentAs(` ${address}\n`)).toBe(address);
			}),
		);
	});

	test.each([
		['https://host.example/my bill.pdf', 'https://host.example/my%20bill.pdf'],
		['https://bücher.example/é?a=ü', 'https://xn--bcher-kva.example/%C3%A9?a=%C3%BC'],
		['https://a.example/?u=https://b.example', 'https://a.example/?u=https://b.example'],
		['', undefined],
	])('%s is sent as %s', async (entered, sent) => {
		expect(await sentAs(entered)).toBe(sent);
	});

	const bad = [
		...['https://a b.example/', 'null', '/etc/passwd', 'file:///a', 'https://'].map(
			(entered) => [entered, 'is not an absolute address'] as const,
		),
		['https://h.example/a\u200eb', 'contains the invisible character U+200E'],
		['https://h.example/a\nb', 'contains the invisible character U+000A'],
		...[', ', ' ', ';', '\n', '|'].map(
			(gap) => [`https://h.example/a${gap}HTTP://h.example/b`, 'more than one address'] as const,
		),
		[`https://h.example/${'a'.repeat(100_000)}`, 'has more than 2000 characters'],
	] as const;

	test.each(bad)('what cannot be reached is refused (%#)', async (entered, problem) => {
		const isNull = entered === 'null';
		const own = isNull ? 'contains "null": an expression in it returns no text' : problem;
		await expect(sentAs(entered)).rejects.toThrow(own);
		for (const [name, parameters] of [
			['chatMessage.sendMedia', { ...media, mediaSource: 'url', mediaUrl: entered }],
			['voiceCall.create', { ...call, content: 'audioUrl', audioUrl: entered }],
			['webhook.create', { url: entered }],
		] as const) {
			const other = own.startsWith('is not') ? 'is not an' : own;
			await expect(firstRequest(name, parameters)).rejects.toThrow(other);
		}
	});
});

test.each([
	['image', 'application/pdf', 'Document'],
	['image', 'video/mp4', 'Video'],
	['audio', 'text/plain; charset=utf-8', 'Document'],
	['video', 'image/png', 'Image'],
])('a file is not sent as %s if it is %s', async (mediaType, mimeType, right) => {
	const parameters = { ...media, mediaType, mediaSource: 'binary' };
	await expect(
		firstRequest('chatMessage.sendMedia', parameters, { file: { ...file, mimeType } }),
	).rejects.toMatchObject({
		message: expect.stringMatching(/^The file "invoice.pdf" is ".*cannot be sent as/) as string,
		description: `Set Media Type to ${right}.`,
	});
});

test.each([
	['image', 'image/png'],
	['document', 'image/png'],
	['video', 'application/octet-stream'],
	['audio', 'application/ogg'],
])('a file may be sent as %s if it is %s', async (mediaType, mimeType) => {
	const parameters = { ...media, mediaType, mediaSource: 'binary' };
	const options = { file: { ...file, mimeType } };
	const { body } = await firstRequest('chatMessage.sendMedia', parameters, options);
	expect(body).toMatchObject({ type: mediaType });
});
