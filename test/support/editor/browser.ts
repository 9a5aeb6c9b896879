import { chromium, selectors, type Browser } from 'playwright-core';

/** Set by `scripts/lib/chromium.mjs` to the program it has found or installed. */
const variable = 'CHROMIUM';

/** Starts Chromium without a window; it reaches this machine only. */
export async function startBrowser(): Promise<Browser> {
	const executablePath = process.env[variable];
	if (!executablePath) throw new Error('Chromium is not known: run "npm run test:editor"');
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath,
		args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--lang=en-US'],
	});
}
