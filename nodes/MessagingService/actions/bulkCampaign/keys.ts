/** Keys of a recipient (docs/service.md, section 4.8). */
const recipientKeys = new Set(['phone', 'params', 'headerValue', 'headerMediaId', 'name']);

/** What people write for a key, without capitals, dashes and underscores. */
const meant: Array<[RegExp, string]> = [
	[/param|placeholder|variable|^values?$/, 'params'],
	[/media.*id/, 'headerMediaId'],
	[/header|media|image|document|video/, 'headerValue'],
	[/phone|number|^to$|mobile|recipient$|whatsapp/, 'phone'],
	[/name/, 'name'],
];

/**
 * What is wrong with the keys of a JSON recipient: one that the service does not know would get
 * lost without a word.
 */
export function keyProblem(recipient: Record<string, unknown>): string | undefined {
	for (const key of Object.keys(recipient)) {
		if (recipientKeys.has(key)) continue;
		const plain = key.toLowerCase().replace(/[^a-z]/g, '');
		const hint = meant.find(([pattern]) => pattern.test(plain))?.[1];
		const known = `known are ${[...recipientKeys].join(', ')}`;
		return `it has the unknown key ${JSON.stringify(key.slice(0, 40))}: ${hint ? `did you mean ${hint}?` : known}`;
	}
	return undefined;
}
