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

/** A run that reaches the recipient of each item, with these options. */
const reaching = (options: IDataObject, recipients: string[], more: FakeRun = {}): FakeRun => ({
	items: recipients.map((to) => ({ to })),
	parameters: {
		phone: '={{ $json.to }}',
		message: 'Hello',
		to: '={{ $json.to }}',
		content: 'text',
		text: 'Hello',
		subject: 'Hello',
		emailFormat: 'text',
		options,
	},
	...more,
});

const lists = (list: unknown) =>
	['allowedRecipients', 'excludedRecipients'].map((name) => ({ [name]: list }) as IDataObject);

const toOf = ({ sent }: FakeNode) => sent.map(({ phone, to }) => phone ?? to);

// Without zeros, which some spellings do not bear.
const digits = fc.stringMatching(/^[5-8][1-9]{9,14}$/);

/** The number as somebody writes it. */
const spelled = (number: string): Arbitrary<string> =>
	fc
		.tuple(
			fc.constantFrom('', '+', ' +', '\u00a0'),
			fc.constantFrom(['', ''], [' ', ''], ['-', ''], ['\u2011', ''], ['.', ''], [' (', ') ']),
			fc.integer({ min: 1, max: 3 }),
		)
		.map(([plus, [open, close], at]) => {
			const parts = [number.slice(0, at), number.slice(at, at + 2), number.slice(at + 2)];
			return `${plus}${parts[0]}${open}${parts[1]}${close}${parts[2]}`;
		});

const domain = fc.constantFrom('host.example', 'mail.example', 'münchen.example');
const address = fc
	.tuple(fc.stringMatching(/^[a-z][a-z0-9._]{0,8}$/), domain)
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

test.each([
	['chat numbers', text, drawn(digits, spelled)],
	['calls', call, drawn(digits, spelled)],
	['addresses', email, drawn(address, spelledAddress)],
])('%s in whatever spelling are allowed or excluded', async (_what, operation, cases) => {
	await fc.assert(
		fc.asyncProperty(cases, async ({ who, stranger, list }) => {
			const node = new FakeNode();
			const [allowed = {}, excluded = {}] = lists(list);
			expect(await node.json(operation, reaching(allowed, [who]))).toHaveLength(1);
			expect(await node.failure(operation, reaching(allowed, [who, stranger]))).toMatchObject({
				message: expect.stringMatching(/^Allowed Recipients does not include /),
				context: { itemIndex: 1, data: { outcome: 'notSent' } },
			});
			expect(node.sent).toHaveLength(1);
			const other = new FakeNode();
			const all = await other.json(operation, reaching(excluded, [stranger, who, stranger]));
			expect(all).toMatchObject([{ success: true }, { excluded: true }, { success: true }]);
			expect(toOf(other)).toHaveLength(2);
			expect(toOf(other)).not.toContain(all[1]?.phone ?? all[1]?.to);
		}),
	);
});

describe('an opt-out counts for every number with the same last eight digits', () => {
	test.each<[string, string, boolean]>([
		['07700 900210', '447700900210', true],
		['0044 7700 900210', '447700900210', true],
		["'+44 (0) 7700 900210", '447700900210', true],
		['447700900210@c.us', '447700900210', true],
		['Anna <07700900210@mail.example>', '447700900210', true],
		['8 (912) 345-67-89', '79123456789', true],
		['06 30 123 4567', '36301234567', true],
		['011 1 415 555 0100', '14155550100', true],
		['0011 49 151 23456789', '4915123456789', true],
		['5215512345678', '525512345678', true],
		['554196123456', '5541996123456', true],
		['5491123456789', '541123456789', true],
		['447700900210', '1447700900210', true],
		['447700900210', '447710900210', false],
		['447700900210', '447700900211', false],
		// With only seven digits, either side counts for all of them.
		['09 123456', '3589123456', true],
		['9123456', '4479123456', true],
		['9123457', '4479123456', false],
		['011 683 4002', '6834002', true],
		['011 684 4002', '6834002', false],
	])('%s excludes %s: %j', async (list, to, isExcluded) => {
		for (const countryCodes of ['', '1, 3, 4, 5, 6, 7']) {
			const credential = { baseUrl: 'https://host.example', apiKey: 'key', countryCodes };
			const node = new FakeNode();
			const run = reaching({ excludedRecipients: `${list}, , b@host.example` }, [to], {
				credential,
			});
			const expected = isExcluded ? { excluded: true } : { success: true };
			expect(await node.json(text, run)).toMatchObject([expected]);
			expect(node.sent).toHaveLength(isExcluded ? 0 : 1);
		}
	});

	test.each(['012 3456', '123456', '0000000000', '7700 900210 7700 900211', ['-']])(
		'%s is no number, so nothing is sent',
		async (list) => {
			const node = new FakeNode();
			const run = reaching({ excludedRecipients: list }, ['14155550100']);
			const { message } = await node.failure(text, run);
			expect(message).toMatch(/^Excluded Recipients has an invalid entry: /);
			expect(node.requests).toEqual([]);
		},
	);
});

