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

const itemsOf = (...all: INodeExecutionData['json'][]) => all.map((json) => ({ json }));

/** Why the node sends nothing. */
const refusal = async (parameters: INodeParameters, items: INodeExecutionData[] = itemsOf({})) =>
	await sandbox.refusal(parameters, { items });

describe('an expression that gives nothing for an item is a mistake of that item', () => {
	const threeItems = (name: string, value: unknown) =>
		itemsOf(...[0, 1, 2].map((index) => (index === 1 ? {} : { [name]: value as INodeParameters })));

	test.each<[string, INodeParameters, unknown]>([
		[
			'Parameters (JSON)',
			{ parametersMode: 'json', parametersJson: '={{ $json.a.map((b) => b) }}' },
			['x'],
		],
		['Header', { header: '={{ $json.a }}' }, 'none'],
		['Language', { language: '={{ $json.a }}' }, 'hi'],
		[
			'Sending Number',
			{ configId: { __rl: true, mode: 'id', value: '={{ $json.a }}' } },
			'441632960710',
		],
		['Tolerate Blank Parameters', { options: { allowBlankParameters: '={{ $json.a }}' } }, true],
	])('%s %j', async (label, parameters, value) => {
		const items = threeItems('a', value);
		expect(await refusal({ ...template, ...parameters }, items)).toBe(
			`${label} is empty: its expression returns nothing; the item has no fields`,
		);
	});

	test('of a JSON list of recipients, too', async () => {
		const parameters = {
			...campaign,
			recipientsSource: 'json',
			recipientsJson: '={{ $json.list }}',
		};
		const items = threeItems('list', [{ phone }]);
		expect(await refusal(parameters, items)).toBe(
			'Recipients (JSON) is empty: its expression returns nothing; the item has no fields (item 2)',
		);
	});

	test('but an optional text is left out', async () => {
		await sandbox.run({
			...template,
			operation: 'send',
			message: 'Hi',
			imageUrl: '={{ $json.a }}',
		});
		const [request] = await sandbox.requests();
		expect(request?.body).toEqual({ phone, message: 'Hi' });
	});
});

// Switches by expression are tested in test/unit/actions/requests.test.ts.
test.each<[INodeParameters, string]>([
	[{ ...template, header: '={{ "file" }}' }, 'Header is not one of none, json, binary'],
	[
		{ ...campaign, options: { invalidRecipients: '={{ "Skip" }}' } },
		'Invalid Recipients is not one of stop, skip',
	],
	[
		{
			resource: 'chatMessage',
			operation: 'sendAndWait',
			phone,
			message: 'Ship?',
			approvalOptions: { values: { approvalType: '={{ "both" }}' } },
		},
		'Type of Approval is not one of single, double',
	],
	[
		{ resource: 'chatMessage', operation: 'getMany', filters: { status: '={{ "sent" }}' } },
		'Status is not one of Sent, Delivered, Read, Failed',
	],
	[{ ...email, options: { idempotencyKey: '={{ "\\u200b " }}' } }, 'has no visible character'],
])(
	'a choice that is none, or a key that shows nothing, is refused: %j',
	async (parameters, message) => {
		expect(await refusal(parameters, itemsOf({ phone }))).toContain(message);
	},
);

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
	const output = await sandbox.run(parameters, { items: itemsOf(...people) });
	expect(output.map(({ json }) => json.request)).toMatchObject(
		people.map(({ name, from }) => ({ body: { parameters: [name], configId: from } })),
	);
});

