import fc from 'fast-check';
import { map, uniqBy } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { executeContext } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { seed } from '../support/fuzz/runs';
import { describedOperations, goodParameters } from '../support/operations';

const sandbox = useSandbox();

const phone = '447700900210';
const template: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone,
	templateName: 'order_update',
};
const campaign: INodeParameters = { ...template, resource: 'bulkCampaign', operation: 'create' };
const email: INodeParameters = {
	resource: 'email',
	operation: 'send',
	to: 'a@host.example',
	subject: 'Order',
	emailFormat: 'text',
	text: 'Shipped',
};

const call: INodeParameters = { resource: 'voiceCall', operation: 'create', to: phone, text: 'Hi' };
const calls = (filters: INodeParameters) => ({
	...{ resource: 'voiceCall', operation: 'getMany', filters },
});

const itemsOf = (...all: INodeExecutionData['json'][]) => all.map((json) => ({ json }));

/** Items of which the second has no fields. */
const oneWithout = (a: IDataObject[string]) => itemsOf({ a }, {}, { a });

const file = { data: 'JVBERg==', mimeType: 'application/pdf' };
const withFiles = [{ json: { phone }, binary: { invoice: file, data: file } }];
const person = itemsOf({ phone, name: 'Anna', customer: { name: 'Anna' } });

const empty = 'is empty: its expression returns nothing. ';
const noFields = `${empty}The input item has no fields`;

type Wrong = [INodeParameters, INodeExecutionData[], string];

const filled = (value: string) => ({ parametersUi: { parameter: [{ value }] } });
const inJson = (parametersJson: string) => ({ parametersMode: 'json', parametersJson });
const number = { __rl: true, mode: 'id', value: '={{ $json.a }}' };
const json = { recipientsSource: 'json', recipientsJson: '={{ $json.a }}' };
const odd = itemsOf({ phone }, { name: 'a', ' name': 'b', 'name\u00a0 ': 'c' });

/** An operation, what is invalid about it, the items, and the message. */
const cases: Array<[INodeParameters, Wrong[]]> = [
	[
		template,
		[
			// An expression that returns nothing is an error of its item.
			[inJson('={{ $json.a.map((b) => b) }}'), oneWithout(['x']), `Parameters (JSON) ${noFields}`],
			// The message names the field, and what the item has.
			[{ phone: '={{ $json.fone }}' }, withFiles, `Country Code ${empty}Item fields: "phone"`],
			[
				filled('=Dear {{ name }},'),
				person,
				'Parameters contains {{ name }}, which returns nothing.',
			],
			[
				inJson('["Dear {{ $json.name }}"]'),
				person,
				'Parameters (JSON) contains {{ $json.name }} as',
			],
			[filled('={{ $json.customer }}'), person, 'Value 1 is an object: use one of its fields'],
			[{ phone: '={{ $json }}' }, person, 'is an object: use one of its fields, e.g. "phone"'],
			[{ templateName: '={{ $json.a. }}' }, withFiles, 'Template Name: Invalid syntax'],
			[{ header: 'binary', binaryPropertyName: 'x' }, withFiles, 'it has "invoice", "data"'],
		],
	],
	[
		email,
		[
			[{ text: 'Dear {{ $json.name }}' }, person, 'Text contains {{ $json.name }} as plain text.'],
			[{ text: '=Hi {{ $input.item.json.nam }}' }, person, 'nothing. Item fields: "phone", "name"'],
			[{ text: '=Hi {{ $json.a }, bye' }, person, 'Text: Invalid syntax'],
			[{ text: '=Dear {{ $json.customer }}' }, person, 'which is an object: use one of its fields'],
			[{ text: '=A {{ [$json.customer] }}' }, person, 'which is a list: use one of its entries'],
			[{ options: { idempotencyKey: '={{ "\\u200b " }}' } }, person, 'has no visible character'],
		],
	],
	[
		campaign,
		[
			[json, oneWithout([{ phone }]), `Recipients (JSON) ${noFields} (item 1)`],
			[
				{ paramsFields: 'name time' },
				odd,
				'refers to "name time", but the rows have "phone", "name", " name", "name[U+00A0] "',
			],
			[
				{ paramsFields: 'name', options: { allowBlankParameters: true } },
				itemsOf({ phone, ' name': 'Anna', 'name ': 'Ben' }),
				'refers to "name", but the rows have " name", "name "',
			],
			[{ paramsFields: 'a' }, itemsOf({ phone, a: 2 ** 53 }), '"a" is a number that is too large'],
		],
	],
	// Without the filter, records of others would come out.
	[
		{ resource: 'chatMessage', operation: 'getMany' },
		['phone', 'providerMessageId', 'sentAfter'].map((name): Wrong => [
			{ filters: { [name]: '={{ $json.a }}' } },
			itemsOf({ a: '' }),
			`${empty}Item fields: "a"`,
		]),
	],
];

