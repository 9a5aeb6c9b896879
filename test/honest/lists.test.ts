import { uniq } from 'lodash';
import { carriers, fromItem, type Value } from './carriers';
import { links, mailboxes } from './inputs/addresses';
import { expressions, undefinedInText } from './inputs/expressions';
import { phones } from './inputs/phones';
import { allTexts } from './inputs/texts';
import { expected, itemOf, many, useHonest } from './runs';

const sandbox = useHonest();

test('the corpus has some 300 inputs, and texts for a whole list', () => {
	const all = [uniq(allTexts), phones, links, mailboxes, expressions, undefinedInText];
	expect(all.flat().length).toBeGreaterThan(300);
	expect(allTexts.length).toBeGreaterThan(many);
});

const inLonger: Value = {
	text: '=({{ $json.text }})',
	list: '={{ JSON.parse(JSON.stringify(["(" + $json.text + ")"])) }}',
};

describe.each(Object.entries(carriers))('all texts as one list: %s', (_name, carrier) => {
	const all = allTexts.filter((text) => carrier.fits?.(text) ?? true);
	const items = all.map(itemOf);

	test('by themselves, in a run by hand', async () => {
		await sandbox.run(carrier.parameters(fromItem), { items, mode: 'manual' });
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
	});

	test('inside a longer text, in production', async () => {
		await sandbox.run(carrier.parameters(inLonger), { items, mode: 'webhook' });
		const longer = all.map((text) => (carrier.isColumn ? text : `(${text})`));
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, longer));
	});
});