test.each([
	['+65 6123 4567', '+6561234567'],
	['65-6123-4567', '+6561234567'],
])('a call to an allowed number has its country code: %s', async (to, sent) => {
	const node = new FakeNode();
	const run = reaching({ allowedRecipients: ['(+65) 6123 4567', '@host.example'] }, [to]);
	expect(await node.json(call, run)).toMatchObject([{ success: true }]);
	expect(toOf(node)).toEqual([sent]);
});

test.each<[string, string, typeof text, string]>([
	['a domain', '@host.example', email, 'anna@Host.example'],
	['any name', '*@host.example', email, 'anna@host.example'],
	['another width', 'anna@host.example', email, 'anna@ｈｏｓｔ.example'],
	['a forwarding address', '@host.example', email, 'anna%other.example@host.example'],
	['a call without the country code', '+919876543210', call, '9876543210'],
])('if uncertain, a recipient is excluded: %s', async (_what, list, operation, to) => {
	const node = new FakeNode();
	const run = reaching({ excludedRecipients: list }, [to]);
	expect(await node.json(operation, run)).toMatchObject([{ excluded: true }]);
	expect(node.requests).toEqual([]);
});

test.each<[string, typeof text, string]>([
	['14155550100@c.us', text, '14155550100'],
	['@host.example', email, 'anna@mail.host.example'],
	['@host.example', email, 'anna@host.example.evil.example'],
	['anna@host.example', email, 'аnna@host.example'],
	['anna@host.example', email, 'ａnna@host.example'],
	['@host.example', email, 'anna%evil.example@host.example'],
	['@host.example', email, 'evil.example!anna@host.example'],
	['@host.example', email, '=?utf-8?q?anna=40evil.example=00?=@host.example'],
	['@host.example', email, 'anna%evil.example%40@host.example'],
	['anna@host.example', email, 'anna@host.example, ben@host.example'],
	['anna@host.example', email, 'anna@host.example <ben@host.example>'],
	['+14155550100', text, '4155550100'],
])('allowed by %s is not %#', async (list, operation, to) => {
	const node = new FakeNode();
	const { message } = await node.failure(operation, reaching({ allowedRecipients: list }, [to]));
	expect(message).toMatch(/^Allowed Recipients does not include/);
	expect(node.requests).toEqual([]);
});

test.each<[unknown, string]>([
	[' ,\n', 'is empty'],
	['={{ $json.none }}', 'is empty'],
	['170 123', '"170 123" needs 7 to '],
	['9.19877E+11', 'lost digits in a spreadsheet'],
	['host.example', 'is not a digit'],
	['anna@host.example@', 'is neither an email address nor a domain'],
	[[{ phone: '919876543210' }], 'is an object: use one of its fields'],
	[{ phone: '919876543210' }, 'is an object'],
	['+91987654321 | Ben', 'contains more than one number: enter only one'],
])('a list that is %j lets nothing out', async (list, problem) => {
	for (const options of lists(list)) {
		const node = new FakeNode();
		const { message } = await node.failure(text, reaching(options, ['919876543299']));
		expect(message).toContain(problem);
		expect(node.requests).toEqual([]);
	}
});

