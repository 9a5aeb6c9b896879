import { escape } from 'lodash';

/** Text whose line breaks are kept, as it can stand in an element. */
export const linesOf = (text: string): string => escape(text).replace(/\r?\n/g, '<br>');

/** A way to answer. */
export interface Link {
	label: string;
	url: string;
}

/** What goes to the recipient. */
export interface Question {
	message: string;
	links: Link[];
}

/** The message with its links below, for chats and for readers that show no HTML. */
export const asText = ({ message, links }: Question): string =>
	`${message}\n\n${links.map(({ label, url }) => `${label}: ${url}`).join('\n')}`;

const block = 'margin:0 0 24px;font:16px/1.5 Arial,sans-serif';
const button =
	'display:inline-block;margin:0 8px 8px 0;padding:10px 24px;border:1px solid #1f5fbf;border-radius:6px;font-weight:bold;text-decoration:none';
const primary = 'background:#1f5fbf;color:#ffffff';
const secondary = 'background:#ffffff;color:#1f5fbf';

/** The message with its links as buttons, the first of which stands out. */
export function asHtml({ message, links }: Question): string {
	const buttons = links.map(
		({ label, url }, index) =>
			`<a href="${escape(url)}" style="${button};${index === 0 ? primary : secondary}">${escape(label)}</a>`,
	);
	return `<!doctype html><html><head><meta charset="utf-8"></head><body><p style="${block}">${linesOf(message)}</p><p style="${block}">${buttons.join(' ')}</p></body></html>`;
}
