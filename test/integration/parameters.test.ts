import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations, goodParameters } from '../support/operations';

const sandbox = useSandbox();

const phone = '447700900210';
const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};
const campaign: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
};
const email: INodeParameters = {
	resource: 'email',
	operation: 'send',
	to: 'a@host.example',
	subject: 'Order',
	emailFormat: 'text',
	text: 'Shipped',
};

const call: INodeParameters = {
	resource: 'voiceCall',
	operation: 'create',
	to: phone,
	text: 'Hi',
};
const calls = (filters: INodeParameters): INodeParameters => ({
	resource: 'voiceCall',
	operation: 'getMany',
	filters,
});
const continues = { onError: 'continueRegularOutput' as const };

const itemsOf = (...all: INodeExecutionData['json'][]) => all.map((json) => ({ json }));

/** Items of which the second has no fields. */
const oneWithout = (a: IDataObject[string]) => itemsOf({ a }, {}, { a });

const file = { data: 'JVBERg==', mimeType: 'application/pdf' };
const withFiles = [{ json: { phone }, binary: { invoice: file, data: file } }];
const person = itemsOf({ phone, name: 'Anna', customer: { name: 'Anna' } });

const empty = 'is empty: its expression returns nothing. ';
const noFields = `${empty}The input item has no fields`;

type Wrong = [INodeParameters, INodeExecutionData[], string];

/** What is wrong with an operation, the items, and the message. */
const refused = (operation: INodeParameters, cases: Wrong[]) =>
	cases.map(([wrong, ...rest]) => [{ ...operation, ...wrong }, ...rest] as Wrong);

const filled = (value: string) => ({ parametersUi: { parameter: [{ value }] } });
const inJson = (parametersJson: string) => ({ parametersMode: 'json', parametersJson });
const number = { __rl: true, mode: 'id', value: '={{ $json.a }}' };

/** What JavaScript writes in place of a text. */
const noText: Array<[text: string, problem: string]> = [
	['=Dear {{ $json.customer }}', '[object Object]'],
	['=Dear {{ (async () => 1)() }}', '[object Promise]'],
	['={{ "Dear " + $json.name.trim }}', '[native code]'],
	['=At {{ new Date($json.none) }}', 'Invalid Date'],
	['=At {{ DateTime.fromISO("x") }}', 'Invalid DateTime'],
].map(([text = '', written]) => [text, `contains "${written}"`]);
noText.push([' #REF! ', 'is " #REF! ", a broken formula of the sheet']);

const labels = { approveLabel: 'OK', disapproveLabel: 'OK' };
const sameLabels = { approvalOptions: { values: labels } };

const readable = '.toDateTime().format("d LLL, HH:mm")';
const local = readable.replace('.format', '.toLocal().format');
/** In the workflow's time zone, Asia/Kolkata. */
const dates: Array<[value: string, problem: string, cure: string, sent: RegExp]> = [
	['={{ $now }}', 'is the date "', readable, /^\d+ \w{3}, \d\d:\d\d$/],
	['={{ new Date(0) }}', 'is a date', readable, /^1 Jan, 05:30$/],
	['2026-12-01T09:30+01:00', 'is the date "2026-12-01T09:30+01:00"', readable, /^1 Dec, 09:30$/],
	[' 2026-12-01T09:30Z', 'is the date " 2026-12-01T09:30Z"', local, /^1 Dec, 15:00$/],
	['2026-12-01T00:00Z', 'is the date "2026-12-01T00:00Z"', readable, /^1 Dec, 00:00$/],
];

test.each(dates)('the date %s can be formatted as the message says', async (...row) => {
	const [value, problem, cure, sent] = row;
	const message = await sandbox.refusal({ ...template, ...filled(value) });
	expect(message).toContain(`Parameters has a value for {{1}} that ${problem}`);
	expect(message).toContain(`: format it with ${cure}`);
	const dated = value.startsWith('=') ? value.slice(4, -3) : JSON.stringify(value.trim());
	await sandbox.run({ ...template, ...filled(`={{ ${dated}${cure} }}`) });
	const [request] = await sandbox.requests();
	expect(request?.body).toMatchObject({ parameters: [expect.stringMatching(sent)] });
});

