import fc from 'fast-check';
import { questions, type AssumptionName, type Assumptions } from '../../sandbox';
import { seed } from './fuzz/runs';

/** How many sets of assumptions a test that goes through them draws. */
const numRuns = Number(process.env.FUZZ_SETS ?? 15);

const names = Object.keys(questions) as AssumptionName[];

/** The settings of each question, and the defaults. */
const settings = names.map((name) => [name, fc.constantFrom<unknown>(...questions[name].settings)]);
const sets = fc.record(Object.fromEntries(settings)) as unknown as fc.Arbitrary<Assumptions>;
const defaults = names.map((name) => [name, questions[name].settings[0]]);

/**
 * Holds a test under drawn settings of the service's assumptions: first under the defaults, then under
 * sets of chance. What does not hold is shown with as many defaults as possible.
 *
 * @param holds rejects where it does not
 */
export async function underAssumptions(
	holds: (assumptions: Assumptions) => Promise<void>,
): Promise<void> {
	await fc.assert(fc.asyncProperty(sets, holds), {
		seed,
		numRuns,
		examples: [[Object.fromEntries(defaults) as Assumptions]],
	});
}
