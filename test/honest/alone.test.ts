import { carriers, entered, operations, questions, type Carrier } from './carriers';
import { allTexts } from './inputs/texts';
import { expected, itemOf, listOf, modeOf, useHonest } from './runs';

const sandbox = useHonest();

/**
 * The texts that a place takes: the places of an operation take turns, because each text alone is an execution of
 * its own. The first takes what does not fit into another.
 */
function shareOf(carrier: Carrier): string[] {
	const places = operations.find((all) => all.includes(carrier)) ?? [];
	return allTexts.filter((text, index) => {
		const next = places[index % places.length];
		return (next?.fits?.(text) ?? true) ? next === carrier : places[0] === carrier;
	});
}

test.each(Object.entries({ ...carriers, ...questions }))('alone: %s', async (_name, carrier) => {
	const all = shareOf(carrier);
	const runs = all.map((text, index) => ({
		parameters: carrier.parameters(entered(text)),
		items: [itemOf(text, index)],
		mode: modeOf(index),
	}));
	expect(await sandbox.failuresOf(runs)).toEqual([]);
	expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
});

test.each(Object.entries(questions))('one question for a list: %s', async (_name, carrier) => {
	const all = shareOf(carrier);
	const runs = all.map((text, index) => ({
		parameters: carrier.parameters(entered(text)),
		items: listOf([itemOf(text, index)]),
		mode: modeOf(index),
	}));
	expect(await sandbox.failuresOf(runs)).toEqual([]);
	expect(await sandbox.arrived(carrier.read)).toEqual(expected(carrier, all));
});