/** What an email's text would say, with the items, and what the message says. */
const gaps: Wrong[] = (
	[
		['=A {{ $json.a * 2 }}', { a: '49,80' }, 'which returns no number: a is "49,80"'],
		[
			'=Hi {{ $json.a[0].name }}',
			{ a: [{ b: 1 }] },
			'which returns nothing. Fields of $json.a[0]: "b"',
		],
		[
			'=Dear {{ $json.a }}, hi',
			{ a: ' ' },
			'Text contains {{ $json.a }}, which is empty, so that a gap',
		],
		['=Hi {{ $input.item.json.nam }}', { a: 1 }, 'which returns nothing. Item fields: "a"'],
		['=Hi {{ json.a }}', { a: 1 }, 'Text contains {{ json.a }}, which returns nothing'],
		['={{ "Hi " + $input.item.json.b }}', { a: 1 }, 'Text contains "undefined"'],
		['=A {{ $json.a.map((b) => b.c).join(", ") }}', { a: [{}, {}] }, 'only separators'],
		['=Hi {{ $json.a }}', { a: '#NV' }, 'is "#NV", a broken formula of the sheet (in {{ $json.a'],
		['=Hi {{ $json.a }}}, bye', { a: 1 }, 'Text has a brace too many'],
		['=Hi {{ $json.a }, bye', { a: 1 }, 'Text: Invalid syntax'],
		['=A {{ $json.a.b }}', { a: { c: 1 } }, 'returns nothing. Fields of $json.a: "c"'],
		[
			'=A {{ $json.a.b ?? "c" }}',
			{ a: null },
			'Text contains {{ $json.a.b ?? "c" }}, which returns',
		],
		['=A {{ $json["No. 1"] }}', { a: 1 }, 'which returns nothing. Item fields: "a"'],
		['=A {{ $json.E-Mail }}', { 'E-Mail': 'a' }, 'subtracts in $json.E-Mail: for the field, write'],
		[
			'=A {{ $json.a * 3 }}',
			{ a: 16.6 },
			'which returns 49.800000000000004: write e.g. {{ Number(',
		],
		['==Hi {{ $json.a }}', { a: 1 }, 'Text starts with an equals sign'],
		['Hello,\\n\\nyour order', {}, 'Text contains \\n as plain text: press Enter'],
		['={{ $json.a }}', { a: '<think>No.</think>Hi' }, '</think>", which an AI model left there'],
		['=https://{{ $json.a }}', { a: 'https://h.example' }, 'contains https://https://: remove'],
		['=https://h.example/?q={{ $json.a }}', { a: '1 High St' }, 'at the space in "1 High St"'],
		['Hi $("Form").item.json.name', {}, 'Text contains $("Form").item.json.name as plain text'],
		['=Sorry for the error, $json.a. {{ "1" }}', { a: 1 }, 'contains $json.a as plain text'],
		['={{ $json.a }}', { a: 'Hi {name}', name: 'Anna' }, 'contains {name}, which was not filled'],
	] as const
).map(([text, item, problem]) => [{ text }, itemsOf(item), problem]);

