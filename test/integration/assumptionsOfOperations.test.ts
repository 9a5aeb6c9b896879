import { allPairs, ManualClock, startSandbox, type Assumptions } from '../../sandbox';
import { fate, type Case } from '../support/assumptions/bench';
import { readCases } from '../support/assumptions/reads';
import { sendCases } from '../support/assumptions/sends';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations } from '../support/operations';

const sandbox = useSandbox(async () => await startSandbox({ clock: new ManualClock() }));

const rows = allPairs() as Assumptions[];

/** Looked up by something that must be there first; `readCases` have them. */
const needRecords = ['voiceCall.get', 'webhook.delete'];

/** Every operation, with the examples of its fields. */
const examples: Record<string, Case> = Object.fromEntries(
	describedOperations
		.filter(({ name }) => !needRecords.includes(name))
		.map(({ name }) => [
			`${name} with its examples`,
			{ look: async (bench) => await fate(bench, name), expected: () => 'accepted' },
		]),
);

const cases = Object.entries({ ...examples, ...sendCases, ...readCases });

// Any two settings of any two of the service's assumptions meet in one of the rows.
test.each(rows.map((row, index) => ({ index, row })))(
	'the operations do what they should under set $index of all assumptions',
	async ({ row }) => {
		const found: Record<string, unknown> = {};
		const expected: Record<string, unknown> = {};
		for (const [name, one] of cases) {
			await sandbox.control.reset();
			await sandbox.control.setLifecycle({ enabled: false });
			await sandbox.control.setAssumptions(row);
			found[name] = await one.look(sandbox).catch((error: unknown) => String(error));
			expected[name] = one.expected(row);
		}
		expect(found).toEqual(expected);
	},
);
