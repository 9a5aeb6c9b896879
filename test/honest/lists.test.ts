import { uniq } from 'lodash';
import { carriers, fromItem, type Value } from './carriers';
import { links, mailboxes } from './inputs/addresses';
import { expressions, undefinedInText } from './inputs/expressions';
import { phones } from './inputs/phones';
import { allTexts } from './inputs/texts';
import { expected, itemOf, many, modes, useHonest } from './runs';

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
const places = Object.entries(carriers);

describe.each(modes)('all texts as one list, %s', (mode) => {
	test.each(places)('%s', async (_name, carrier) => {
		const all = allTexts.filter((text) => carrier.fits?.(text) ?? true);
		await sandbox.run(carrier.parameters(fromItem), { items: all.map(itemOf), mode });
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
	});
});

test.each(places.filter(([, { isColumn }]) => !isColumn))(
	'all texts as one list, in a longer text: %s',
	async (_name, carrier) => {
		const all = allTexts.filter((text) => carrier.fits?.(text) ?? true);
		await sandbox.run(carrier.parameters(inLonger), { items: all.map(itemOf) });
		const longer = all.map((text) => `(${text})`);
		expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, longer));
	},
);
