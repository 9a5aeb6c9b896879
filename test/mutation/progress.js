/** Where StrykerJS says which mutant is to be run. */
const activeVariable = '__STRYKER_ACTIVE_MUTANT__';

/** Names of the tests of each file that was loaded. */
const namesOf = new Map();

/** The mutant of which a test has failed. */
let killed;

const active = () => process.env[activeVariable];

module.exports = {
	activeVariable,
	active,
	/** Whether a test has failed: the others need not run. */
	isKilled: () => active() !== undefined && killed === active(),
	kill: () => {
		killed = active();
	},
	addTest: (file, name) => {
		namesOf.set(file, [...(namesOf.get(file) ?? []), name]);
	},
	/** Whether a file may have tests of these names. */
	mayHave: (file, names) => namesOf.get(file)?.some((name) => names.test(name)) ?? true,
};
