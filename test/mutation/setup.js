const fastCheck = require('fast-check');

// A mutant that lives gives itself away in a few runs, or a test is missing that is more than luck.
process.env.FUZZ_RUNS = '200';
process.env.RESPONSES = '200';
process.env.HISTORIES = '4';
fastCheck.configureGlobal({ numRuns: 20, seed: 1, endOnFailure: true });