test.each([
	// An expression that returns nothing is an error of its item.
	...refused(template, [
		[inJson('={{ $json.a.map((b) => b) }}'), oneWithout(['x']), `Parameters (JSON) ${noFields}`],
		[{ header: '={{ $json.a }}' }, oneWithout('none'), `Header ${noFields}`],
		[{ configId: number }, oneWithout('441632960710'), `Sending Number ${noFields}`],
		[
			{ options: { allowBlankParameters: '={{ $json.a }}' } },
			oneWithout(true),
			`Tolerate Blank Parameters ${noFields}`,
		],
		// The message names the field, and what the item has.
		[{ phone: '={{ $json.fone }}' }, withFiles, `Phone Number ${empty}Item fields: "phone"`],
		[
			filled('=Dear {{ name }},'),
			person,
			'Parameters contains {{ name }}, which returns nothing. Item fields: "phone", "name"',
		],
		[filled('name'), person, 'Parameters contains "name" as plain text'],
		...[
			['DD.MM.YYYY HH.mm', 'dd.MM.yyyy HH.mm'],
			['dd/mm/yyyy', 'dd/MM/yyyy'],
			['MMM D, h:mmA', 'MMM d, h:mma'],
			['YYYY-MM-DDTHH:MM:SS', "yyyy-MM-dd'T'HH:mm:ss"],
			['dddd Do', 'cccc d'],
		].map(([format, cure]): Wrong => [
			filled(`={{ $now.format("${format}") }}`),
			person,
			`has the date format "${format}", which n8n reads otherwise: write "${cure}"`,
		]),
		...['46357.395833', '0.395833333333333'].map((value): Wrong => [
			filled(value),
			person,
			`is ${value}. If it is a spreadsheet's date or time, append`,
		]),
		[
			filled('={{ $json.created }}'),
			itemsOf({ phone, created: 1_796_117_401 }),
			'contains a time in seconds as a number: "1796117401"',
		],
		[
			{ phone: '={{ $json.data.from }}' },
			itemsOf({ event: 'message.delivered', data: { providerMessageId: '1', from: phone } }),
			'Recipient Phone Number reads data.from',
		],
		[
			{ options: { idempotencyKey: 'order' } },
			itemsOf({ phone, body: { order: 1 } }),
			'Send Only Once per Key contains "order" as plain text',
		],
		[
			{ options: { idempotencyKey: '={{ $json.order }}' } },
			itemsOf({ phone, body: { order: 1 } }),
			'Send Only Once per Key is empty: its expression returns nothing. Item fields: "phone", "body"',
		],
		[filled('={{ $now.diff($now) }}'), person, 'contains a duration such as PT42S'],
		[
			filled('={{ $json.a.toDateTime().format("d LLL") }}'),
			itemsOf({ phone, a: 1_796_117_401 }),
			'has a date from seconds, read as milliseconds: "1796117401"',
		],
		[
			filled('={{ parseFloat($json.a).toFixed(2) }}'),
			itemsOf({ phone, a: '1,234.50' }),
			'parseFloat(), which reads only the beginning of "1,234.50"',
		],
		[
			filled('={{ $json.a + $json.b }}'),
			itemsOf({ phone, a: '49.80', b: '5.00' }),
			'joins two numbers as texts: "49.80" and "5.00"',
		],
		[filled('MÃ¼ller'), person, 'contains "Ã¼", read in the wrong encoding'],
		[filled('={{ new Date(0).toString() }}'), person, 'GMT+0000": format it with'],
		[
			filled('At 1899-12-30T09:30Z!'),
			person,
			'30T09:30Z": format it with .toDateTime().format("HH:mm")',
		],
		[{ phone: '={{ $json }}' }, person, 'is an object: use one of its fields, e.g. "phone"'],
		...['{name}', '{{ name }}', '%NAME%', '<<name>>', '[[name]]'].map((value): Wrong => [
			filled(`50% off [now] for ${value}`),
			person,
			`Parameters contains ${value} as plain text`,
		]),
		[filled('=Dear {name}, {{ $json.phone }}'), person, 'Parameters contains {name} as plain text'],
		[{ templateName: '={{ $json.a. }}' }, withFiles, 'Template Name: Invalid syntax'],
		[
			{ header: 'binary', headerFilename: 'C:\\a.pdf' },
			withFiles,
			'Header File Name contains a path',
		],
		[
			{ header: 'binary', binaryPropertyName: '={{ $binary.invoice }}' },
			withFiles,
			'Input Data Field Name is an object instead of a field name; the item has "invoice", "data"',
		],
	]),
	...refused(email, [
		...noText.map(([text, problem]): Wrong => [{ text }, person, `Text ${problem}`]),
		...['<p>Hi</p>', '=Hi {{ $json.name }}<br>'].map((text): Wrong => [
			{ text },
			person,
			'Text contains HTML tags',
		]),
		[
			{ text: '={{ "Hello " + $json.surname }}' },
			person,
			'Text contains "undefined" where its expression found no value',
		],
		[{ text: '={{ `${$json.price * 2} USD` }}' }, person, 'Text contains "NaN", which is not a'],
		...gaps,
		[{ text: '={{ "Dear " + $json.a }}' }, itemsOf({ a: null }), 'Text contains "null" where'],
		[{ text: '=Price {{ $json.price * 1.19 }} USD' }, person, 'Text contains {{ $json.price'],
		[{ text: '={{ "Hi $json.name" }}' }, person, 'outside the quotes, e.g. {{ "Hello " + $json.'],
		...['*|FNAME|*', '[First Name]', '{{ first_name }}'].map((name): Wrong => [
			{ text: `Dear ${name}` },
			person,
			`contains ${name}, which was not filled in`,
		]),
		[
			{ text: '={{ $json.a }}' },
			itemsOf({ a: '```json\n{ "reply": "Hi" }\n```' }),
			'Text is JSON, not a text',
		],
		[
			{ text: '=Hi {{ $json.phone }}, your invoice is attached.' },
			withFiles,
			'Text mentions an attachment, but the service sends none',
		],
		[{ emailFormat: 'html', html: '```html\n<p>Hi</p>\n```' }, person, 'HTML contains ```'],
		[{ emailFormat: 'html', html: '<p>&nbsp;</p>' }, person, 'HTML has tags but no text'],
		[{ emailFormat: 'html', html: '<img src=a.png>' }, person, 'an image without a web address'],
		[
			{ emailFormat: 'html', html: '<img alt="a" src="https://drive.google.com/file/d/1/view">' },
			person,
			'an image whose address leads to a page',
		],
		...['www.a.example', '', '#', 'https://', '/a', 'anna@h.example'].map((address): Wrong => [
			{ emailFormat: 'html', html: `<p>Hi</p><a class="a" href="${address}">A</a>` },
			person,
			'HTML has a link whose address is empty or incomplete',
		]),
		[
			{ emailFormat: 'html', html: '<p>A</p><iframe src="https://a.example">' },
			person,
			'an iframe',
		],
		[{ emailFormat: 'html', html: '<li>A</li>,<li>B</li>' }, person, 'HTML has commas between'],
		[{ to: 'anna@host.con' }, person, 'To contains "anna@host.con", which is not an email address'],
		[{ subject: '<b>Order</b>' }, person, 'Subject contains HTML tags'],
		[{ options: { fromName: 'Shop <a@h.example>' } }, person, 'From Name contains an address'],
		[
			{ text: '=On {{ $json.phone.toFixed(2) }}' },
			person,
			'Text contains {{ $json.phone.toFixed(2) }}',
		],
		[
			{ text: '={{ $json.approved ? 1 : 2 }}' },
			itemsOf({ data: { respondedAt: 'now', approved: true } }),
			'Text reads approved instead of data.approved',
		],
		[
			{ text: '=Approved: {{ $json.data.approved }}' },
			itemsOf({ data: { respondedAt: 'now', approved: true } }),
			'Text writes data.approved, which is true or false',
		],
		[
			{ text: '={{ $json.data.approved == "yes" ? 1 : 2 }}' },
			itemsOf({ data: { respondedAt: 'now', approved: true } }),
			'Text compares $json.data.approved with a text',
		],
		[
			{ text: '={{ $json.data.approved ? 1 : 2 }}' },
			itemsOf({ data: { respondedAt: 'now', text: 'Yes' } }),
			'Text reads data.approved, but the answer is a text',
		],
		[{ text: '=Hello {{1}}' }, person, "contains {{1}}, a template's placeholder"],
		[{ text: 'A', options: { timeout: '={{ 60 }}' } }, person, 'is too short: enter milliseconds'],
		[{ operation: 'sendAndWait', message: 'Hi', ...sameLabels }, person, 'have the label "OK"'],
		[{}, itemsOf({ sample: true, to: phone }), 'is only a sample of the polling trigger'],
		[{}, itemsOf({ simulated: true, request: {} }), 'was only simulated by the node before'],
		[{ options: { excludedRecipients: '+14155550100' } }, person, 'contains only phone numbers'],
		[
			{ text: '={{ $json.a == "true" ? 1 : 2 }}' },
			itemsOf({ a: true }),
			'compares $json.a with a text',
		],
		[{ options: { idempotencyKey: '={{ $today }}' } }, person, 'but a key must stay the same when'],
		...['{{ 1 }}-{{ $now }}', 'a {{ $execution.id }}'].map((key): Wrong => [
			{ options: { idempotencyKey: `=${key}` } },
			person,
			'so another execution would send again',
		]),
		[{ options: { idempotencyKey: '={{ "\\u200b " }}' } }, person, 'has no visible character'],
	]),
	...refused(campaign, [
		[{ operation: 'getOutcome' }, itemsOf({ simulated: true, request: {} }), 'is a simulated'],
		[{ operation: 'getOutcome', sentAfter: '={{ $now }}' }, person, 'Sent After is the present'],
		[
			{ recipientsSource: 'json', recipientsJson: '={{ $json.a }}' },
			oneWithout([{ phone }]),
			`Recipients (JSON) ${noFields} (item 2)`,
		],
		[
			{ paramsFields: 'name time' },
			itemsOf({ phone }, { name: 'a', ' name': 'b', 'name\u00a0 ': 'c' }),
			'refers to "name time", but the rows have "phone", "name", " name", "name[U+00A0] "',
		],
		[{ paramsFields: 'a' }, itemsOf({ phone, a: 'undefined' }), 'contains "undefined" instead of'],
		[{ paramsFields: 'a' }, itemsOf({ phone, a: 2 ** 53 }), '"a" is a number that is too large'],
		[
			{ paramsFields: 'at' },
			itemsOf({ phone, at: '2026-12-01T09:30:00.000Z' }),
			`"at" is the date "2026-12-01T09:30:00.000Z": format it with ${local}`,
		],
	]),
	// Without the filter, records of others would come out.
	...refused({ resource: 'chatMessage', operation: 'getMany' }, [
		...['phone', 'providerMessageId', 'sentAfter'].map((name): Wrong => [
			{ filters: { [name]: '={{ $json.a }}' } },
			itemsOf({ a: '' }),
			`${empty}Item fields: "a"`,
		]),
	]),
])('%# sends nothing: %j', async (parameters, items, message) => {
	expect(await sandbox.refusal(parameters, { items })).toContain(message);
});

