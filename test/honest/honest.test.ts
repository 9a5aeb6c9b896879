import { map, sortBy, times, uniq } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { failureOr } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { links, mailboxes } from './addresses';
import { carriers, questions, type Carrier, type Value } from './carriers';
import { expressions, order, undefinedInText, type Written } from './expressions';
import { phones } from './phones';
import { texts } from './texts';

// Whatever these inputs look like, people mean them: the node sends them all (docs/contract.md, section 3.1).

const sandbox = useSandbox();
const plenty = { chatBalance: 1e9, emailBalance: 1e9, voiceMins: 1e9 };
beforeEach(async () => await sandbox.control.setAccount(plenty));

/** A run by hand, and one in production. */
const modes: WorkflowExecuteMode[] = ['manual', 'webhook'];

/** Items of a list. */
const many = 200;
const listOf = <T>(all: T[]): T[] => times(many, (index) => all[index % all.length] as T);

const allTexts = Object.values(texts).flat();
const lines = allTexts.filter((text) => text === text.trim() && !/[\n\r\u2028]/.test(text));
const textsFor = ({ isLine }: Carrier) => (isLine ? lines : allTexts);

/** The recipient of an input, by its place. */
const person = (index: number) => ({
	phone: String(447_700_900_000 + index),
	to: `anna${index}@host.example`,
});
const itemOf = (text: string, index: number): INodeExecutionData => ({
	json: { ...person(index), text },
});

const isEmail = ({ parameters }: Carrier) => parameters(fromItem).resource === 'email';
const byPhone = (all: Record<string, Carrier>): Array<[string, Carrier]> =>
	Object.entries(all).filter(([, carrier]) => !isEmail(carrier));

/** How a parameter refers to the item's text: by itself, and inside a longer one. */
const fromItem: Value = { text: '={{ $json.text }}', list: '={{ [$json.text] }}' };
const inLonger: Value = {
	text: '=({{ $json.text }})',
	list: '={{ JSON.parse(JSON.stringify(["(" + $json.text + ")"])) }}',
};

/** A text that the user enters, as far as n8n takes it for one. */
const entered = (text: string): Value =>
	/^=|\{\{\s*\$/.test(text) ? fromItem : { text, list: JSON.stringify([text]) };

type Sent = [recipient: unknown, text: unknown];

const ordered = (all: Sent[]): Sent[] => sortBy(all, ([to, text]) => `${to} ${text}`);

/** What reached the recipients. */
async function arrived({ read }: Carrier): Promise<Sent[]> {
	const requests = await sandbox.requests();
	const posts = requests.filter(({ method }) => method === 'POST');
	return ordered(posts.flatMap(({ body }) => read(body as IDataObject)));
}

const expected = (carrier: Carrier, all: string[]): Sent[] =>
	ordered(
		all.map((text, index) => [isEmail(carrier) ? person(index).to : person(index).phone, text]),
	);

type Rest = NonNullable<Parameters<typeof sandbox.run>[1]>;
interface Run extends Rest {
	parameters: INodeParameters;
}

/** Makes runs of one execution each; returns what failed. */
async function failuresOf(runs: Run[]): Promise<string[]> {
	const failures: string[] = [];
	for (const { parameters, ...rest } of runs) {
		const result = await failureOr(sandbox.run(parameters, rest));
		if (result instanceof Error)
			failures.push(`${JSON.stringify(rest.items?.[0]?.json)}: ${result.message}`);
	}
	return failures;
}

test('the corpus has some 300 inputs', () => {
	const all = [uniq(allTexts), phones, links, mailboxes, expressions, undefinedInText].flat();
	expect(all.length).toBeGreaterThan(300);
	expect(lines.length).toBeGreaterThan(many);
});

describe.each(modes)('texts, %s', (mode) => {
	const written = Object.entries(carriers).flatMap(([name, carrier]) =>
		(carrier.isColumn ? [fromItem] : [fromItem, inLonger]).map(
			(value) => [name, value.text, carrier, value] as const,
		),
	);
	test.each(written)('of a list: %s %s', async (_name, _text, carrier, value) => {
		const all = textsFor(carrier);
		await sandbox.run(carrier.parameters(value), { items: all.map(itemOf), mode });
		const shown = value === fromItem ? all : all.map((text) => `(${text})`);
		expect(await arrived(carrier)).toEqual(expected(carrier, shown));
	});

	test.each(Object.entries({ ...carriers, ...questions }))('alone: %s', async (_name, carrier) => {
		const all = textsFor(carrier);
		const runs = all.map((text, index) => ({
			parameters: carrier.parameters(entered(text)),
			items: [itemOf(text, index)],
			mode,
		}));
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, all));
	});

	test.each(Object.entries(questions))('for all items: %s', async (_name, carrier) => {
		const runs = allTexts.map((text, index) => ({
			parameters: carrier.parameters(entered(text)),
			items: listOf([itemOf(text, index)]),
			mode,
		}));
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, allTexts));
	});
});

