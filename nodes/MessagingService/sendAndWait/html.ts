const entities: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/** Text as it can stand in an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
	text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Text whose line breaks are kept. */
export const linesOf = (text: string): string => escapeHtml(text).replace(/\r?\n/g, '<br>');
