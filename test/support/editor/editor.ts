import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';
import type { Session } from '../../../harness/client';
import { longPatienceMs, patienceMs, waitFor, within } from '../../../harness/waiting';

/** Milliseconds that the editor is given at first to go somewhere by itself, and to load a page. */
const quickMs = 15_000;

/** Starts Chromium without a window; it reaches this machine only. */
export async function startBrowser(): Promise<Browser> {
	// Set by `scripts/lib/programs.mjs`.
	const executablePath = process.env.CHROMIUM;
	if (!executablePath) throw new Error('Chromium is not known: run "npm run test:editor"');
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath,
		args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--lang=en-US'],
	});
}

/**
 * Closes a page or the browser. Right after a click that submits a form, Chromium may never report
 * that a page has closed: first wait for what the click leads to.
 */
export const close = async (opened: Browser | Page): Promise<void> =>
	await within('the browser to close', opened.close());

/** n8n's editor in a browser window of its own, with the owner signed in. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Opens a window in which nothing of another one is remembered. */
	static async open(browser: Browser, session: Session): Promise<Editor> {
		const opening = browser.newContext({
			viewport: { width: 1280, height: 800 },
			colorScheme: 'light',
			reducedMotion: 'reduce',
		});
		const context = await within('a browser window', opening);
		context.setDefaultTimeout(patienceMs);
		await within('the cookies', context.addCookies(cookies(session)));
		return new Editor(await within('a page', context.newPage()), session.url);
	}

	/**
	 * Goes to a page of the editor, e.g. `/home/credentials`, again and again until what it shows is
	 * there: what n8n has not saved by itself is lost.
	 *
	 * Within the editor it goes as a click on a link does. Where n8n itself goes somewhere meanwhile,
	 * e.g. to the address of what it has just saved, it forgets that: then it is told again, and at
	 * last the page is loaded.
	 * @param shown what no page shows from which the tests go there
	 */
	async goTo(path: string, shown: Locator): Promise<void> {
		const leave = this.page.getByRole('button', { name: 'Leave without saving' });
		// n8n gives a new workflow an address of its own.
		const address = `${this.url}${path.replace(/new$/, '')}`;
		const isThere = () => this.page.url().startsWith(address);
		let loadAt = this.page.url().startsWith(this.url) ? Date.now() + quickMs : 0;
		let loadMs = quickMs;
		let isPushing = false;
		await waitFor(
			`the editor to show ${path}`,
			async () => {
				// It fades for a moment after the click.
				if (await leave.isVisible()) await leave.click({ timeout: 1_000 }).catch(() => {});
				if (isThere() && (await shown.first().isVisible())) return true;
				if (Date.now() > loadAt) {
					await this.page.goto(`${this.url}${path}`).catch(() => {});
					// A busy machine may need longer, which loading once more would begin anew.
					loadMs *= 2;
					loadAt = Date.now() + loadMs;
				} else if (!isThere() && !isPushing) {
					isPushing = true;
					void this.page
						.evaluate(`${pushed(path)}.then(() => null)`)
						.catch(() => {})
						.finally(() => (isPushing = false));
				}
				return undefined;
			},
			longPatienceMs,
		);
	}

	/** Leaves the workflow that is shown, if one is, for the list of workflows. */
	private async leaveWorkflow(): Promise<void> {
		const noCanvas = 'body:not(:has([data-test-id="canvas-wrapper"]))';
		await this.goTo('/home/workflows', this.page.locator(noCanvas));
	}

	/** Opens an empty workflow, also where another one is open. */
	async openEmptyWorkflow(): Promise<void> {
		await this.leaveWorkflow();
		await this.goTo('/workflow/new', this.byId('canvas-plus-button'));
	}

	/** Opens a saved workflow, also where another one is open. */
	async openWorkflow(id: string): Promise<void> {
		await this.leaveWorkflow();
		await this.goTo(`/workflow/${id}`, this.byId('canvas-wrapper'));
	}

	/** What n8n's editor marks with a `data-test-id`. */
	byId(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	/** A node or an action with exactly this name, in the panel in which nodes are searched. */
	entry(name: string): Locator {
		return this.byId('node-creator-item-name').getByText(name, { exact: true });
	}

	/**
	 * Clicks until what the click leads to is there. n8n loses a click on a list that it redraws at the same
	 * moment.
	 */
	async clickUntil(target: Locator, shown: Locator): Promise<void> {
		await waitFor(`what follows a click on ${String(target)}`, async () => {
			await target.click({ timeout: quickMs }).catch(() => {});
			return await shown.waitFor({ timeout: quickMs }).then(
				() => true,
				() => false,
			);
		});
	}

	/** Presses "Execute workflow". */
	async executeWorkflow(): Promise<void> {
		await this.byId('execute-workflow-button').click();
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}
}

/** Goes there as a click on a link does, for loading the whole editor again takes seconds: a script. */
const pushed = (path: string): string =>
	`document.querySelector('#app').__vue_app__.config.globalProperties.$router.push(${JSON.stringify(path)})`;

function cookies({ cookie, url }: Session) {
	return cookie.split('; ').map((pair) => {
		const [name = '', ...value] = pair.split('=');
		return { name, value: value.join('='), url };
	});
}