/** Texts that look like mistakes, with the item, and what is sent. */
test.each<[string, IDataObject, string]>([
	['={{ $json.error }}', { error: 'Text contains {{ $json.b }}' }, 'Text contains {{ $json.b }}'],
	[
		'=Error: {{ $json.error }}',
		{ error: '{{b}} is "[object Object]"' },
		'Error: {{b}} is "[object Object]"',
	],
	['={{ "Reply: YES [Your Name]" }}', {}, 'Reply: YES [Your Name]'],
	['No: Invalid Date of birth', {}, 'No: Invalid Date of birth'],
	['=Dear {{ $json.company }}', { company: 'Infinity' }, 'Dear Infinity'],
	['=Hi {{ $json.a || "" }}, {{ $json.a }} {{ $json.b }}!', { a: '', b: 'Anna' }, 'Hi ,  Anna!'],
	...['cccc d LLL") }} at {{ $now.format("HH', "d LLL 'at' HH"].map(
		(format): [string, IDataObject, string] => [
			`=On {{ $now.format("${format}") }} um {{ $json.a }}. Do`,
			{ a: 1 },
			expect.stringMatching(/^On .*\d.* um 1. Do$/) as string,
		],
	),
	[
		'=New: {{ $json.a }}, company: {{ $json.b }}, phone: 1',
		{ a: 'Anna', b: '' },
		'New: Anna, company: , phone: 1',
	],
	['={{ $json.a === true || $json.a === "true" ? "Yes" : "No" }}', { a: true }, 'Yes'],
	[
		'=VAT {{ $json.vat }}, {{ $json.rate }}',
		{ vat: 1132191233, rate: 0.00069 },
		'VAT 1132191233, 0.00069',
	],
	['={{ JSON.stringify($json) }}', { a: 1 }, '{"a":1}'],
	[
		'=Approved: {{ $json.approved }}',
		{ approved: 'yes', data: { respondedAt: 1, approved: true } },
		'Approved: yes',
	],
	['=Total: {{ "" + $json.b }}, sorry for the error', { b: 1 }, 'Total: 1, sorry for the error'],
	['See C:\\notes, or https://a.example/\\n.', {}, 'See C:\\notes, or https://a.example/\\n.'],
])('%s is sent', async (text, item, sent) => {
	await sandbox.run({ ...email, text }, { items: itemsOf(item) });
	expect((await sandbox.control.emails()).map((one) => one.text)).toEqual([sent]);
});

