import { ensureTarball } from './lib/package.mjs';
import { runScript } from './lib/trouble.mjs';

/** Builds and packs the package for the workflow that publishes it. */
await runScript(ensureTarball);
