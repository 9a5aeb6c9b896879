import fc, { type Arbitrary } from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { findOperation } from '../../../nodes/MessagingService/actions';
import { FakeExecution, FakeNode, type FakeRun } from '../../support/unit/fakeNode';

function operationOf(resource: string, value: string) {
	const operation = findOperation(resource, value);
	if (!operation) throw new Error(`There is no ${resource}.${value}`);
	return operation;
}

const text = operationOf('chatMessage', 'send');
const call = operationOf('voiceCall', 'create');
const email = operationOf('email', 'send');

type Option = 'allowedRecipients' | 'excludedRecipients';

/** A run that reaches the recipient of each item, with a list in one of the options. */
const guarded = (
	option: Option,
	list: unknown,
	recipients: string[],
	more: FakeRun = {},
): FakeRun => ({
	items: recipients.map((to) => ({ to })),
	parameters: {
		phone: '={{ $json.to }}',
		message: 'Hello',
		to: '={{ $json.to }}',
		content: 'text',
		text: 'Hello',
		subject: 'Hello',
		emailFormat: 'text',
		options: { [option]: list },
	},
	...more,
});

const toOf = ({ sent }: FakeNode) => sent.map(({ phone, to }) => phone ?? to);

const digits = fc
	// Without zeros, which some spellings do not bear.
	.array(fc.integer({ min: 1, max: 9 }), { minLength: 10, maxLength: 15 })
	.map((all) => all.join(''));

/** The number as somebody writes it. */
const spelled = (number: string): Arbitrary<string> =>
	fc
		.tuple(
			fc.constantFrom('', '+', ' +', '\u00a0'),
			fc.constantFrom('', ' ', '-', '\u2011', '.', ' ('),
			fc.integer({ min: 1, max: 3 }),
		)
		.map(([plus, gap, at]) => {
			const end = gap === ' (' ? ') ' : '';
			return `${plus}${number.slice(0, at)}${gap}${number.slice(at, at + 2)}${end}${number.slice(at + 2)}`;
		});

const address = fc
	.tuple(
		fc.stringMatching(/^[a-z][a-z0-9._]{0,8}$/),
		fc.constantFrom('host.example', 'mail.example', 'münchen.example'),
	)
	.map((parts) => parts.join('@'));

const spelledAddress = (one: string): Arbitrary<string> =>
	fc
		.tuple(
			fc.constantFrom('host', 'HOST', 'Host'),
			fc.constantFrom('%', 'Anna <%>', '"Doe, Anna" <%>', ' % '),
			fc.boolean(),
		)
		.map(([host, frame, isAscii]) => {
			const [name = '', domain = ''] = one.split('@');
			const ascii = isAscii ? domain.replace('münchen', 'xn--mnchen-3ya') : domain;
			return frame.replace('%', `${name.toUpperCase()}@${ascii.replace('host', host)}`);
		});

/** Entries in each form that the option has. */
const listOf = (entries: string[]): Arbitrary<unknown> =>
	fc.constantFrom<unknown>(
		entries,
		...[',', ', ', ';', '\n', '\r\n', ',\n', '\t'].map((gap) => `${gap}${entries.join(gap)}${gap}`),
	);

/** A recipient and a stranger, and a list that has only the first of them, in other spellings. */
const drawn = (one: Arbitrary<string>, spell: (one: string) => Arbitrary<string>) =>
	fc
		.uniqueArray(one, { minLength: 3, maxLength: 6, selector: (other) => other.slice(-10) })
		.chain(([who = '', stranger = '', ...others]) =>
			fc.record({
				who: spell(who),
				stranger: spell(stranger),
				list: fc.tuple(spell(who), ...others.map(spell)).chain(listOf),
			}),
		);

describe.each([
	['chat numbers', text, drawn(digits, spelled)],
	['calls', call, drawn(digits, spelled)],
	['addresses', email, drawn(address, spelledAddress)],
])('in whatever spelling, %s', (_what, operation, lists) => {
	test('are reached if they are allowed, and no others', async () => {
		await fc.assert(
			fc.asyncProperty(lists, async ({ who, stranger, list }) => {
				const node = new FakeNode();
				expect(await node.json(operation, guarded('allowedRecipients', list, [who]))).toHaveLength(
					1,
				);
				expect(node.sent).toHaveLength(1);
				const run = guarded('allowedRecipients', list, [who, stranger]);
				expect(await node.failure(operation, run)).toMatchObject({
					message: expect.stringMatching(/^Allowed Recipients does not include /),
					context: { itemIndex: 1, data: { outcome: 'notSent' } },
				});
				expect(node.sent).toHaveLength(1);
			}),
		);
	});

	test('are left out if they are excluded, in their place, and no others', async () => {
		await fc.assert(
			fc.asyncProperty(lists, async ({ who, stranger, list }) => {
				const node = new FakeNode();
				const run = guarded('excludedRecipients', list, [stranger, who, stranger]);
				const [first, second, third] = await node.json(operation, run);
				expect([first, third]).toEqual([{ success: true }, { success: true }]);
				expect(second).toMatchObject({ excluded: true });
				expect(toOf(node)).toHaveLength(2);
				expect(toOf(node)).not.toContain(second?.phone ?? second?.to);
			}),
		);
	});
});

