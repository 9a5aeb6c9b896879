import fc from 'fast-check';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { executeContext } from '../support/core/execute';
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

test.each([
	// An expression that returns nothing is an error of its item.
	...refused(template, [
		[inJson('={{ $json.a.map((b) => b) }}'), oneWithout(['x']), `Parameters (JSON) ${noFields}`],
		[{ header: '={{ $json.a }}' }, oneWithout('none'), `Header ${noFields}`],
		[
			{ additionalFields: { configId: number } },
			oneWithout('441632960710'),
			`Sending Number ${noFields}`,
		],
		[
			{ options: { allowBlankParameters: '={{ $json.a }}' } },
			oneWithout(true),
			`Tolerate Blank Parameters ${noFields}`,
		],
		// The message names the field, and what the item has.
		[{ phone: '={{ $json.fone }}' }, withFiles, `Country Code ${empty}Item fields: "phone"`],
		[filled('=Dear {{ name }},'), person, 'Parameters contains {{ name }}, which returns nothing.'],
		[inJson('["Dear {{ $json.name }}"]'), person, 'Parameters (JSON) contains {{ $json.name }} as'],
		[inJson('=["Dear {{ $json.nam }}"]'), person, '(JSON) contains {{ $json.nam }}, which returns'],
		[filled('={{ $json.customer }}'), person, 'Value 1 is an object: use one of its fields'],
		[{ phone: '={{ $json }}' }, person, 'is an object: use one of its fields, e.g. "phone"'],
		[{ templateName: '={{ $json.a. }}' }, withFiles, 'Template Name: Invalid syntax'],
		[
			{ options: { idempotencyKey: '={{ $json.order }}' } },
			itemsOf({ phone, body: { order: 1 } }),
			'Send Only Once per Key is empty',
		],
		[
			{ header: 'binary', binaryPropertyName: 'x' },
			withFiles,
			'no binary field "x"; it has "invoice", "data"',
		],
	]),
	...refused(email, [
		[{ text: 'Dear {{ $json.name }}' }, person, 'Text contains {{ $json.name }} as plain text.'],
		[{ text: '=Hi {{ $input.item.json.nam }}' }, person, 'nothing. Item fields: "phone", "name"'],
		[{ text: '=Hi {{ $json.a?.b }}' }, person, 'contains {{ $json.a?.b }}, which returns nothing'],
		[{ text: '=Hi {{ $json.a && "!" }}' }, person, 'which returns nothing'],
		[{ text: '=Hi {{ $json.a }, bye' }, person, 'Text: Invalid syntax'],
		[{ text: '=Dear {{ $json.customer }}' }, person, 'which is an object: use one of its fields'],
		[{ text: '=A {{ [$json.customer] }}' }, person, 'which is a list: use one of its entries'],
		[{ options: { idempotencyKey: '={{ "\\u200b " }}' } }, person, 'has no visible character'],
	]),
	...refused(campaign, [
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
		[{ paramsFields: 'a' }, itemsOf({ phone, a: 2 ** 53 }), '"a" is a number that is too large'],
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

/** Data is never judged by its words, and an empty text may be meant. */
test.each<[string, IDataObject, string]>([
	['={{ $json.a }}', { a: 'Dear [Name], {{ $json.b }} is undefined' }, ''],
	['={{ $json.a }}', { a: '#REF! [object Object] Invalid Date NaN null' }, ''],
	['=Hi {{ $json.a || "" }}, {{ $json.a }} {{ $json.b }}!', { a: '', b: 'Anna' }, 'Hi ,  Anna!'],
	['=Hi {{ $json.a }}, {{ null }}{{ NaN }}{{ false }}{{ 0 }}', { a: null }, 'Hi , false0'],
	['={{ DateTime.fromISO("2026-01-31T10:00:00Z").toUTC() }}', {}, '2026-01-31T10:00:00.000Z'],
	['Pay {{$5}} now', {}, 'Pay {{$5}} now'],
	['=Hi {{ $json.a ?? "" }} {{ DateTime.fromISO("2026-01-31").year }}', {}, 'Hi  2026'],
	['=\\{{ name }} is {{ $json.a }}', { a: 'Anna' }, '\\{{ name }} is Anna'],
	['=C:\\\\{{ $json.a }}\\\\ {{ 1 }}', { a: 'Anna' }, 'C:\\Anna\\ 1'],
	['Dear {name}, <b>see</b> attached\\n', { name: 'Anna' }, 'Dear {name}, <b>see</b> attached\\n'],
])('%s with %j is sent', async (text, item, sent) => {
	await sandbox.run({ ...email, text }, { items: itemsOf(item) });
	expect((await sandbox.control.emails()).map((one) => one.text)).toEqual([sent || item.a]);
});

test.each<[string, string]>([
	['=Hi {{ $json.a?.b }}, {{ $json.c }}!', 'Hi , !'],
	['=Hi {{ $json.a.b.c }}!', 'Hi !'],
])('in production, a missing value in %s is an empty text', async (text, sent) => {
	await sandbox.run({ ...email, text }, { mode: 'trigger' });
	expect((await sandbox.control.emails()).map((one) => one.text)).toEqual([sent]);
	const byHand = await sandbox.failure({ ...email, text });
	expect(byHand.message).toMatch(/^Text contains .* which returns nothing/);
});

test('a longer text is sent as n8n writes it, wherever braces and backslashes stand', async () => {
	const piece = fc.constantFrom(
		...['a', ' ', '\n', '{', '}', '\\', '{{', '}}', '{{ 1 }}', '{{ $json.a }}', '{{ "b" }}'],
		...['{{ $json["a"] }}', '{{ null }}', '{{ ({ a: 0 }).a }}', '{{ "{" }}', '{{ -0 }}', '\\\\{{'],
	);
	const texts = fc.array(piece, { minLength: 1, maxLength: 8 }).map((all) => `=Hi ${all.join('')}`);
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
	const parameters = { ...template, parametersUi, additionalFields: { configId }, options };
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
		const message = `Number with Country Code ${problem}`;
		expect(await sandbox.refusal(parameters, rest)).toBe(message);
		const output = await sandbox.json(parameters, { ...rest, node: continues });
		expect(output).toMatchObject([{ success: true }, { error: `${message} (item 2)` }]);
	});

	const nationalOf = (expression: string, code = '44') =>
		`{{ String(${expression}).trim().replace(/^0(?=[1-9])/, "+${code}") }}. Numbers with + stay as they are.`;

	test.each<[string, INodeParameters, string]>([
		['chat', { ...template, phone: '={{ $json.person.phone }}' }, '$json.person.phone'],
		[
			'voice',
			{ ...call, to: '={{ $json["phone"] || $json.person.phone }}' },
			'$json["phone"] || $json.person.phone',
		],
		['a text', { ...template, phone: '= {{ $json.person.phone }}' }, '$json.phone'],
	])('show how to write national numbers, if there is one: %s', async (_kind, parameters, own) => {
		const national = itemsOf({ person: { phone: '07700 900210' } });
		const failed = async (codes: string) =>
			await sandbox.failure(parameters, { credential: allowing(codes), items: national });
		const { message, description } = await failed('44');
		expect(message).toContain('07700 900210" starts with a zero');
		expect(description).toContain(`For national numbers, set this field to ${nationalOf(own)}`);
		for (const codes of ['', '44, 1'])
			expect((await failed(codes)).description).not.toContain('national');
		expect(await sandbox.requests()).toEqual([]);
	});

	test('are added by the expression that the message shows', async () => {
		const { description } = await sandbox.failure(
			{ ...call, to: '={{ $json.phone }}' },
			{ credential: allowing('44'), items: itemsOf({ phone: '07700 900210' }) },
		);
		const [expression] = /\{\{.*\}\}/.exec(description) ?? [];
		const both = itemsOf({ phone: ' 07700 900210' }, { phone: '+447700900211' });
		await sandbox.run({ ...call, to: `=${expression}` }, { items: both });
		const numbers = (await sandbox.requests()).map(({ body }) => (body as IDataObject).to);
		expect(numbers.sort()).toEqual(['+447700900210', '+447700900211']);
	});

	test('show it for campaigns with the name of the field', async () => {
		const national = itemsOf({ 'Phone no.': '07700 900210' });
		const parameters = { ...campaign, phoneField: '["Phone no."]' };
		const { description } = await sandbox.failure(parameters, {
			credential: allowing('44'),
			items: national,
		});
		expect(description).toContain(
			`For national numbers, put Edit Fields (Set) before this node and set the field to ${nationalOf('$json["Phone no."]')}`,
		);
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
	expect(description).toContain('This is the request to &lt;a href="https://a.example">9');
	expect(description).not.toContain('<a');
});