test.each([0.000005, 0.33333, 1_796_117_401])('the value %d is sent', async (vat) => {
	await sandbox.run({ ...template, ...filled('={{ $json.vat }}') }, { items: itemsOf({ vat }) });
	expect(await sandbox.requests()).toHaveLength(1);
});

test('an optional text, or part of one, whose expression returns nothing is left out', async () => {
	const message = '=Hi{{ $json.coupon && " code " + $json.coupon }}';
	const text = { operation: 'send', message, imageUrl: '={{ $json.a }}' };
	await sandbox.run({ ...template, ...text });
	expect(await sandbox.requests()).toMatchObject([{ body: { phone, message: 'Hi' } }]);
});

test('an expression that may vary is evaluated for each item, even if it reads nothing of it', async () => {
	const text = '={{ String(Math.random()) }}';
	await sandbox.run({ ...email, text }, { items: itemsOf({}, {}, {}) });
	const texts = (await sandbox.control.emails()).map((one) => one.text);
	expect(new Set(texts).size).toBe(3);
});

test('an expression in a row of a collection or in a locator counts for its own item', async () => {
	const people = [
		{ name: 'Anna', from: '441632960710' },
		{ name: 'Ben', from: '441632960711' },
	];
	const parametersUi = { parameter: [{ value: '={{ $json.name }}' }] };
	const configId = { __rl: true, mode: 'phoneNumber', value: '={{ $json.from }}' };
	const options = { simulate: 'always' };
	const parameters = { ...template, parametersUi, configId, options };
	const output = await sandbox.json(parameters, { items: itemsOf(...people) });
	expect(output).toMatchObject(
		people.map(({ name, from }) => ({ request: { body: { parameters: [name], configId: from } } })),
	);
});

