import { runScript } from './lib/command.mjs';
import { ensureTarball } from './lib/package.mjs';

/** Builds and packs the package for the workflow that publishes it. */
await runScript(ensureTarball);