test('an empty list excludes nobody, and allows nobody', async () => {
	const node = new FakeNode();
	await node.json(text, reaching({ excludedRecipients: [] }, ['919876543210']));
	const run = reaching({ allowedRecipients: [] }, ['919876543211']);
	expect((await node.failure(text, run)).message).toBe(
		'Allowed Recipients is empty, so 919876543211 gets nothing',
	);
	expect(toOf(node)).toEqual(['919876543210']);
});

test('an email goes to those of its addresses that are not excluded, and names the others', async () => {
	const node = new FakeNode();
	const to = 'anna@host.example, Ben <BEN@host.example>; carla@host.example';
	const options = { excludedRecipients: 'ben@host.example' };
	const names = { excludedCount: 1, excluded: ['BEN@host.example'] };
	expect(await node.json(email, reaching(options, [to]))).toEqual([
		{ success: true, to: 'anna@host.example, carla@host.example', ...names },
	]);
	expect(toOf(node)).toEqual(['anna@host.example, carla@host.example']);
	const trial = reaching({ ...options, simulate: 'always' }, [to]);
	expect(await node.json(email, trial)).toMatchObject([{ cost: { amount: 2 }, ...names }]);
	const both = reaching({ ...options, allowedRecipients: 'anna@host.example' }, [to]);
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
	const node = new FakeNode({ respond: () => ({ chatBalance: 1, success: true }) });
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
	const failing = new FakeNode({ respond: () => ({ error: 'No' }) });
	expect((await failing.failure(media, run({}))).description).toContain('This node sent nothing.');
});

test('Max Sends counts every recipient of an email, and an email that does not fit is not sent', async () => {
	const node = new FakeNode();
	const lists = [
		'a@host.example, b@host.example',
		'c@host.example, d@host.example',
		'e@host.example',
	];
	const run = reaching({ maxSends: 3 }, lists, { continueOnFail: true });
	expect(await node.json(email, run)).toMatchObject([
		{ success: true },
		{
			error: 'Max Sends per Execution is 3, but this execution needs 5',
			details: { outcome: 'notSent' },
		},
		{ success: true },
	]);
	expect(node.sent).toHaveLength(2);
});

test('what was sent before its recipient opted out is reported as sent', async () => {
	const [first, second] = ['14155550100', '14155550101'];
	const respond = ({ phone }: IDataObject) => (phone === second ? { error: 'No' } : { id: 1 });
	const node = new FakeNode({ respond });
	const execution = new FakeExecution();
	await node.failure(text, reaching({}, [first, second], { execution }));
	const more = { continueOnFail: true, execution: execution.retried() };
	const again = reaching({ excludedRecipients: first }, [first, second], more);
	const output = await node.json(text, again);
	expect(output).toMatchObject([{ alreadySent: true, id: 1 }, { error: 'No' }]);
});

describe('a list or limit that a model could choose', () => {
	test.each([
		[false, '={{ $fromAI("list") }}'],
		[false, '=+14155550100, {{ $fromai("list") }}'],
		[false, '={{ $tool.parameters.list }}'],
		[true, '={{ $json.to }}'],
		[true, '={{ $input.first().json.list }}'],
		[true, '={{ $parameter.phone }}'],
		[true, "={{ $('Contact').item.json.phone }}"],
		[true, "={{ $('Contact').first().json[$json.to] }}"],
	])('is rejected (tool: %j): %s', async (isTool, expression) => {
		for (const options of [
			...lists(expression),
			{ maxSends: expression },
			{ simulate: expression },
		]) {
			const node = new FakeNode({ isTool });
			const run = reaching(options, ['14155550100'], { continueOnFail: true });
			const [{ error } = {}] = await node.json(text, run);
			expect(error).toMatch(/^The expression in .+ lets an AI model choose its value$/);
			expect(node.requests).toEqual([]);
		}
	});

	const outside = ['14155550100', "={{ $('Contacts').all() }}", '={{ $vars.list }}'];

	test.each(outside)('is not %s', async (list) => {
		const run = reaching({ allowedRecipients: list }, ['14155550100']);
		const [item] = await new FakeNode({ isTool: true }).json(text, run);
		expect(String(item?.error ?? '')).not.toContain('lets an AI model choose');
	});
});
