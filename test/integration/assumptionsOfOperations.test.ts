import '../support/core/shortWaits';
import { ManualClock, startSandbox, type Assumptions } from '../../sandbox';
import { fate, mediaFate, type Case } from '../support/assumptions/bench';
import { underAssumptions } from '../support/assumptions/drawn';
import { readCases } from '../support/assumptions/reads';
import { sendCases } from '../support/assumptions/sends';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations, neededBy } from '../support/operations';

const sandbox = useSandbox(async () => await startSandbox({ clock: new ManualClock() }));

/** Every operation, with the examples of its fields. */
const examples: Record<string, Case> = Object.fromEntries(
	describedOperations
		// What names something that must be there first is in `readCases`.
		.filter((operation) => neededBy(operation)?.parameter === undefined)
		.map(({ name }) => [
			`${name} with its examples`,
			{
				look: async (bench) => await fate(bench, name),
				expected: (set: Assumptions) =>
					name === 'chatMessage.sendMedia' ? mediaFate(set, 'accepted') : 'accepted',
			},
		]),
);

const cases = Object.entries({ ...examples, ...sendCases, ...readCases });

test('the operations do what they should under any set of assumptions', async () => {
	await underAssumptions(async (assumptions) => {
		const found: Record<string, unknown> = {};
		const expected: Record<string, unknown> = {};
		for (const [name, one] of cases) {
			await sandbox.control.reset();
			await sandbox.control.setLifecycle({ enabled: false });
			await sandbox.control.setAssumptions(assumptions);
			found[name] = await one.look(sandbox).catch((error: unknown) => String(error));
			expected[name] = one.expected(assumptions);
		}
		expect(found).toEqual(expected);
	});
});
