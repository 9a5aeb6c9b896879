/** The same inputs in every run, so that a test fails for a change only; FUZZ_SEED tries others. */
export const seed = Number(process.env.FUZZ_SEED ?? 1);

/** Odd inputs per operation through the pure builders; FUZZ_RUNS tries more. */
export const numRuns = Number(process.env.FUZZ_RUNS ?? 400);

/** Milliseconds that many may take on a busy machine. */
export const patience = 600_000;
