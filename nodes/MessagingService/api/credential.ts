// The credential: its values, and what keeps the API key from going anywhere else.

import { compact, omitBy, trimEnd } from 'lodash';
import { UserError, type IHttpRequestOptions } from 'n8n-workflow';
import { InputFailure } from './failure';

export const credentialType = 'messagingServiceApi';

/** The values of a credential as n8n returns them, not yet checked. */
export interface Credential {
	baseUrl?: unknown;
	apiKey?: unknown;
	countryCodes?: unknown;
}

/** A host and a path. The URL parser would drop line breaks and empty user names, and turn backslashes into /. */
const plainAddress = /^https?:\/\/[^\s\p{C}\\/?#@]+(\/[^\s\p{C}\\?#]*)?$/iu;

/** Maximum length of an address; longer ones could be slow to match. */
const maxAddressLength = 2_000;

/** Why a credential cannot be used. Its values are not quoted: they may contain a password. */
const invalidCredential = (problem: string, cure: string): InputFailure =>
	new InputFailure(problem, `Open the credential and enter ${cure}`);

/** The base URL without a slash at the end; throws InputFailure. */
export function readBaseUrl(value: unknown): string {
	const baseUrl = trimEnd(String(value ?? '').trim(), '/');
	const isShort = baseUrl.length <= maxAddressLength;
	if (isShort && plainAddress.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
	throw invalidCredential(
		'The base URL of the credential is not a web address',
		"the service's address with its version segment, e.g. https://host.example/api/v1, without user name, query, fragment, spaces or backslashes.",
	);
}

/** The key as a header can carry it; throws InputFailure. */
export function readKey(value: unknown): string {
	const key = String(value ?? '').trim();
	if (key !== '' && /^[\x20-\x7e\xa1-\xff]*$/.test(key)) return key;
	throw invalidCredential(
		key === '' ? 'API Key is empty' : 'The API key of the credential contains an invalid character',
		'the API key again, as the dashboard showed it in Settings > API Keys. If it is an expression, check that it returns a value.',
	);
}

/**
 * The allowed country codes as digits; none if the field is empty, which allows every number (docs/contract.md, section
 * 2). n8n returns undefined or null only for an expression. Throws InputFailure for these and for a text without codes.
 */
export function readCountryCodes(value: unknown): string[] {
	if (value === '') return [];
	const codes = compact(String(value).split(/[\s,;]+/)).map((code) => code.replace(/^\+/, ''));
	if (codes.length > 0 && codes.every((code) => /^[1-9]\d{0,6}$/.test(code))) return codes;
	throw invalidCredential(
		'Allowed Country Codes in the credential is not a list of country codes',
		'the codes as digits separated by commas, e.g. 44, 1. If it is an expression, check that it returns a value. Leave the field empty to allow every number.',
	);
}

/** The header that carries the key (docs/service.md, section 5.1). */
export const keyHeader = (key: unknown) => ({ 'x-api-key': String(key).trim() });

/** A request of any node with this credential; n8n's HTTP Request node has its URL in `uri`. */
type AnyRequest = Omit<IHttpRequestOptions, 'url'> & { url?: unknown; uri?: unknown };

/**
 * Adds the key to any node's request, but only below the base URL, without proxy, redirects and Host header:
 * otherwise users of a shared credential could send the key to their own server. Throws UserError.
 */
export function withKey(
	credentials: Credential,
	{ headers = {}, ...options }: IHttpRequestOptions,
): IHttpRequestOptions {
	const { url, uri, baseURL, proxy }: AnyRequest = options;
	const target = String(url ?? uri);
	if (baseURL !== undefined || !isBelow(target, readBaseUrl(credentials.baseUrl))) {
		throw new UserError('This credential works only for URLs that begin with its base URL', {
			description: 'Use a URL that begins with the base URL of the credential.',
		});
	}
	if (proxy) {
		throw new UserError('This credential cannot be used with the Proxy option of a node', {
			description:
				"Remove the option Proxy. If a proxy is needed, set it in n8n's environment variables.",
		});
	}
	const kept = omitBy(headers, (_, name) => /^(host|x-api-key)$/i.test(name));
	const noRedirects = {
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};
	return { ...options, ...noRedirects, headers: { ...kept, ...keyHeader(credentials.apiKey) } };
}

/** Whether an address is the base URL or below it, however a server decodes the path. */
function isBelow(target: string, baseUrl: string): boolean {
	if (!URL.canParse(target)) return false;
	const [url, base] = [new URL(target), new URL(baseUrl)];
	const path = url.pathname.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
	return (
		url.origin === base.origin &&
		url.username + url.password === '' &&
		`${url.pathname}/`.startsWith(`${trimEnd(base.pathname, '/')}/`) &&
		!path.split('/').includes('..')
	);
}
