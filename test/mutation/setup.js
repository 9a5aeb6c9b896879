const fastCheck = require('fast-check');
const { active } = require('./progress');

// A mutant that lives gives itself away in a few runs, or a test is missing that is more than luck.
process.env.FUZZ_RUNS = '200';
process.env.RESPONSES = '200';
process.env.HISTORIES = '4';
process.env.ASSUMPTIONS = '3';
fastCheck.configureGlobal({ numRuns: 20, seed: 1, endOnFailure: true });

// Waiting in vain is a failure, too: StrykerJS would wait longer, and start a new process after it.
if (active() !== undefined) jest.setTimeout(10_000);