describe.each(modes)('phone numbers, %s', (mode) => {
	/** A call needs ten digits. */
	const numbersFor = ({ parameters }: Carrier) =>
		phones.filter(
			([, { length }]) => length >= 10 || parameters(fromItem).resource !== 'voiceCall',
		);
	const itemFor = ([phone]: (typeof phones)[number]) => ({ json: { phone, text: 'Hello' } });
	const reached = (numbers: typeof phones) =>
		ordered(map(numbers, 1).map((digits) => [digits, 'Hello']));

	test.each(byPhone({ ...carriers, ...questions }))('alone: %s', async (_name, carrier) => {
		const numbers = numbersFor(carrier);
		const parameters = carrier.parameters(fromItem);
		const runs = numbers.map((number) => ({ parameters, items: [itemFor(number)], mode }));
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(carrier)).toEqual(reached(numbers));
	});

	test.each(byPhone(carriers))('of a list: %s', async (_name, carrier) => {
		const numbers = listOf(numbersFor(carrier));
		const items = numbers.map(itemFor);
		await sandbox.run(carrier.parameters(fromItem), { items, mode });
		expect(await arrived(carrier)).toEqual(reached(numbers));
	});
});

describe.each(modes)('addresses, %s', (mode) => {
	const toPhone = { phone: '={{ $json.phone }}' };
	/** Where a link can be entered. */
	const places: Record<string, Carrier> = {
		image: {
			parameters: ({ text }) => ({
				resource: 'chatMessage',
				operation: 'send',
				message: 'Hi',
				imageUrl: text,
				...toPhone,
			}),
			read: ({ phone, file }) => [[phone, file]],
		},
		media: {
			parameters: ({ text }) => ({
				resource: 'chatMessage',
				operation: 'sendMedia',
				mediaType: 'image',
				mediaUrl: text,
				...toPhone,
			}),
			read: ({ phone, mediaUrl }) => [[phone, mediaUrl]],
		},
		call: {
			parameters: ({ text }) => ({
				resource: 'voiceCall',
				operation: 'create',
				content: 'audioUrl',
				audioUrl: text,
				to: toPhone.phone,
			}),
			read: ({ to, audioName }) => [[to, audioName]],
		},
		header: carriers['campaign header'] as Carrier,
	};

	test.each(Object.entries(places))('links: %s', async (_name, carrier) => {
		const all = listOf(links);
		const parameters = carrier.parameters(fromItem);
		const runs = all.map((link, index) => ({ parameters, items: [itemOf(link, index)], mode }));
		expect(await failuresOf(runs.slice(0, links.length))).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, links));
		await sandbox.control.reset();
		await sandbox.control.setAccount(plenty);
		await sandbox.run(parameters, { items: all.map(itemOf), mode });
		expect(await arrived(carrier)).toEqual(expected(carrier, all));
	});

	test.each(['email text', 'email question'])('mailboxes: %s', async (name) => {
		const { parameters, read } = { ...carriers, ...questions }[name] as Carrier;
		const runs = mailboxes.map(([to]) => ({
			parameters: parameters(entered('Hello')),
			items: [{ json: { to } }],
			mode,
		}));
		expect(await failuresOf(runs)).toEqual([]);
		if (name === 'email text') {
			const items = listOf(mailboxes).map(([to]) => ({ json: { to } }));
			await sandbox.run(parameters(entered('Hello')), { items, mode });
		}
		const sent = name === 'email text' ? [...mailboxes, ...listOf(mailboxes)] : mailboxes;
		expect(await arrived({ parameters, read })).toEqual(
			ordered(sent.map(([, to]) => [to, 'Hello'])),
		);
	});
});

