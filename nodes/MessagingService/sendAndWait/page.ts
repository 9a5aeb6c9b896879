import { escape } from 'lodash';

export interface Link {
	label: string;
	url: string;
}

/** The message with its links below, for chats and for readers that show no HTML. */
export const asPlainText = (message: string, links: Link[]): string =>
	`${message}\n\n${links.map(({ label, url }) => `${label}: ${url}`).join('\n')}`;

const htmlOf = (text: string): string => escape(text).replace(/\r?\n/g, '<br>');

const blockStyle = 'margin:0 0 24px;font:16px/1.5 Arial,sans-serif';
const buttonStyle =
	'display:inline-block;margin:0 8px 8px 0;padding:10px 24px;border-radius:6px;background:#1f5fbf;color:#ffffff;font-weight:bold;text-decoration:none';

export function asHtml(message: string, links: Link[]): string {
	const buttons = links.map(
		({ label, url }) => `<a href="${escape(url)}" style="${buttonStyle}">${escape(label)}</a>`,
	);
	return `<!doctype html><html><head><meta charset="utf-8"></head><body><p style="${blockStyle}">${htmlOf(message)}</p><p style="${blockStyle}">${buttons.join(' ')}</p></body></html>`;
}

/** Loads nothing, runs no script, forbids frames and caches, and keeps the signed URL out of referrers. */
export const pageHeaders = {
	'Content-Security-Policy':
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms",
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Robots-Tag': 'noindex, nofollow',
};

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; }
label { display: block; font-weight: 600; }
textarea { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; font: inherit; }
button { padding: .625rem 1.5rem; border: 0; border-radius: .375rem; background: #1f5fbf; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
[role='alert'] { padding-left: .75rem; border-left: .25rem solid #c0392b; }
`.replace(/\n\s*/g, '');

const shell = (title: string, body: string): string =>
	`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><style>${style}</style></head><body><main><h1>${escape(title)}</h1>${body}</main></body></html>`;

const responseInput =
	'<label for="text">Response</label><textarea id="text" name="text" rows="6" required></textarea>';

/** The texts of the page that a link opens, not yet escaped for HTML. */
interface Page {
	title: string;
	text: string;
	/** Label of the button that sends the answer. */
	button: string;
	/** Whether the recipient enters a text, not only clicks the button. */
	isText: boolean;
}

/** The page with the question: opening a link decides nothing. `notice` shows what was wrong with the last answer. */
export function questionPage({ title, text, button, isText }: Page, notice = ''): string {
	const texts = `${text && `<p>${htmlOf(text)}</p>`}${notice && `<p role="alert">${escape(notice)}</p>`}`;
	const field = isText ? responseInput : '';
	return shell(
		title,
		`${texts}<form method="post">${field}<button type="submit">${escape(button)}</button></form>`,
	);
}

export const recordedPage = shell('Response recorded', '<p>You can close this page.</p>');

/** Shown if the question of a link is no longer open. */
export const closedPage = shell(
	'This question was answered',
	'<p>It was answered earlier, or it has expired. Nothing was changed. You can close this page.</p>',
);
