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
const media = { phone, mediaType: 'document', caption: 'Bill' };
const filename = 'Bill 1/26.pdf';
/** A name of two lines, as a cell of a spreadsheet has it. */
const shop = 'Flower Shop\nMain Street';
const call = { to: '+44 7700 900210', content: 'text', text: 'Hi' };
const called = { to: '+447700900210', voiceRoute: 'auto', audioName: 'Hi' };
const mailed = { to: 'a@h.example, b@h.example', subject: 'Hi', html: '<p>H</p>', text: 'T' };
const email = { ...mailed, emailFormat: 'both' };

/** An operation, its parameters, and the request that it makes of them. */
type Case = [operation: string, parameters: Values, request: string, values?: Values];

/** Moments, for which the days around them are read, wherever the day begins. */
const days = { from: '2026-01-30T10:00:00Z', to: '2026-02-01T16:00:00+05:30' };
const firstPage = { page: 1, pageSize: 100 };

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
		{ returnAll: true, filters: { ...filters, search: '+44 7700', ...days } },
		'GET /voice/call-logs',
		{ ...filters, search: '447700', from: '2026-01-29', to: '2026-02-02', ...firstPage },
	],
];

test.each(reads)('%s of %j is %s', async (operation, parameters, request, query = {}) => {
	const [method, path] = request.split(' ');
	const sent = await firstRequest(operation, parameters);
	expect({ query: {}, ...omit(sent, 'onTimed') }).toEqual({ method, path, query });
});

/** Requests of an operation, each with its own parameters and values beside these. */
const sent = (
	operation: string,
	path: string,
	[parameters, values]: [Values, Values],
	cases: Array<[Values, Values]>,
) =>
	cases.map(([own, more]): Case => [
		operation,
		{ ...parameters, ...own },
		path,
		{ ...values, ...more },
	]);

const json = (parametersJson: unknown) => ({ parametersMode: 'json', parametersJson });

/** Requests whose parameters are in the body. */
const writes: Case[] = [
	...sent(
		'chatMessage.send',
		'/chat/send',
		[{ message: ' Hello ' }, { phone, message: ' Hello ' }],
		[
			[{ phone: '+44 7700-900210', imageUrl: `${url}.png` }, { file: `${url}.png` }],
			[{ phone: Number(phone) }, {}],
		],
	),
	...sent(
		'chatMessage.sendTemplate',
		'/chat/send-template',
		[template, welcome],
		[
			[
				{
					parametersMode: 'fields',
					parametersUi: { parameter: [{ value: 'Anna' }, { value: 12 }] },
					additionalFields: {
						configId: { __rl: true, mode: 'phoneNumber', value: '+44 1632 960710' },
					},
				},
				{ configId: '441632960710', parameters: ['Anna', '12'] },
			],
			[
				{ ...json('["Anna", 2]'), header: 'json', headerParametersJson: { type: 'image' } },
				{ parameters: ['Anna', '2'], headerParameters: { type: 'image' } },
			],
			...['1', 'TRUE', true].map((allowBlankParameters): [Values, Values] => [
				{ ...json(['Anna', null]), options: { allowBlankParameters } },
				{ parameters: ['Anna', ''] },
			]),
		],
	),
	...sent(
		'chatMessage.sendMedia',
		'/chat/send-media',
		[{ ...media, additionalFields: { filename } }, { phone }],
		[
			[
				{ mediaSource: 'url', mediaUrl: 'HTTPS://host.example/b.pdf' },
				{ caption: 'Bill', filename, type: 'document', mediaUrl: 'HTTPS://host.example/b.pdf' },
			],
			[
				{ mediaType: 'audio', mediaSource: 'mediaId', mediaId: 'm1' },
				{ type: 'audio', mediaId: 'm1' },
			],
			[
				{ mediaSource: 'mediaId', mediaId: 'm1', additionalFields: { filename: shop } },
				{ type: 'document', mediaId: 'm1', caption: 'Bill', filename: shop },
			],
		],
	),
	...sent(
		'webhook.create',
		'/chat/webhooks',
		[{ url }, { url }],
		[
			// As an expression may return them.
			[{ events: 'a, , b,' }, { events: ['a', 'b'] }],
			[{ events: ['a', 'b'] }, { events: ['a', 'b'] }],
			...[[], '', [' ']].map((events): [Values, Values] => [{ events }, {}]),
		],
	),
	...sent(
		'voiceCall.create',
		'/voice/call',
		[call, called],
		[
			[{ text: 'Say {{1}}' }, { audioName: 'Say {{1}}' }],
			[{ content: 'audioUrl', audioUrl: `${url}?a.pdf` }, { audioName: `${url}?a.pdf` }],
			...[{ aiAgentId: uuid }, { xmlId: uuid }].map((own): [Values, Values] => {
				const content = 'xmlId' in own ? 'xmlTemplate' : 'aiAgent';
				return [
					{ content, ...own },
					{ audioName: undefined, ...own },
				];
			}),
			[
				{
					additionalFields: {
						voiceRoute: 'ownNumber',
						// The documentation asks for 10 digits of `to` alone.
						routeNumber: '1632-9607',
						fromNumber: '+441632960711',
						recipientName: ` ${shop}\n`,
					},
				},
				{ voiceRoute: '1632-9607', fromNumber: '+441632960711', recipientName: shop },
			],
		],
	),
	...sent(
		'email.send',
		'/email/send',
		[email, mailed],
		[
			[{ emailFormat: 'html' }, { text: undefined }],
			[{ emailFormat: 'text' }, { html: undefined }],
			[
				{ additionalFields: { fromName: 'Shop', replyTo: 'c@h.example', important: true } },
				{ fromName: 'Shop', replyTo: 'c@h.example', important: true },
			],
			[{ to: `'a@h.example'; B <“b@h.example”>; "A@H.EXAMPLE"` }, {}],
			[{ to: 'é@bücher.example, e\u0301@xn--bcher-kva.example' }, { to: 'é@bücher.example' }],
		],
	),
];