/** An item with what an expression reads, behind a node with the same items. */
const itemFor = ({ item }: Written, index: number): INodeExecutionData => ({
	json: { ...order, ...item, ...person(index) },
	pairedItem: { item: index },
});

const behindOrder = (items: INodeExecutionData[]) => ({ items, before: { name: 'Order', items } });

/** Places whose value is one text, which can have several lines. */
const textPlaces = Object.entries({ ...carriers, ...questions }).filter(
	([name, { isLine, isColumn }]) => !isLine && !isColumn && !name.includes('JSON'),
);

const runOf = (carrier: Carrier, one: Written, rest: Rest): Run => ({
	parameters: carrier.parameters({ text: one.parameter, list: '' }),
	...rest,
});

describe.each(modes)('expressions, %s', (mode) => {
	test.each(textPlaces)('alone: %s', async (_name, carrier) => {
		const runs = expressions.map((one, index) =>
			runOf(carrier, one, { ...behindOrder([itemFor(one, index)]), mode }),
		);
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, map(expressions, 'text')));
	});

	test.each(expressions)('of a list: $parameter', async (one) => {
		const items = times(many, (index) => itemFor(one, index));
		const carrier = carriers['email text'] as Carrier;
		const { parameters } = runOf(carrier, one, {});
		const options = { simulate: 'always' };
		const rest = { ...behindOrder(items), mode };
		const output = await sandbox.json({ ...parameters, options }, rest);
		expect(uniq(map(output, 'request.body.text'))).toEqual([one.text]);
		expect(output).toHaveLength(many);
	});
});

describe('expressions in a longer text that return undefined', () => {
	test.each(textPlaces)('send nothing in a run by hand: %s', async (_name, carrier) => {
		for (const one of undefinedInText) {
			const { parameters } = runOf(carrier, one, {});
			const message = await sandbox.refusal(parameters, behindOrder([itemFor(one, 0)]));
			expect(message).toContain(/\{\{.*\}\}/.exec(one.parameter)?.[0]);
		}
	});

	test.each(textPlaces)('are sent in production: %s', async (_name, carrier) => {
		const runs = undefinedInText.map((one, index) =>
			runOf(carrier, one, { ...behindOrder([itemFor(one, index)]), mode: 'webhook' }),
		);
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, map(undefinedInText, 'text')));
	});
});

describe('workflows', () => {
	const text = carriers['chat text'] as Carrier;
	const parameters = text.parameters(entered('Your turn!'));
	const same = (count: number): Sent[] => times(count, () => [person(0).phone, 'Your turn!']);
	const [items] = [[itemOf('', 0)]];

	test.each(modes)('a loop repeats a text, %s', async (mode) => {
		const runExecutionData = createRunExecutionData();
		const runs = times(30, (runIndex) => ({ parameters, items, mode, runExecutionData, runIndex }));
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(text)).toEqual(same(30));
	});

	test.each(modes)('two branches lead into one node, %s', async (mode) => {
		const runExecutionData = createRunExecutionData();
		const all = allTexts.map(itemOf);
		const runs = [0, 1].map((runIndex) => ({
			parameters: text.parameters(fromItem),
			items: all,
			mode,
			runExecutionData,
			runIndex,
		}));
		expect(await failuresOf(runs)).toEqual([]);
		const once = expected(text, allTexts);
		expect(await arrived(text)).toEqual(ordered([...once, ...once]));
	});

	test.each(modes)('all items of a list are equal, %s', async (mode) => {
		await sandbox.run(parameters, { items: listOf(items), mode });
		expect(await arrived(text)).toEqual(same(many));
	});

	test.each<[string, WorkflowExecuteMode, IDataObject]>([
		[
			'an event',
			'webhook',
			{ event: 'message.delivered', timestamp: order.created, data: { to: person(0).phone } },
		],
		['a failure of another workflow', 'error', { execution: { error: { message: 'undefined' } } }],
		['a schedule', 'trigger', { timestamp: order.created }],
	])('each execution sends the same again: %s', async (_what, mode, json) => {
		const runs = times(30, () => ({
			parameters: { ...parameters, phone: person(0).phone },
			items: [{ json }],
			mode,
		}));
		expect(await failuresOf(runs)).toEqual([]);
		expect(await arrived(text)).toEqual(same(30));
	});
});