test.each([
	'={{ "1767225600000" }}',
	'={{ new Date(1767225600000) }}',
	'={{ DateTime.fromMillis(1767225600000) }}',
])('%s is that moment', async (from) => {
	await sandbox.run(calls({ from }));
	const [request] = await sandbox.requests();
	expect(request?.url).toContain('from=2025-12-31');
});

test('the choice of all routes may come from an expression', async () => {
	const parameters = calls({ route: '={{ $json.a }}' });
	expect(await sandbox.json(parameters, { items: itemsOf({ a: '' }) })).toEqual([]);
	expect(await sandbox.requests('/voice/call-logs')).toHaveLength(1);
});

test.each<[string, INodeParameters, IDataObject, object]>([
	[
		'come as paths where they were dragged',
		{
			phoneField: "['Phone No.']",
			paramsFields: `['First Name'], ["Town, State"], a.b, a['b']`,
			nameField: "['First Name']",
		},
		{ 'Phone No.': phone, 'First Name': 'Anna', 'Town, State': 'Pune', a: { b: 16.6 * 3 } },
		{ phone, params: ['Anna', 'Pune', '49.8', '49.8'], name: 'Anna' },
	],
	[
		'may come as a list, and differ in what nobody sees',
		{ phoneField: 'phone', paramsFields: "={{ ['First Name', 'Café'] }}" },
		{ ' phone\u00a0': phone, '\ufeffFirst\u00a0Name': 'Anna', 'Cafe\u0301': 'Roma' },
		{ phone, params: ['Anna', 'Roma'] },
	],
])('names of columns %s', async (_what, fields, item, recipient) => {
	await sandbox.run({ ...campaign, ...fields }, { items: itemsOf(item) });
	expect(await sandbox.requests()).toMatchObject([{ body: { recipients: [recipient] } }]);
});

