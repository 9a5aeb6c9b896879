import type { Browser, Locator, Page } from 'playwright-core';
import type { Session } from '../../../harness/client';
import { patienceMs, waitFor } from '../../../harness/waiting';

export type Theme = 'light' | 'dark';

/** Milliseconds that the editor is given to go somewhere by itself. */
const quickMs = 15_000;

/** n8n's editor in a browser window of its own, with the owner signed in. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Opens a window in which nothing of another one is remembered. */
	static async open(browser: Browser, session: Session, theme: Theme = 'light'): Promise<Editor> {
		const context = await browser.newContext({
			viewport: { width: 1280, height: 800 },
			colorScheme: theme,
			reducedMotion: 'reduce',
		});
		context.setDefaultTimeout(patienceMs);
		await context.addCookies(cookies(session));
		return new Editor(await context.newPage(), session.url);
	}

	/**
	 * Goes to a page of the editor, e.g. `/home/credentials`, until what it shows is there.
	 *
	 * Within the editor it goes as a click on a link does. Where n8n itself goes somewhere meanwhile,
	 * e.g. to the address of what it has just saved, that is forgotten: then the page is loaded.
	 */
	async goTo(path: string, shown: Locator): Promise<void> {
		if (this.page.url().startsWith(this.url)) {
			const isShown = await this.page
				.evaluate(`void ${pushed(path)}`)
				.then(async () => await shown.first().waitFor({ timeout: quickMs }))
				.then(
					() => true,
					() => false,
				);
			if (isShown) return;
		}
		await this.page.goto(`${this.url}${path}`);
		await shown.first().waitFor();
	}

	/** Shows the list of workflows; what n8n has not saved by itself is lost. */
	async leaveWorkflow(): Promise<void> {
		const leave = this.page.getByRole('button', { name: 'Leave without saving' });
		let isLeaving = false;
		let loadAt = Date.now() + quickMs;
		await waitFor('the workflow to be left', async () => {
			// On a busy machine n8n may go elsewhere again and again: loading a page leaves for sure.
			if (Date.now() > loadAt) {
				await this.page.goto(`${this.url}/home/workflows`).catch(() => {});
				loadAt = Date.now() + quickMs;
			}
			// Where n8n itself goes somewhere meanwhile, e.g. to the address of what it has just saved,
			// the browser forgets where we wanted to go.
			if (!isLeaving) {
				isLeaving = true;
				void this.page
					.evaluate(`${pushed('/home/workflows')}.then(() => null)`)
					.catch(() => {})
					.finally(() => (isLeaving = false));
			}
			// It fades for a moment after the click.
			if (await leave.isVisible()) await leave.click({ timeout: 1_000 }).catch(() => {});
			return (await this.byId('canvas-wrapper').count()) === 0 || undefined;
		});
	}

	/** Opens a saved workflow. */
	async openWorkflow(id: string): Promise<void> {
		await this.goTo(`/workflow/${id}`, this.byId('canvas-wrapper'));
	}

	/** What n8n's editor marks with a `data-test-id`. */
	byId(testId: string): Locator {
		return this.page.getByTestId(testId);
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
