import { escape } from 'lodash';
import { linesOf } from './message';

/** What a page says; plain texts. */
interface Page {
	title: string;
	text: string;
	/** Label of the button that sends the answer. */
	button: string;
}

/**
 * Sent with every page: nothing is loaded, no script runs, nobody frames or stores it, and the
 * address with its signature goes nowhere.
 */
export const pageHeaders = {
	'Content-Security-Policy':
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms",
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Robots-Tag': 'noindex, nofollow',
};

/** Asks for the one click that decides: opening a link decides nothing. */
export const confirmationPage = (page: Page): string => form(page, '');

/**
 * Asks for a text.
 *
 * @param notice what was wrong with the answer before
 */
export const textPage = (page: Page, notice = ''): string =>
	form(
		page,
		`${notice && `<p role="alert">${escape(notice)}</p>`}<label for="text">Response</label><textarea id="text" name="text" rows="6" required></textarea>`,
	);

/** Thanks for an answer. */
export const recordedPage = (): string =>
	shell('Response recorded', '<p>Thank you. You can close this page.</p>');

/** Says that the question of a link is not the one that is open. */
export const answeredPage = (): string =>
	shell(
		'This question was answered',
		'<p>It was answered before, or its time is over. Nothing was changed. You can close this page.</p>',
	);

const form = ({ title, text, button }: Page, fields: string): string =>
	shell(
		title,
		`${text && `<p>${linesOf(text)}</p>`}<form method="post">${fields}<button type="submit">${escape(button)}</button></form>`,
	);

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; }
label { display: block; font-weight: 600; }
textarea { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; font: inherit; }
button { padding: .625rem 1.5rem; border: 0; border-radius: .375rem; background: #1f5fbf; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
[role='alert'] { padding-left: .75rem; border-left: .25rem solid #c0392b; }
`.replace(/\s*\n\s*/g, '');

const shell = (title: string, body: string): string =>
	`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><style>${style}</style></head><body><main><h1>${escape(title)}</h1>${body}</main></body></html>`;