describe('moments', () => {
	const calls = (from: string): INodeParameters => ({
		resource: 'voiceCall',
		operation: 'getMany',
		filters: { from },
	});

	test.each(['={{ 0 }}', '={{ "20260131" }}', '={{ 99999999999 }}'])(
		'%s is refused: it would be in 1970',
		async (from) => {
			expect(await refusal(calls(from))).toMatch(
				/^From is a number with fewer than 12 digits: enter milliseconds/,
			);
		},
	);

	test.each([
		'={{ "1767225600000" }}',
		'={{ new Date(1767225600000) }}',
		'={{ DateTime.fromMillis(1767225600000) }}',
	])('%s is taken as that moment', async (from) => {
		await sandbox.run(calls(from));
		const [request] = await sandbox.requests();
		expect(request?.url).toContain('from=2025-12-31');
	});
});

test('the name of a column with spaces, dots or commas comes as a path where it was dragged', async () => {
	const item = { 'Phone No.': phone, 'First Name': 'Anna', 'Town, State': 'Pune', a: { b: 1 } };
	const fields = {
		phoneField: "['Phone No.']",
		paramsFields: `['First Name'], ["Town, State"], a.b, a['b']`,
		nameField: "['First Name']",
	};
	await sandbox.run({ ...campaign, ...fields }, { items: itemsOf(item) });
	const [request] = await sandbox.requests();
	expect(request?.body).toMatchObject({
		recipients: [{ phone, params: ['Anna', 'Pune', '1', '1'], name: 'Anna' }],
	});
});

test('the names of columns may come as a list, and differ in what nobody sees', async () => {
	const item = { ' phone\u00a0': phone, '\ufeffFirst\u00a0Name': 'Anna', 'Cafe\u0301': 'Roma' };
	const fields = { phoneField: 'phone', paramsFields: "={{ ['First Name', 'Café'] }}" };
	await sandbox.run({ ...campaign, ...fields }, { items: itemsOf({ other: 1 }, item).slice(1) });
	const [request] = await sandbox.requests();
	expect(request?.body).toMatchObject({ recipients: [{ phone, params: ['Anna', 'Roma'] }] });
});

test.each<[INodeParameters, string]>([
	[
		{ paramsFields: 'name time' },
		'Parameter Fields names "name time", but the rows have "phone", "name", " name", "name[U+00A0] "',
	],
	[{ nameField: 'Name' }, 'Name Field names "Name", but the rows have'],
])('a name that fits no column is refused: %j', async (parameters, message) => {
	const items = itemsOf({ phone }, { name: 'a', ' name': 'b', 'name\u00a0 ': 'c' });
	const failure = await sandbox.failure({ ...campaign, ...parameters }, { items });
	expect(failure.message).toContain(message);
	expect(failure.description).toContain('Enter names of fields, not their values');
});

test('a name that several columns look like is refused', async () => {
	const items = itemsOf({ phone, ' name': 'b', 'name\u00a0': 'c' });
	expect(await refusal({ ...campaign, nameField: 'name' }, items)).toContain(
		'names "name", but the rows have " name", "name[U+00A0]"',
	);
});

test.each<[INodeParameters, string]>([
	[
		{ phone: '={{ $json.fone }}' },
		'Recipient Phone Number is empty: its expression returns nothing; the item has "phone"',
	],
	[
		{ parametersUi: { parameter: [{ value: '=Dear {{ $json.nome }},' }] } },
		'Parameters contains {{ $json.nome }}, which returns nothing; the item has "phone"',
	],
	[{ templateName: '={{ $json.a. }}' }, 'Template Name: Invalid syntax'],
	[
		{ header: 'binary', binaryPropertyName: 'Invoice' },
		'The item has no file named "Invoice"; it has "invoice", "data"',
	],
])('a message names the field, and what the item has: %j', async (parameters, message) => {
	const file = { data: 'YQ==', mimeType: 'text/plain' };
	const items = [{ json: { phone }, binary: { invoice: file, data: file } }];
	expect(await refusal({ ...template, ...parameters }, items)).toBe(message);
});