test.each(writes)('%s of %j is sent to %s', async (operation, parameters, path, body) => {
	expect(await firstRequest(operation, parameters)).toEqual({ method: 'POST', path, body });
});

const bill = { headerType: 'document', headerFilename: 'bill.pdf' };

test.each<Case>([
	['media.upload', { configId: { value: 'c1' } }, '/chat/upload', { configId: 'c1' }],
	[
		'chatMessage.sendTemplate',
		{ ...template, ...bill, ...json(['A']), header: 'binary' },
		'/chat/send-template',
		{ ...welcome, ...bill, parameters: '["A"]' },
	],
	[
		'chatMessage.sendTemplate',
		{ ...template, ...bill, headerFilename: shop, header: 'binary' },
		'/chat/send-template',
		{ ...welcome, ...bill, headerFilename: shop },
	],
])('%s of %j is a form with a file to %s', async (operation, parameters, path, fields) => {
	const request = await firstRequest(operation, parameters, { file });
	expect(request).toEqual({ method: 'POST', path, form: { fields, file } });
});

/** What JSON can hold and JavaScript stumbles over when it makes text or a number of it. */
const noText = { toString: 1, valueOf: 1 };
const notAddresses = [
	...[';,', '"a@h.example', 'a@h..example', 'a@evil.example＠h.example'],
	'a@h.example\r\nbcc: b@h.example',
];
const noAddress = (text: string) => `To contains "${text}", which is not an email address`;
const noRows = 'Parameters is not a list of rows with the field "value"';

/** What an operation rejects beside these parameters, and its message. */
const rejected = (
	operation: string,
	parameters: Values,
	cases: Array<[Values | Values[], string]>,
) =>
	cases.flatMap(([own, message]) =>
		[own].flat().map((one): [string, Values, string] => {
			return [operation, { ...parameters, ...one }, message];
		}),
	);

