import type { Endpoint } from './endpoints';
import { isRead, type ApiRequest } from './request';

/**
 * Says what to do after the service answered with an error (docs/service.md, section 7): by endpoint
 * and status first, by the words of the error only where these leave it open.
 *
 * @param statusCode HTTP status of the response
 * @param text the service's own error text
 */
export function adviceFor(request: ApiRequest, statusCode: number, text: string): string {
	const endpoint: Endpoint = request.endpoint;
	const own = endpoint.advice?.[statusCode];
	if (own !== undefined) return own;
	const spoken = endpoint.adviceAbout?.find(
		({ status, says }) => status === statusCode && says.test(text),
	);
	if (spoken) return spoken.advice;
	switch (statusCode) {
		case 200:
		case 201:
			return 'The service answered that it did not do this. Correct what its message names, then run the node again.';
		case 400:
			return fieldAdvice(request, text);
		case 401:
			return 'Check the API key of the credential, or re-enable it on the dashboard in Settings > API Keys.';
		case 402:
			return `The account is short of ${endpoint.paidFrom ?? 'credits'}. Top it up on the dashboard; Account > Get Balance shows what is left.`;
		case 403:
			return `Add the scope ${scopeIn(text) ?? endpoint.scope ?? 'that the message names'} to the API key on the dashboard in Settings > API Keys.`;
		case 404:
			return 'Check that the base URL of the credential ends in the version segment, e.g. /api/v1, and that the IDs used here exist.';
		case 413:
			return 'The request is too large for what it passed through. Send a smaller file or fewer recipients at once.';
		case 429:
			return 'Something before the service limits the requests: it has no such limit itself. Wait a while, and set Batching to fewer requests at once.';
		default:
			return 'The service could not process the request. Try again later; if it stays, contact its support.';
	}
}

/** How to find out whether a request whose response is missing was carried out. */
export function unknownAdvice(request: ApiRequest): string {
	const { lookUp }: Endpoint = request.endpoint;
	return lookUp === undefined
		? 'Check that the service can be reached, then try again.'
		: `It may have been carried out and is not repeated by itself. ${lookUp} To send it again in this execution, turn on the option Resend Unknown.`;
}

/** What to add to advice about the base URL: a read that failed was no loss. */
export const lossAdvice = (request: ApiRequest): string =>
	isRead(request) ? '' : ` ${unknownAdvice(request)}`;

const scopeIn = (text: string): string | undefined => /'([a-z]+:[a-z-]+)'/.exec(text)?.[1];

/** Names the parameters whose fields the service's text mentions, or all that were sent. */
function fieldAdvice({ form, body, query, labelOf }: ApiRequest, text: string): string {
	const sent = Object.keys(form?.fields ?? fieldsOf(body) ?? query ?? {});
	if (form) sent.push('file');
	const labels = (fields: string[]) => [...new Set(fields.flatMap((one) => labelOf?.(one) ?? []))];
	const mentioned = labels(sent.filter((field) => isMentioned(field, text)));
	const named = mentioned.length > 0 ? mentioned : labels(sent);
	return `Check ${named.length > 0 ? listed(named) : 'the parameters'}.`;
}

/** Words as a sentence lists them: a, b and c. */
const listed = (words: string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** Fields whose names are words of any sentence. */
const words = new Set(['to', 'text', 'message', 'type', 'name', 'file', 'language', 'from']);

/** Whether a text names a field: a word of the language only where it stands like a name. */
function isMentioned(field: string, text: string): boolean {
	if (!words.has(field)) return new RegExp(`\\b${field}\\b`, 'i').test(text);
	const name = `['"\`]${field}['"\`]|(^|, |\\b(and|or|field|parameter) )${field}\\b|\\b${field} (is|are|must|has|and|or)\\b`;
	return new RegExp(name, 'i').test(text);
}

/** JSON that was written already is read again: it is only asked for after a refusal. */
const fieldsOf = (body: ApiRequest['body']): object | undefined =>
	Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as object) : body;