test('JSON that is too deep is a mistake of its item', async () => {
	const items = itemsOf({ depth: 19 }, { depth: 20_000 });
	const headerParametersJson =
		'={{ `${\'{"a":\'.repeat($json.depth)}1${"}".repeat($json.depth)}` }}';
	const parameters = { ...template, header: 'json', headerParametersJson };
	const node = { onError: 'continueRegularOutput' as const };
	const output = await sandbox.json(parameters, { items, node });
	expect(output.map(({ success, error: text }) => success ?? text)).toEqual([
		true,
		'Header Parameters (JSON) has more than 20 levels (item 2)',
	]);
});

describe('what JavaScript writes in place of a text is not sent', () => {
	const items = itemsOf({ phone, name: 'Anna', customer: { name: 'Anna' } });

	test.each([
		['=Dear {{ $json.customer }}', '[object Object]'],
		['=Dear {{ (async () => 1)() }}', '[object Promise]'],
		['={{ "Dear " + $json.name.trim }}', '[native code]'],
		['=At {{ new Date($json.none) }}', 'Invalid Date'],
		['=At {{ DateTime.fromISO("x") }}', 'Invalid DateTime'],
		['={{ "" + $json.none }}', 'undefined'],
		['={{ Number($json.name) }}', 'NaN'],
	])('%s', async (text, written) => {
		const problem = `contains "${written}": an expression in it returns no text`;
		expect(await refusal({ ...email, text }, items)).toBe(`Text ${problem}`);
		const parametersUi = { parameter: [{ value: text }] };
		expect(await refusal({ ...template, parametersUi }, items)).toBe(
			`Parameters (value of {{1}}) ${problem}`,
		);
	});

	test('nor to a recipient of a campaign', async () => {
		const parameters = { ...campaign, paramsFields: 'name' };
		expect(await refusal(parameters, itemsOf({ phone, name: 'At Invalid DateTime' }))).toContain(
			'"name" contains "Invalid DateTime": an expression in it returns no text',
		);
	});

	test('nor a number that was rounded', async () => {
		const problem = 'is a number that is too large to be exact. Pass it as text';
		const parameters = { parametersMode: 'json', parametersJson: '[12345678901234567891]' };
		expect(await refusal({ ...template, ...parameters })).toBe(
			`Parameters (JSON) (value of {{1}}) ${problem}`,
		);
		const message = await refusal(
			{ ...campaign, paramsFields: 'order' },
			itemsOf({ phone, order: 2 ** 53 }),
		);
		expect(message).toContain(`"order" ${problem}`);
	});
});

test.each(['phone', 'providerMessageId', 'sentAfter'])(
	'the filter %s that is empty for an item gives no records of others',
	async (name) => {
		const filters = { [name]: '={{ $json.a }}' };
		const parameters = { resource: 'chatMessage', operation: 'getMany', filters };
		expect(await refusal(parameters, itemsOf({ a: '' }))).toContain(
			'is empty: its expression returns nothing; the item has "a"',
		);
	},
);

test('the choice of all routes may come from an expression', async () => {
	const filters = { route: '={{ $json.a }}' };
	const parameters = { resource: 'voiceCall', operation: 'getMany', filters };
	expect(await sandbox.json(parameters, { items: itemsOf({ a: '' }) })).toEqual([]);
	expect(await sandbox.requests('/voice/call-logs')).toHaveLength(1);
});

test.each([
	['maxSends', 5, 'Max Sends'],
	['resendUnknown', true, 'Try Again If Uncertain'],
	['checkBalance', true, 'Check Balance'],
	['timeout', 60_000, 'Timeout (Milliseconds)'],
])('%s holds for a whole run: items may not differ', async (name, value, label) => {
	const parameters = { ...email, options: { [name]: '={{ $json.a }}' } };
	const other = typeof value === 'number' ? value + 1 : !value;
	expect(await refusal(parameters, itemsOf({ a: value }, { a: value }, { a: other }))).toContain(
		`${label} differs between the input items`,
	);
	expect(
		await sandbox.run(parameters, { items: itemsOf({ a: value }, { a: value }) }),
	).toHaveLength(2);
});

