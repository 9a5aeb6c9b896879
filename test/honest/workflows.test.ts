import { map, times, uniq } from 'lodash';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { carriers, entered, firstPlaces, type Carrier } from './carriers';
import { expressions, order, undefinedInText, type Written } from './inputs/expressions';
import {
	expected,
	itemOf,
	listOf,
	many,
	modeOf,
	modes,
	person,
	useHonest,
	type Sent,
} from './runs';

const sandbox = useHonest();
const chat = carriers['chat text'] as Carrier;
const email = carriers['email text'] as Carrier;

/** Items that an expression reads, behind a node with the same items. */
function behindOrder({ item }: Written, first: number, count = 1) {
	const items = times(count, (index): INodeExecutionData => ({
		json: { ...order, ...item, ...person(first + index) },
		pairedItem: { item: index },
	}));
	return { items, before: { name: 'Order', items } };
}

const parametersOf = (carrier: Carrier, { parameter }: Written) =>
	carrier.parameters({ text: parameter, list: '' });

/** One place of each operation whose text is written in one parameter. */
const places = firstPlaces.filter(([, { isColumn }]) => !isColumn);

describe.each(modes)('expressions alone, %s', (mode) => {
	// The places take turns; in production, each expression has another place than by hand.
	const turn = modes.indexOf(mode);

	test.each(places.map(([name, carrier], place) => ({ name, carrier, place })))(
		'$name',
		async ({ carrier, place }) => {
			const all = expressions.filter((_, index) => (index + turn) % places.length === place);
			const runs = all.map((one, index) => ({
				parameters: parametersOf(carrier, one),
				...behindOrder(one, index),
				mode,
			}));
			expect(await sandbox.failuresOf(runs)).toEqual([]);
			const sent = map(all, 'text');
			expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, sent));
		},
	);
});

test.each(expressions.map((one, index) => ({ one, index, written: one.parameter })))(
	'of a list: $written',
	async ({ one, index }) => {
		const parameters = { ...parametersOf(email, one), options: { simulate: 'always' } };
		const rest = { ...behindOrder(one, 0, many), mode: modeOf(index) };
		const output = await sandbox.json(parameters, rest);
		expect(output).toHaveLength(many);
		expect(uniq(map(output, 'request.body.text'))).toEqual([one.text]);
	},
);

/** n8n's ways to name the item that is being sent, or its place. */
const ownName = [
	'$json.own',
	'$json["own"]',
	"$json['own']",
	'$json["o" + "wn"]',
	'$data.own',
	'$input.item.json.own',
	'$input["item"].json.own',
	'$input.all()[$itemIndex].json.own',
	'$("Order").item.json.own',
	"$('Order')['item'].json.own",
	'$("Order").all()[$itemIndex].json.own',
	'$("Order").itemMatching($itemIndex).json.own',
	'$("Order").pairedItem($itemIndex).json.own',
	'$node["Order"].json.own',
	'$node.Order.json.own',
	'$items("Order")[$itemIndex].json.own',
	'$items()[$position].json.own',
	'$item($itemIndex).$node.Order.json.own',
	'$jmespath($json, "own")',
	'"person " + $itemIndex',
	'`person ${$thisItemIndex}`',
	'$thisItem.json.own',
	'((field) => $json[field])("own")',
];

describe('each person gets their own text', () => {
	const items = times(7, (index): INodeExecutionData => ({
		json: { ...person(index), own: `person ${index}` },
		pairedItem: { item: index },
	}));
	const before = { name: 'Order', items };

	test.each(ownName)('{{ %s }} alone', async (code) => {
		const parameters = email.parameters({ text: `={{ ${code} }}`, list: '' });
		await sandbox.run(parameters, { items, before, mode: 'webhook' });
		expect(await sandbox.arrived(email.read)).toEqual(
			expected(
				email,
				items.map(({ json }) => String(json.own)),
			),
		);
	});

	test.each(ownName)('{{ %s }} in a longer text', async (code) => {
		const parameters = chat.parameters({ text: `=Dear {{ ${code} }}!`, list: '' });
		await sandbox.run(parameters, { items, before, mode: 'webhook' });
		const texts = items.map(({ json }) => `Dear ${String(json.own)}!`);
		expect(await sandbox.arrived(chat.read)).toEqual(expected(chat, texts));
	});
});

describe('an expression in a longer text that returns undefined', () => {
	test.each(places)('sends nothing in a run by hand: %s', async (_name, carrier) => {
		for (const one of undefinedInText) {
			const [expression] = /\{\{.*\}\}/.exec(one.parameter) ?? [];
			const message = await sandbox.refusal(parametersOf(carrier, one), behindOrder(one, 0));
			expect(message).toContain(`contains ${expression}, which returns nothing`);
		}
	});

	test.each(places)('is an empty text in production: %s', async (_name, carrier) => {
		const runs = undefinedInText.map((one, index) => ({
			parameters: parametersOf(carrier, one),
			...behindOrder(one, index),
			mode: 'webhook' as const,
		}));
		expect(await sandbox.failuresOf(runs)).toEqual([]);
		const all = map(undefinedInText, 'text');
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
	});

	test('counts for one of a list', async () => {
		const [one] = undefinedInText as [Written];
		const { items, before } = behindOrder(one, 0, many);
		items.slice(1).forEach(({ json }) => (json.nam = 'Anna'));
		const parameters = parametersOf(email, one);
		expect(await sandbox.refusal(parameters, { items, before })).toContain('which returns nothing');
		await sandbox.run(parameters, { items, before, mode: 'webhook' });
		const texts = [one.text, ...times(many - 1, () => 'Dear Anna,')];
		expect(await sandbox.arrived(email.read)).toEqual(expected(email, texts));
	});
});

describe('a workflow that repeats itself', () => {
	const parameters = { ...chat.parameters(entered('Your turn!')), phone: person(0).phone };
	const same = (count: number): Sent[] => times(count, () => [person(0).phone, 'Your turn!']);

	test.each(modes)(
		'a loop, two branches into one node, and a list of equal items, %s',
		async (mode) => {
			const runExecutionData = createRunExecutionData();
			const runs = times(30, (runIndex) => ({ parameters, mode, runExecutionData, runIndex }));
			const items = listOf([itemOf('', 0)]);
			expect(await sandbox.failuresOf([...runs, { parameters, items, mode }])).toEqual([]);
			expect(await sandbox.arrived(chat.read)).toEqual(same(30 + many));
		},
	);

	const data = { to: person(0).phone, providerMessageId: 'wamid.1' };
	test.each<[string, WorkflowExecuteMode, IDataObject]>([
		['a message for each event', 'webhook', { event: 'message.delivered', data }],
		['an alarm for each failure', 'error', { execution: { error: { message: 'undefined' } } }],
		['a schedule', 'trigger', { timestamp: '2026-02-01T09:30:00.000+05:30' }],
	])('%s', async (_what, mode, json) => {
		const runs = times(30, () => ({ parameters, items: [{ json }], mode }));
		expect(await sandbox.failuresOf(runs)).toEqual([]);
		expect(await sandbox.arrived(chat.read)).toEqual(same(30));
	});
});
