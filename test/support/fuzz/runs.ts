/** The same inputs in every run, so that a test fails for a change only; FUZZ_SEED tries others. */
export const seed = Number(process.env.FUZZ_SEED ?? 1);

/** Odd inputs per operation through the pure builders. */
export const numRuns = 10_000;

/** Milliseconds that so many may take on a busy machine. */
export const patience = 120_000;