test.each([
	['maxSends', 5, 'Max Sends'],
	['resendUnknown', true, 'Try Again If Uncertain'],
	['checkBalance', true, 'Check Balance'],
	['timeout', 60_000, 'Timeout (Milliseconds)'],
])('%s holds for a whole run: items may not differ', async (name, value, label) => {
	const parameters = { ...email, options: { [name]: '={{ $json.a }}' } };
	const other = typeof value === 'number' ? value + 1 : !value;
	const [same, different] = [value, other].map((a) => ({ items: itemsOf({ a: value }, { a }) }));
	const problem = `${label} differs between the input items`;
	expect(await sandbox.refusal(parameters, different)).toContain(problem);
	expect(await sandbox.run(parameters, same)).toHaveLength(2);
});

describe('the allowed country codes of the credential', () => {
	const allowing = (countryCodes: string) => ({ ...sandbox.credential(), countryCodes });
	const items = itemsOf({ phone }, { phone: '7700900210' });
	const problem =
		'"7700900210" does not start with a country code that the credential allows (44, 1)';

	test.each<[string, INodeParameters]>([
		['chat', { ...template, phone: '={{ $json.phone }}' }],
		['voice', { ...call, to: '={{ $json.phone }}' }],
	])('count for each item: %s', async (_kind, parameters) => {
		const rest = { credential: allowing(' +44; 1 '), items };
		const message = `Recipient Phone Number ${problem}`;
		expect(await sandbox.refusal(parameters, rest)).toBe(message);
		const output = await sandbox.json(parameters, { ...rest, node: continues });
		expect(output).toMatchObject([{ success: true }, { error: `${message} (item 2)` }]);
	});

	test('make an invalid recipient of a campaign', async () => {
		const credential = allowing('44, 1');
		expect(await sandbox.refusal(campaign, { credential, items })).toContain(
			`Item 2 (sheet row 3): the phone number ${problem}`,
		);
		const parameters = { ...campaign, options: { invalidRecipients: 'skip' } };
		const output = await sandbox.json(parameters, { credential, items });
		expect(output).toMatchObject([{ skippedCount: 1 }]);
	});

	test.each([
		['India', {}, 'Allowed Country Codes in the credential is not a list of country codes'],
		['91', { operation: 'sendAndWait', message: 'Well?' }, 'that the credential allows (91)'],
	])('%s stops %j', async (countryCodes, more, message) => {
		const credential = allowing(countryCodes);
		expect(await sandbox.refusal({ ...template, ...more }, { credential })).toContain(message);
	});
});

// Whatever is billable has these options.
const billable = describedOperations.filter(({ fields }) =>
	JSON.stringify(fields).includes('"excludedRecipients"'),
);

test.each(billable)('allowed and excluded recipients: $name', async ({ name, choice }) => {
	const good = { ...choice, ...goodParameters[name] };
	const runExecutionData = createRunExecutionData();
	const reached = [phone, goodParameters[name]?.to, goodParameters[name]?.phone].join(',');
	const run = async (options: IDataObject) =>
		await sandbox.json({ ...good, options } as INodeParameters, {
			items: withFiles,
			runExecutionData,
		});
	const [item, ...others] = await run({ excludedRecipients: reached, simulate: 'always' });
	expect(others).toEqual([]);
	if (name === 'bulkCampaign.create') expect(item).toMatchObject({ total: 0, excludedCount: 1 });
	else expect(item).toEqual({ excluded: true, phone: item?.phone, to: item?.to });
	await run({ excludedRecipients: reached });
	await expect(run({ allowedRecipients: '+14155550199' })).rejects.toThrow(
		'Allowed Recipients does not include',
	);
	expect(await sandbox.requests()).toEqual([]);
	expect(runExecutionData.waitTill).toBeUndefined();
	await run({ allowedRecipients: reached, excludedRecipients: '+14155550199, b@host.example' });
	expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).not.toEqual([]);
});

test('what somebody wrote makes no element where n8n shows a description as HTML', async () => {
	const items = itemsOf({ to: phone }, { to: '<a href="https://a.example">9</a>' });
	const parameters = { ...template, phone: '={{ $json.to }}' };
	const { description } = await sandbox.failure(parameters, { items });
	expect(description).toContain('This is item 2, to &lt;a href="https://a.example">9');
	expect(description).not.toContain('<a');
});