describe('the allowed country codes of the credential', () => {
	const call: INodeParameters = {
		resource: 'voiceCall',
		operation: 'create',
		to: '={{ $json.phone }}',
		text: 'Hi',
	};
	const allowing = (countryCodes: string) => ({ ...sandbox.credential(), countryCodes });
	const items = itemsOf({ phone: '447700900210' }, { phone: '7700900210' });
	const refused =
		'"7700900210" does not start with a country code that the credential allows (44, 1): add the country code';

	test.each<[string, INodeParameters]>([
		['chat', { ...template, phone: '={{ $json.phone }}' }],
		['voice', call],
	])('are a matter of the item: %s', async (_kind, parameters) => {
		const label = 'Recipient Phone Number';
		const credential = allowing(' +44; 1 ');
		const error = await sandbox.failure(parameters, { credential, items });
		expect(error.message).toBe(`${label} ${refused}`);
		expect(await sandbox.requests()).toEqual([]);
		const node = { onError: 'continueRegularOutput' as const };
		const output = await sandbox.json(parameters, { credential, items, node });
		expect(output.map(({ success, error: text }) => success ?? text)).toEqual([
			true,
			`${label} ${refused} (item 2)`,
		]);
	});

	test('make an invalid recipient of a campaign', async () => {
		const credential = allowing('44, 1');
		const error = await sandbox.failure(campaign, { credential, items });
		expect(error.message).toContain(
			`item 2 (row 3 of a sheet with a heading), "7700900210": the phone number ${refused}`,
		);
		const options = { invalidRecipients: 'skip' };
		const [sent] = await sandbox.json({ ...campaign, options }, { credential, items });
		expect(sent).toMatchObject({ skippedCount: 1 });
	});

	test('what is no list of codes stops everything', async () => {
		expect(await sandbox.refusal(template, { credential: allowing('India') })).toBe(
			'Allowed Country Codes in the credential is not a list of country codes',
		);
	});
});

describe('who may be reached, and who must not', () => {
	// Whatever is billable has these options.
	const billable = describedOperations.filter(({ fields }) =>
		JSON.stringify(fields).includes('"excludedRecipients"'),
	);
	const file = { data: { data: 'JVBERg==', mimeType: 'application/pdf' } };
	const items: INodeExecutionData[] = [{ json: { phone }, binary: file }];

	test.each(billable)('holds for $name', async ({ name, choice }) => {
		const good = { ...choice, ...goodParameters[name] };
		const runExecutionData = createRunExecutionData();
		const reached = [phone, goodParameters[name]?.to, goodParameters[name]?.phone].join(',');
		const run = async (options: IDataObject) =>
			await sandbox.json({ ...good, options } as INodeParameters, { items, runExecutionData });
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
		await run({ allowedRecipients: reached, excludedRecipients: '+14155550199' });
		expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).not.toEqual([]);
	});

	test('country codes hold for a question, too', async () => {
		const question = { resource: 'chatMessage', operation: 'sendAndWait', message: 'Well?' };
		const credential = { ...sandbox.credential(), countryCodes: '91' };
		const run = { ...question, phone: '+14155550100' };
		expect((await sandbox.failure(run, { credential })).message).toContain('country code');
		expect(await sandbox.requests()).toEqual([]);
	});
});

test('what somebody wrote makes no element where n8n shows a description as HTML', async () => {
	const items = [phone, '<a href="https://a.example">9</a>'].map((to) => ({
		json: { to },
	}));
	const parameters = { resource: 'chatMessage', operation: 'sendTemplate', templateName: 'a' };
	const { description } = await sandbox.failure(
		{ ...parameters, phone: '={{ $json.to }}' },
		{ items },
	);
	expect(description).toContain('This is item 2, to &lt;a href="https://a.example">9');
	expect(description).not.toContain('<a');
});
