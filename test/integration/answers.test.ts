import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { asked } from '../support/core/answer';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

const phone = '919876543210';
const chat: INodeParameters = {
	resource: 'chatMessage',
	operation: 'sendAndWait',
	phone,
	message: '={{ $json.question }}',
};
const freeText = { ...chat, responseType: 'freeText' };
const items = [{ json: { question: 'Ship "A & B"?' } }];

const [approve, decline] = [0, 1];

const told = (data: IDataObject, whom: IDataObject = { to: phone }) => [
	{
		json: {
			data: { ...data, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
			...whom,
		},
		pairedItem: { item: 0 },
	},
];

test.each([
	[approve, true],
	[decline, false],
])('the form behind link %i decides, opening it does not', async (link, approved) => {
	const open = await asked(sandbox, { parameters: chat, items });
	for (const method of ['GET', 'HEAD']) {
		const { status, page, headers, items: none } = await open(method, link);
		expect([status, none]).toEqual([200, []]);
		expect(page).toContain('Ship &quot;A &amp; B&quot;?');
		expect(headers['Content-Security-Policy']).toContain('sandbox allow-forms');
	}
	const answer = await open('POST', link);
	expect(answer.items).toEqual(told({ approved }));
	expect(answer.page).toContain('Response recorded');
});

test.each<[string, INodeParameters, IDataObject]>([
	[
		'an email',
		{ ...chat, resource: 'email', to: 'a@host.example', subject: 'Order' },
		{ to: 'a@host.example', messageId: expect.stringMatching(/^<.+>$/) as string },
	],
	[
		'a template',
		{ ...chat, sendAs: 'template', templateName: 'order_update' },
		{ to: phone, messageId: expect.stringMatching(/^pm\./) as string },
	],
])('the answer to %s says with which message was asked', async (_name, parameters, whom) => {
	const open = await asked(sandbox, { parameters, items });
	expect((await open('POST', decline)).items).toEqual(told({ approved: false }, whom));
});

test('a free text comes without spaces around it, its lines as they are written everywhere', async () => {
	const open = await asked(sandbox, { parameters: freeText, items });
	const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
	await fc.assert(
		fc.asyncProperty(fc.array(line, { minLength: 1 }), async (lines) => {
			const { items: answer, status } = await open('POST', 0, { text: lines.join('\r\n') });
			const text = lines.join('\n').trim();
			if (text === '') expect([status, answer]).toEqual([400, []]);
			else expect(answer).toEqual(told({ text }));
		}),
		{ numRuns: 50, examples: [[['Yes', 'but later ']], [[' ', '']]] },
	);
});

test.each([null, {}, { text: '' }, { text: ' \r\n' }, { text: { a: 1 } }])(
	'%j is no answer, and asked for again',
	async (body) => {
		const open = await asked(sandbox, { parameters: freeText, items });
		const { status, page, items: answer } = await open('POST', 0, body);
		expect([status, answer]).toEqual([400, []]);
		expect(page).toContain('Please write a response first.');
	},
);

test.each([{ question: '1' }, { question: undefined }])(
	'a link of another question decides nothing: %j',
	async (change) => {
		const open = await asked(sandbox, { parameters: chat, items });
		for (const method of ['GET', 'POST']) {
			const { status, page, items: answer } = await open(method, approve, {}, change);
			expect([status, answer]).toEqual([409, []]);
			expect(page).toContain('This question was answered');
		}
	},
);

test('a link counts in the round of a loop that it was sent in, whatever the node is called', async () => {
	const node = { name: 'Ask "them" {{ 1 }}' };
	const open = await asked(sandbox, { parameters: chat, items, node, runIndex: 2 });
	expect((await open('POST', approve)).items).toEqual(told({ approved: true }));
	expect((await open('POST', approve, {}, { question: '0' })).items).toEqual([]);
});

test('a title whose expression gives no text any more does not make the link useless', async () => {
	const responseFormTitle = '={{ ({ title: undefined }) }}';
	const parameters = { ...chat, options: { responseFormTitle } };
	const open = await asked(sandbox, { parameters, items });
	expect((await open('GET', approve)).status).toBe(200);
	expect((await open('POST', approve)).items).toEqual(told({ approved: true }));
});
