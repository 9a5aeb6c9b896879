import { range } from 'lodash';
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

// Inputs that people mean: none may be rejected, whatever it looks like (docs/contract.md, section 3.1).

const sandbox = useSandbox();
const plenty = 1_000_000_000;
beforeEach(async () => {
	await sandbox.control.setAccount({
		chatBalance: plenty,
		emailBalance: plenty,
		voiceMins: plenty,
	});
});

/** A run by hand and one in production. */
const modes: WorkflowExecuteMode[] = ['manual', 'webhook'];

/** Items of a list. */
const many = 200;

const allTexts = Object.values(texts).flat();
const lines = allTexts.filter((text) => text === text.trim() && !/[\n\r\u2028]/.test(text));
const textsFor = ({ isLine }: Carrier) => (isLine ? lines : allTexts);

const person = (index: number) => ({
	phone: String(447_700_900_000 + index),
	to: `anna${index}@host.example`,
});
const itemOf = (text: string, index: number): INodeExecutionData => ({
	json: { ...person(index), text },
});

/** How a parameter refers to the item's text: by itself, and inside a longer one. */
const fromItem: Value = { text: '={{ $json.text }}', list: '={{ [$json.text] }}' };
const inLonger: Value = {
	text: '=({{ $json.text }})',
	list: '={{ JSON.parse(JSON.stringify(["(" + $json.text + ")"])) }}',
};
/** A text that the user enters. */
const entered = (text: string): Value => ({ text, list: JSON.stringify([text]) });
/** n8n takes a leading = for an expression, and `{{ $` on Fixed is one that was forgotten. */
const isForFixed = (text: string) => !/^=|\{\{\s*\$/.test(text);

/** What reached recipients, in order of the recipients. */
async function arrived({ read }: Pick<Carrier, 'read'>) {
	const requests = await sandbox.requests();
	const posts = requests.filter(({ method }) => method === 'POST');
	return sorted(posts.flatMap(({ body }) => read(body as IDataObject)));
}

const sorted = <T>(all: Array<[unknown, T]>): Array<[unknown, T]> =>
	[...all].sort(([a], [b]) => String(a).localeCompare(String(b)));

/** The texts in the order of their recipients. */
const expected = (carrier: Carrier, all: string[]) =>
	sorted(
		all.map((text, index): [string, string] => {
			const { phone, to } = person(index);
			return [JSON.stringify(carrier.parameters(fromItem)).includes('$json.to') ? to : phone, text];
		}),
	);

/** Runs one item after the other, each in an execution of its own; returns why runs failed. */
async function alone(
	all: Array<{ parameters: INodeParameters; item: INodeExecutionData }>,
	rest: Parameters<typeof sandbox.run>[1],
): Promise<string[]> {
	const problems: string[] = [];
	for (const { parameters, item } of all) {
		const result = await failureOr(sandbox.run(parameters, { ...rest, items: [item] }));
		if (result instanceof Error) problems.push(`${JSON.stringify(parameters)}: ${result.message}`);
	}
	return problems;
}

test('there are some 300 inputs, and enough for a list', () => {
	const inputs = [allTexts, phones, links, mailboxes, expressions, undefinedInText];
	expect(inputs.flat().length).toBeGreaterThan(300);
	expect(lines.length).toBeGreaterThan(many);
});

describe.each(modes)('texts, %s', (mode) => {
	test.each(Object.entries(carriers))('of a list: %s', async (_name, carrier) => {
		const all = textsFor(carrier);
		const items = all.map(itemOf);
		await sandbox.run(carrier.parameters(fromItem), { items, mode });
		expect(await arrived(carrier)).toEqual(expected(carrier, all));
	});

	const withText = Object.entries(carriers).filter(([, { isColumn }]) => !isColumn);
	test.each(withText)('of a list, in a longer text: %s', async (_name, carrier) => {
		const all = textsFor(carrier);
		await sandbox.run(carrier.parameters(inLonger), { items: all.map(itemOf), mode });
		const longer = all.map((text) => `(${text})`);
		expect(await arrived(carrier)).toEqual(expected(carrier, longer));
	});

	const all = { ...carriers, ...questions };
	test.each(Object.entries(all))('alone: %s', async (_name, carrier) => {
		const runs = textsFor(carrier).map((text, index) => ({
			parameters: carrier.parameters(isForFixed(text) ? entered(text) : fromItem),
			item: itemOf(text, index),
		}));
		expect(await alone(runs, { mode })).toEqual([]);
		expect(await arrived(carrier)).toEqual(expected(carrier, textsFor(carrier)));
	});
});

describe.each(modes)('recipients, %s', (mode) => {
	/** Where a phone number can be entered. */
	const phoneCarriers = Object.entries({ ...carriers, ...questions }).filter(
		([, { parameters }]) => parameters(fromItem).resource !== 'email',
	);
	const fits = (carrier: Carrier, digits: string) =>
		carrier.parameters(fromItem).resource !== 'voiceCall' || digits.length >= 10;
	const numbersFor = (carrier: Carrier) => phones.filter(([, digits]) => fits(carrier, digits));
	const toPhone = (carrier: Carrier): INodeParameters => {
		const parameters = carrier.parameters(entered('Hello'));
		return { ...parameters, ...('to' in parameters && { to: '={{ $json.phone }}' }) };
	};
	const withPhone = (phone: string | number) => ({ json: { phone, text: 'Hello' } });
	const digitsIn = async ({ read }: Carrier) =>
		(await arrived({ read: (body) => read(plusAdded(body)) })).map(([to]) => to);

	test.each(phoneCarriers)('phone numbers alone: %s', async (_name, carrier) => {
		const numbers = numbersFor(carrier);
		const runs = numbers.map(([phone]) => ({
			parameters: toPhone(carrier),
			item: withPhone(phone),
		}));
		expect(await alone(runs, { mode })).toEqual([]);
		expect(await digitsIn(carrier)).toEqual(map(numbers, 1).sort(byText));
	});

	test.each(Object.entries(carriers).filter((one) => phoneCarriers.includes(one)))(
		'phone numbers of a list: %s',
		async (_name, carrier) => {
			const numbers = listOf(numbersFor(carrier));
			const items = numbers.map(([phone]) => withPhone(phone));
			await sandbox.run(toPhone(carrier), { items, mode });
			expect(await digitsIn(carrier)).toEqual(map(numbers, 1).sort(byText));
		},
	);
});