const all = cases.flatMap(([operation, own]) =>
	own.map(([invalid, items, message]) => [message, { ...operation, ...invalid }, items] as const),
);

test.each(all)('nothing is sent: %s', async (message, parameters, items) => {
	expect(await sandbox.refusal(parameters, { items })).toContain(message);
});

// What people write is in test/honest.
test('a longer text is sent as n8n writes it, wherever braces and backslashes stand', async () => {
	const piece = fc.constantFrom(
		...['a', ' ', '\n', '{', '}', '\\', '{{', '}}', '{{ 1 }}', '{{ $json.a }}', '{{ "b" }}'],
		...['{{ $json["a"] }}', '{{ null }}', '{{ ({ a: 0 }).a }}', '{{ "{" }}', '{{ -0 }}', '\\\\{{'],
		...['{{ NaN }}', '{{ false }}', '{{ $json.b.c.d }}', '\\{{ name }}', '{{$5}}'],
		'{{ DateTime.fromISO("2026-01-31T10:00:00Z").toUTC() }}',
		// Nothing closes these.
		...['{{ $json.a }', '{{ open', '{{ "a"', '{{ ({ a: 1 }'],
	);
	const first = fc.constantFrom('=Hi ', '={{ $json.a }} ');
	const rest = fc.array(piece, { minLength: 1, maxLength: 8 });
	const texts = fc.tuple(first, rest).map(([start, all]) => `${start}${all.join('')}`);
	const options = { simulate: 'always' };
	await fc.assert(
		fc.asyncProperty(texts, async (text) => {
			const items = itemsOf({ a: 'Anna }} {{ 2 }}' });
			const parameters = { ...email, text, options };
			const rest = { items, mode: 'trigger' as const };
			const execution = { credential: sandbox.credential(), parameters, ...rest };
			let written: unknown;
			try {
				written = executeContext(execution).getNodeParameter('text', 0);
			} catch {
				// The syntax is invalid.
			}
			const ran = sandbox.json(parameters, rest);
			// n8n drops a text that ends in escaped braces, so nothing is left to send.
			if (!written) await expect(ran).rejects.toThrow();
			else expect(await ran).toMatchObject([{ request: { body: { text: written } } }]);
		}),
		{ seed, numRuns: 200 },
	);
});

test('an optional text whose expression returns nothing is left out', async () => {
	const text = { operation: 'send', message: 'Hi', imageUrl: '={{ $json.a }}' };
	await sandbox.run({ ...template, ...text });
	expect(await sandbox.requests()).toMatchObject([{ body: { phone, message: 'Hi' } }]);
});

test('an expression that may vary is evaluated for each item, even if it reads nothing of it', async () => {
	const text = '={{ String(Math.random()) }}';
	await sandbox.run({ ...email, text }, { items: itemsOf({}, {}, {}) });
	expect(uniqBy(await sandbox.control.emails(), 'text')).toHaveLength(3);
});

test('an expression in a row of a collection or in a locator counts for its own item', async () => {
	const people = [
		{ name: 'Anna', from: '441632960710' },
		{ name: 'Ben', from: '441632960711' },
	];
	const configId = { ...number, value: '={{ $json.from }}' };
	const more = { additionalFields: { configId }, options: { simulate: 'always' } };
	const parameters = { ...template, ...filled('={{ $json.name }}'), ...more };
	const output = await sandbox.json(parameters, { items: itemsOf(...people) });
	const bodies = people.map(({ name, from }) => ({ parameters: [name], configId: from }));
	expect(map(output, 'request.body')).toMatchObject(bodies);
});

