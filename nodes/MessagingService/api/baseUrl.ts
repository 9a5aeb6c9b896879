import { InputFailure } from './failure';

/**
 * The credential's base URL without surrounding spaces and trailing slashes.
 *
 * @throws InputFailure that does not repeat the value: there may be a password in it
 */
export function readBaseUrl(value: unknown): string {
	const baseUrl = String(value ?? '')
		.trim()
		.replace(/\/+$/, '');
	const problem = problemOf(baseUrl);
	if (problem === undefined) return baseUrl;
	throw new InputFailure(
		`The base URL of the credential ${problem}`,
		'Open the credential and enter the service root with its version segment, e.g. https://host.example/api/v1.',
	);
}

function problemOf(baseUrl: string): string | undefined {
	// The parser itself takes away line breaks and turns backslashes: the host would be another one.
	if (/[\s\p{Cc}\\]/u.test(baseUrl)) {
		return 'contains a space, a backslash or an invisible character';
	}
	if (!/^https?:\/\/[^/]/i.test(baseUrl) || !URL.canParse(baseUrl)) return 'is not a web address';
	// The parser takes an empty name away.
	if (/^[^/]*\/\/[^/?#]*@/.test(baseUrl)) return 'contains a user name or password';
	// A path that is put behind one of these would never reach the service.
	return /[?#]/.test(baseUrl) ? 'contains a query or fragment' : undefined;
}