test.each<[string, string, typeof text, string]>([
	['a domain', '@host.example', email, 'anna@Host.example'],
	['any name', '*@host.example', email, 'anna@host.example'],
	['a subaddress', 'anna@host.example', email, 'Anna+news@host.example'],
	['another width', 'anna@host.example', email, 'anna@ｈｏｓｔ.example'],
	['the chat ID of a number', '919876543210@c.us', text, '+91 98765 43210'],
	['a call without the country code', '+919876543210', call, '09876543210'],
	['a call with an international prefix', '+919876543210', call, '00919876543210'],
	['the country code that the credential allows', '98765 43210', text, '+919876543210'],
])('in doubt a recipient is excluded: %s', async (_what, list, operation, to) => {
	const node = new FakeNode();
	const credential = { baseUrl: 'https://host.example/api/v1', apiKey: 'key' };
	const countryCodes = operation === text ? '91' : '';
	const more = { credential: { ...credential, countryCodes } };
	const run = guarded('excludedRecipients', list, [to], more);
	expect(await node.json(operation, run)).toMatchObject([{ excluded: true }]);
	expect(node.requests).toEqual([]);
});

test.each<[string, typeof text, string]>([
	['14155550100@c.us', text, '14155550100'],
	['@host.example', email, 'anna@mail.host.example'],
	['@host.example', email, 'anna@host.example.evil.example'],
	['@host.example', email, 'anna@nothost.example'],
	['anna@host.example', email, 'anna+other@host.example'],
	['anna@host.example', email, 'аnna@host.example'],
	['anna@host.example', email, 'anna@host.example, ben@host.example'],
	['anna@host.example', email, 'anna@host.example <ben@host.example>'],
	['+14155550100', text, '4155550100'],
	['+14155550100', call, '4155550100'],
	['+14155550100', call, '0014155550100'],
])('allowed by %s is not %#', async (list, operation, to) => {
	const node = new FakeNode();
	const failure = await node.failure(operation, guarded('allowedRecipients', list, [to]));
	expect(failure.message).toMatch(/^Allowed Recipients does not include/);
	expect(node.requests).toEqual([]);
});

test.each<[unknown, string]>([
	['', 'is empty'],
	[' ,\n', 'is empty'],
	['={{ $json.none }}', 'is empty'],
	[[null, ''], 'is empty'],
	['0170 1234567', '"0170 1234567" starts with a zero'],
	['9.19877E+11', 'lost digits in a spreadsheet'],
	['host.example', 'is not a digit'],
	['anna@host.example@', 'is neither an email address nor a domain'],
	[[{ phone: '919876543210' }], 'an object is not text'],
	[{ phone: '919876543210' }, 'is not text'],
	[['91987654321 919876543211'], 'contains more than one number'],
])('a list that is %j lets nothing out', async (list, problem) => {
	const to = '919876543299';
	for (const option of ['allowedRecipients', 'excludedRecipients'] as const) {
		const node = new FakeNode();
		const other = { items: [{ to }], continueOnFail: true };
		const output = await node.json(text, guarded(option, list, [to], other));
		expect(output).toMatchObject([{ error: expect.stringContaining(problem) as string }]);
		expect(node.requests).toEqual([]);
	}
});

test('an empty list excludes nobody, and allows nobody', async () => {
	const node = new FakeNode();
	expect(await node.json(text, guarded('excludedRecipients', [], ['919876543210']))).toEqual([
		{ success: true },
	]);
	const run = guarded('allowedRecipients', [], ['919876543211']);
	expect((await node.failure(text, run)).message).toBe(
		'Allowed Recipients is empty: it does not include 919876543211',
	);
	expect(toOf(node)).toEqual(['919876543210']);
});