test.each([
	'={{ "1767225600000" }}',
	'={{ new Date(1767225600000) }}',
	'={{ DateTime.fromMillis(1767225600000) }}',
])('%s is that moment', async (from) => {
	await sandbox.run(calls({ from }));
	expect((await sandbox.requests())[0]?.url).toContain('from=2025-12-31');
});

test.each<[string, INodeParameters, IDataObject, object]>([
	[
		'come as paths where they were dragged',
		{
			phoneField: "['Phone No.']",
			paramsFields: `['First Name'], ["Town, State"], a.b, a['b']`,
			additionalFields: { nameField: "['First Name']" },
		},
		{ 'Phone No.': phone, 'First Name': 'Anna', 'Town, State': 'Pune', a: { b: 49.8 } },
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
	['maxSends', 5, 'Max Sends per Execution'],
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
	const problem =
		'"7700900210" does not start with a country code that the credential allows (44, 1)';
	const chat = { ...template, phone: '={{ $json.phone }}' };
	const voice = { ...call, to: '={{ $json.phone }}' };

	test.each<[string, INodeParameters, string, object]>([
		['chat', chat, `Number with Country Code ${problem}`, { error: expect.anything() }],
		['voice', voice, `Number with Country Code ${problem}`, { error: expect.anything() }],
		[
			'campaigns',
			campaign,
			`Item 1 (row 3 of a whole sheet): the phone number ${problem}`,
			{ skippedCount: 1 },
		],
	])('count for each item: %s', async (_kind, parameters, message, left) => {
		const items = itemsOf({ phone }, { phone: '7700900210' });
		const rest = { credential: allowing(' +44; 1 '), items };
		expect(await sandbox.refusal(parameters, rest)).toContain(message);
		const skipping = { ...parameters, options: { invalidRecipients: 'skip' } };
		const node = { onError: 'continueRegularOutput' as const };
		const output = await sandbox.json(skipping, { ...rest, node });
		expect(output[0]).toMatchObject({ success: true });
		expect(output.at(-1)).toMatchObject(left);
	});

	const national = '07700 900210';
	const inField = 'set this field to';
	const before = 'put Edit Fields (Set) before this node and set the field to';

	test.each<[INodeParameters, IDataObject, string]>([
		[chat, { phone: national }, `${inField} {{ String($json.phone)`],
		[
			{ ...call, to: '={{ $json["phone"] || $json.person.phone }}' },
			{ person: { phone: national } },
			`${inField} {{ String($json["phone"] || $json.person.phone)`,
		],
		[
			{ ...chat, phone: '= {{ $json.phone }}' },
			{ phone: national },
			`${inField} {{ String($json.phone)`,
		],
		[
			{ ...campaign, phoneField: '["Phone no."]' },
			{ 'Phone no.': national },
			`${before} {{ String($json["Phone no."])`,
		],
	])(
		'show how to write national numbers, if there is one: %j',
		async (parameters, item, advice) => {
			const items = itemsOf(item);
			const adviceFor = async (codes: string) =>
				(await sandbox.failure(parameters, { credential: allowing(codes), items })).description;
			const withCode = (code: string) =>
				`If the leading 0 is not dialed from abroad, ${advice}.trim().replace(/^0(?=[1-9])/, "+${code}") }}`;
			expect(await adviceFor('44')).toContain(`${withCode('44')}. Numbers with +`);
			expect(await adviceFor('')).toContain(`${withCode('CODE')}, with your country code`);
			expect(await adviceFor('44, 1')).not.toContain('leading 0');
			expect(await sandbox.requests()).toEqual([]);
		},
	);

	test('are added by the expression that the message shows', async () => {
		const rest = { credential: allowing('44'), items: itemsOf({ phone: national }) };
		const [shown] = /\{\{.*\}\}/.exec((await sandbox.failure(voice, rest)).description) ?? [];
		const both = itemsOf({ phone: ` ${national}` }, { phone: '+447700900211' });
		await sandbox.run({ ...call, to: `=${shown}` }, { items: both });
		const numbers = map(await sandbox.bodies('/voice/call'), 'to');
		expect(numbers.sort()).toEqual(['+447700900210', '+447700900211']);
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
	expect(description).toContain('This is the request to &lt;a href="https://a.example">9');
	expect(description).not.toContain('<a');
});