test.each([
	...rejected('chatMessage.send', { phone }, [
		[{ message: ' ' }, 'Message is empty (item 0)'],
		[
			[
				'http://localhost:5678/a.png',
				'https://10.0.0.1/a.png',
				'https://[::1]/',
				'https://nas/',
			].map((imageUrl) => ({ message: 'Hi', imageUrl })),
			'an address that the service cannot reach',
		],
	]),
	...rejected('chatMessage.sendTemplate', template, [
		[{ additionalFields: { language: 'English' } }, 'Language is not a language'],
		[{ header: 'file' }, 'Header is not one of File (binary), JSON (json), None (none)'],
		[{ header: 'json', headerParametersJson: '{}' }, 'Header Parameters (JSON) is empty'],
		...Object.entries({
			'{"a": 1}': 'Parameters (JSON) is not a JSON array',
			'["Anna", B]': "Parameters (JSON) is not valid JSON: Unexpected token 'B'",
			'[1, {"time": 1}]': 'Value 2 is an object: use one of its fields, e.g.',
			'[1, []]': 'Value 2 is a list',
			'[12345678901234567891]': 'Value 1 is a number that is too large',
			[`${'['.repeat(20_000)}${']'.repeat(20_000)}`]: 'Parameters (JSON) has more than 20 levels',
		}).map(([text, problem]): [Values, string] => [json(text), problem]),
		...Object.entries({
			'0': 'Value 1 is empty',
			'': 'Tolerate Blank Parameters is neither true nor false',
		}).map(([allowBlankParameters, message]): [Values, string] => {
			const parametersUi = { parameter: [{ value: ' ' }] };
			return [{ parametersUi, options: { allowBlankParameters } }, message];
		}),
		[{ parametersUi: { parameter: 'Anna' } }, noRows],
	]),
	...rejected('chatMessage.sendMedia', { ...media, mediaSource: 'url', mediaUrl: url }, [
		[
			{ mediaType: 'auto', mediaSource: 'mediaId', mediaId: 'm1' },
			"can't be determined from a media ID",
		],
		[{ mediaType: 'auto' }, `can't be determined from the URL ${url}`],
		[{ mediaType: 'auto', mediaUrl: `${url}/a.mp3` }, 'Audio files cannot have a caption'],
	]),
	...rejected('webhook.create', { url }, [
		[{ events: [noText] }, 'Events is an object'],
		[{ url: 'http://host.example' }, 'URL is not an address that starts with https'],
	]),
	...rejected('chatMessage.getMany', {}, [
		[[noText, true, ' '].map((limit) => ({ limit })), 'Limit is not a number'],
		[{ limit: 1e300 }, 'Limit is more than 2147483647'],
	]),
	...rejected('voiceCall.getMany', { limit: 1 }, [
		[{ filters: { search: 'Anna' } }, 'Phone Number "Anna" contains "A"'],
		[{ filters: { from: { toISO: 1 } } }, 'From is not a date'],
		// Seconds instead of milliseconds would be in 1970.
		[
			[0, '20260131', 99999999999].map((from) => ({ filters: { from } })),
			'From is a number with fewer than 12 digits: enter milliseconds',
		],
		[
			{ filters: { from: '2026-02-02', to: '2026-02-01' } },
			'To is earlier than the start of the range',
		],
	]),
	...rejected('voiceCall.create', call, [
		[{ content: 'aiAgent', aiAgentId: 'x' }, 'AI Agent ID is not a UUID'],
		[
			{ options: { waitForCompletion: { wait: { pollInterval: 1e9 } } } },
			'Check Every (Seconds) is more than 2147483',
		],
	]),
	...rejected('email.send', email, [
		[{ to: 'a'.repeat(200_000) }, noAddress(`${'a'.repeat(40)}…`)],
		[{ to: 'a@host.example, @host.example' }, noAddress('@host.example')],
		[notAddresses.map((to) => ({ to })), 'is not an email address'],
		[
			['Doe, Anna <a@h.example>', ...notAddresses].map((replyTo) => ({
				additionalFields: { replyTo },
			})),
			'is not an email address',
		],
		[{ additionalFields: { replyTo: mailed.to } }, 'Reply To has more than one address'],
		[{ additionalFields: { fromName: 'Hello\r\nBcc: b' } }, 'has a line break'],
		[{ subject: 'a\nb' }, 'has a line break'],
	]),
])('%s rejects what it cannot send (%#)', async (operation, parameters, message) => {
	await expect(firstRequest(operation, parameters)).rejects.toThrow(message);
});

test.each([
	['webhook', 'create'],
	['media', 'upload'],
])('%s %s is no success without an ID', (resource, operation) => {
	const output = () => findOperation(resource, operation)?.output?.({ success: true });
	expect(output).toThrow('The response has no usable');
});

const question = { ...template, sendAs: 'template', responseType: 'approval' };
const credits = (prices: Values) => ({ unit: 'chat credits', ...prices });
const both = { marketing: 3, utility: 1 };
const mails = { unit: 'email credits', amount: 2 };

const image = { ...media, mediaSource: 'url', mediaUrl: url };

