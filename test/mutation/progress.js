/** Where StrykerJS says which mutant is to be run. */
const activeVariable = '__STRYKER_ACTIVE_MUTANT__';

/** Names of the tests of each file that was loaded. */
const namesOf = new Map();

/** Milliseconds that each file's tests took before there was a mutant. */
const timeOf = new Map();

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
	addTime: (file, duration) => {
		if (active() === undefined) timeOf.set(file, (timeOf.get(file) ?? 0) + duration);
	},
	/** Below 0 if the first file is the quicker one, as far as this process knows. */
	compareTimes: (a, b) => (timeOf.get(a) ?? 0) - (timeOf.get(b) ?? 0),
	/** Whether a file may have tests of these names. */
	mayHave: (file, names) => namesOf.get(file)?.some((name) => names.test(name)) ?? true,
};