test('an email goes to those of its addresses that are not excluded, and names the others', async () => {
	const node = new FakeNode();
	const to = 'anna@host.example, Ben <BEN@host.example>; carla@host.example';
	const run = guarded('excludedRecipients', 'ben@host.example', [to]);
	const names = { excludedCount: 1, excluded: ['BEN@host.example'] };
	expect(await node.json(email, run)).toEqual([{ success: true, ...names }]);
	expect(toOf(node)).toEqual(['anna@host.example, carla@host.example']);
	const options = { excludedRecipients: 'ben@host.example', simulate: 'always' };
	const trial = { ...run, parameters: { ...run.parameters, options } };
	expect(await node.json(email, trial)).toMatchObject([{ cost: { amount: 2 }, ...names }]);
	const mine = { ...options, allowedRecipients: 'anna@host.example' };
	const both = { ...run, parameters: { ...run.parameters, options: mine } };
	expect((await node.failure(email, both)).message).toContain('carla@host.example');
	expect(node.sent).toHaveLength(1);
});

test('excluded items count for no balance, no limit, no key and no simulated cost', async () => {
	const [who, other] = ['919876543210', '919876543211'] as const;
	const run = (options: IDataObject) => ({
		items: [who, other].map((to) => ({ to, key: 'a' })),
		parameters: {
			phone: '={{ $json.to }}',
			mediaType: 'image',
			mediaUrl: 'https://host.example/a.png',
			options: { excludedRecipients: who, ...options },
		},
	});
	const media = operationOf('chatMessage', 'sendMedia');
	const node = new FakeNode({ answer: () => ({ chatBalance: 1, success: true }) });
	const sent = await node.json(
		media,
		run({ checkBalance: true, maxSends: 1, idempotencyKey: '={{ $json.key }}' }),
	);
	expect(sent).toMatchObject([{ excluded: true, phone: who }, { success: true }]);
	expect(await node.json(media, run({ simulate: 'always' }))).toMatchObject([
		{ excluded: true },
		{ simulated: true },
	]);
	expect(node.hints.at(-1)).toContain('nothing was sent for 1 request. Sending would cost 1 ');
	const failing = new FakeNode({ answer: () => ({ error: 'No' }) });
	expect((await failing.failure(media, run({}))).description).toContain('Nothing was sent.');
});

test('what was sent before its recipient opted out is reported as sent', async () => {
	const node = new FakeNode({
		answer: ({ phone }) => (phone === '14155550101' ? { error: 'No' } : { id: 1 }),
	});
	const people = ['14155550100', '14155550101'];
	const run = guarded('excludedRecipients', '14155550109', people);
	const execution = new FakeExecution();
	await node.failure(text, { ...run, execution });
	const again = guarded('excludedRecipients', '14155550100', people, { continueOnFail: true });
	const output = await node.json(text, { ...again, execution: execution.retried() });
	expect(output).toMatchObject([{ alreadySent: true, id: 1 }, { error: 'No' }]);
});

describe('a list that a model could choose', () => {
	test.each([
		[false, '={{ $fromAI("list") }}'],
		[false, '=+14155550100, {{ $fromai("list") }}'],
		[false, '={{ $tool.parameters.list }}'],
		[true, '={{ $json.to }}'],
		[true, '={{ $input.first().json.list }}'],
		[true, '={{ $parameter.phone }}'],
		[true, "={{ $('Contact').item.json.phone }}"],
		[true, "={{ $('Contact').first().json[$json.to] }}"],
	])('is refused (tool: %j): %s', async (isTool, list) => {
		for (const option of ['allowedRecipients', 'excludedRecipients'] as const) {
			const node = new FakeNode({ isTool });
			const run = guarded(option, list, ['14155550100'], { continueOnFail: true });
			expect(await node.json(text, run)).toMatchObject([
				{
					error: expect.stringMatching(
						/ has an expression whose value an AI model could choose$/,
					) as string,
				},
			]);
			expect(node.requests).toEqual([]);
		}
	});

	test.each([
		[false, '={{ $fromAI("most") }}'],
		[false, '={{ $tool.parameters.most }}'],
		[true, '={{ $json.most }}'],
		[true, "={{ $('Contact').item.json.most }}"],
	])('is refused as Max Sends, too (tool: %j): %s', async (isTool, maxSends) => {
		const node = new FakeNode({ isTool });
		const run = guarded('allowedRecipients', '14155550100', ['14155550100'], {
			continueOnFail: true,
		});
		const options = { allowedRecipients: '14155550100', maxSends };
		const output = await node.json(text, { ...run, parameters: { ...run.parameters, options } });
		expect(output).toMatchObject([
			{ error: 'Max Sends has an expression whose value an AI model could choose' },
		]);
		expect(node.requests).toEqual([]);
	});

	test('is none that is fixed, or read from a node outside of the tool', async () => {
		const node = new FakeNode({ isTool: true });
		const lists = ['14155550100', "={{ $('Contacts').all() }}", '={{ $vars.list }}'];
		for (const list of lists) {
			const run = guarded('allowedRecipients', list, ['14155550100']);
			const [item] = await node.json(text, run);
			expect(String(item?.error ?? '')).not.toContain('a model could choose');
		}
	});
});
