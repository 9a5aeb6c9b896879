import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../../harness';
import { withBlock, writeTable } from '../../../harness/docs';
import { questions, type AssumptionName, type Assumptions } from '../../../sandbox';
import { laterProbes } from './support/probes/later';
import { listProbes } from './support/probes/lists';
import type { Probe } from './support/probes/probe';
import { requestProbes } from './support/probes/requests';
import { responseProbes } from './support/probes/responses';
import { useReceiver } from './support/useReceiver';
import { useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const receiver = useReceiver();

/** A probe for each assumption, or this does not compile. */
const probes: Record<AssumptionName, Probe> = {
	...requestProbes,
	...responseProbes,
	...listProbes,
	...laterProbes,
};
const names = Object.keys(questions) as AssumptionName[];

const cases = names.flatMap((name) =>
	questions[name].settings.map((setting, index) => ({ name, setting, index })),
);

test.each(cases)('$name: $setting', async ({ name, setting, index }) => {
	await fixture.control.setAssumptions({ [name]: setting });
	expect(await probes[name].look({ fixture, receiver })).toEqual(probes[name].shows[index]);
});

test.each(names)('%s: every setting has an effect of its own', (name) => {
	const { shows } = probes[name];
	expect(shows).toHaveLength(questions[name].settings.length);
	for (const [index, one] of shows.entries()) {
		for (const other of shows.slice(index + 1)) expect(one).not.toEqual(other);
	}
});

test('numbers may have any value that fits', async () => {
	await fixture.control.setAssumptions({ chatSendCost: 7, mediaLifetimeMs: 1 });
	const { assumptions } = await fixture.control.info();
	expect(assumptions).toMatchObject({ chatSendCost: 7, mediaLifetimeMs: 1 });
});

test.each<Partial<Record<AssumptionName, unknown>>>([
	{ listOrder: 'random' },
	{ chatSendCost: -1 },
	{ chatSendCost: 0.5 },
	{ configsScope: 'yes' },
])('%j is no setting', async (change) => {
	const [name = ''] = Object.keys(change);
	const set = fixture.control.setAssumptions(change as Partial<Assumptions>);
	await expect(set).rejects.toThrow(name);
});

test('the table in the documentation is that of the code', () => {
	const rows = names.map((name) => {
		const { section, text, settings } = questions[name];
		const written = settings.map((one) => `\`${String(one)}\``).join(', ');
		return `| \`${name}\` | ${text} | ${written} | ${section} |`;
	});
	const head = ['| assumption | about | settings (default first) | section |', '|---|---|---|---|'];
	const table = [...head, ...rows].join('\n');
	const file = 'sandbox/README.md';
	writeTable('assumptions', table, file);
	const document = readFileSync(path.join(rootFolder, file), 'utf8');
	// If this fails: UPDATE_DOCS=1 npm run test:integration -- assumptions
	expect(withBlock(document, 'assumptions', table)).toBe(document);
});