test.each<[string, Values, Values]>([
	['chatMessage.send', { phone, message: 'Hi' }, credits({ amount: null })],
	['chatMessage.sendMedia', image, credits({ amount: 1 })],
	['chatMessage.sendTemplate', template, credits(both)],
	['bulkCampaign.create', welcome, credits(both)],
	['chatMessage.sendAndWait', question, credits(both)],
	['chatMessage.sendAndWait', { phone, message: 'Hi' }, credits({ amount: null })],
	['voiceCall.create', call, { unit: 'voice minutes', amount: 1 }],
	['email.send', { ...email, to: `A <a@h.example>; ${mailed.to}` }, mails],
	['email.send', { ...email, to: ['a@h.example', 'B <b@h.example>'] }, mails],
	['email.send', { ...email, to: 'a@h.example\nb@h.example\n' }, mails],
	['email.sendAndWait', { ...email, message: 'Hi' }, mails],
])('%s of %j costs %j', async (name, parameters, cost) => {
	const [resource = '', value = ''] = name.split('.');
	const operation = findOperation(resource, value);
	const read = fakeRead(operation?.fields ?? [], parameters);
	const plan =
		operation?.kind === 'joined'
			? (await operation.plan(fakeReader(read), [{ json: { phone } }])).plans[0]
			: await operation?.plan(read);
	expect(plan && operation?.cost?.(plan.request)).toEqual(cost);
});

describe('one rule for every address on the web', () => {
	const addressOf = async (imageUrl: string) =>
		(await firstRequest('chatMessage.send', { phone, message: 'Hi', imageUrl })).body?.file;
	const path = fc.stringMatching(/^[\w~!$&'()*+=:@%?/#[\]-]{0,30}$/);

	test('printable ASCII goes out as it was entered', async () => {
		await fc.assert(
			fc.asyncProperty(path, async (entered) => {
				const address = `https://host.example/${entered}`;
				expect(await addressOf(` ${address}\n`)).toBe(address);
			}),
		);
	});

	/** What no address contains, by its code points; half a character is not in the ranges. */
	const isOutside = (code: number) =>
		[
			...[
				[0x00, 0x1f],
				[0x7f, 0x9f],
				[0x61c, 0x61c],
				[0x200e, 0x200f],
				[0x202a, 0x202e],
			],
			...[
				[0x2066, 0x2069],
				[0xd800, 0xdfff],
				[0xfdd0, 0xfdef],
			],
		].some(([from = 0, to = 0]) => code >= from && code <= to) || (code & 0xfffe) === 0xfffe;

	test('anything else goes out as the URL parser reads it', async () => {
		for (let plane = 0; plane < 0x110000; plane += 0x1000) {
			const codes = Array.from({ length: 0x1000 }, (_, index) => plane + index);
			const all = String.fromCodePoint(...codes.filter((code) => !isOutside(code)));
			const address = `https://host.example/a${all}?b=${all}#c`;
			expect(await addressOf(address)).toBe(new URL(address).href);
		}
	});

	test.each([
		'https://host.example/Screenshot 2026-01-31 at 9.30.15\u202fAM.png',
		'https://host.example/\u{1f469}\u200d\u{1f469}\u200d\u{1f467}.jpg',
		'https://host.example/می‌توانید.png?نام=گل',
		'https://i❤.example/my é?a=ü',
		'https://bücher.example/',
		'https://host.example/रोज़/गुलाब.png',
	])('%s goes out', async (entered) => {
		const [sent, host] = [String(await addressOf(entered)), new URL(entered).hostname];
		expect(sent).toMatch(/^[!-~]+$/);
		expect(decodeURI(sent).replace(host, '')).toBe(entered.replace(/^(https:..)[^/]*/, '$1'));
	});

	test('a character that no address has is named', async () => {
		const codes = [0x0a, 0x7f, 0x85, 0x61c, 0x200e, 0x202e, 0x2069, 0xd800, 0xdc00, 0xfdd0];
		for (const code of [...codes, 0xffff, 0x10fffe]) {
			const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
			const address = addressOf(`https://host.example/a${String.fromCodePoint(code)}b`);
			await expect(address).rejects.toThrow(`contains the invisible character ${name}`);
			expect(isOutside(code)).toBe(true);
		}
	});

	test.each([
		...['https://a b.example/', '/etc/passwd', 'file:///a', 'https://'].map((entered) => [
			entered,
			'is not an ',
		]),
		['https://h.example/a\nb', 'contains the invisible character U+000A'],
		...[', ', ' ', ';', '\n', '|'].map((gap) => [
			`https://h.example/a${gap}HTTP://h.example/b`,
			'more than one address',
		]),
	])('an address that cannot be reached is rejected (%#)', async (entered = '', problem) => {
		for (const [name, parameters] of [
			['chatMessage.send', { phone, message: 'Hi', imageUrl: entered }],
			['chatMessage.sendMedia', { ...media, mediaSource: 'url', mediaUrl: entered }],
			['voiceCall.create', { ...call, content: 'audioUrl', audioUrl: entered }],
			['webhook.create', { url: entered }],
		] as const)
			await expect(firstRequest(name, parameters)).rejects.toThrow(problem);
	});
});
