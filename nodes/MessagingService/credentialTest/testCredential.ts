import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { accountOf } from '../actions/account/getBalance.operation';
import { readBaseUrl } from '../api/baseUrl';
import { readCountryCodes } from '../api/countryCodes';
import { endpoints } from '../api/endpoints';
import { exchange } from '../api/exchange';
import { Failure, failureOr } from '../api/failure';
import { keyHeader, readKey } from '../api/key';
import { maskOf } from '../api/masking';
import { testTimeout } from '../api/request';
import type { ApiResponse } from '../api/response';

/**
 * Tests a credential with GET /balance, which any valid key may read (docs/service.md, section 5.5),
 * by the rules and in the words of the nodes: what they refuse is refused here before any request.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const result = await failureOr(readAccount(this, data));
	if (!(result instanceof Failure)) return { status: 'OK', message: 'Connection successful' };
	const { message, description } = result;
	return { status: 'Error', message: `${message.replace(/\.$/, '')}. ${description}` };
}

async function readAccount(
	{ helpers }: ICredentialTestFunctions,
	{ baseUrl: address, apiKey, countryCodes }: NonNullable<ICredentialsDecrypted['data']>,
) {
	const baseUrl = readBaseUrl(address);
	const key = readKey(apiKey);
	readCountryCodes(countryCodes);
	const response = await exchange(
		{ endpoint: endpoints.getBalance },
		{
			baseUrl,
			mask: maskOf(key),
			transport: async (options) =>
				(await helpers.request(inOldTerms(options, key))) as ApiResponse,
		},
		testTimeout,
		new AbortController().signal,
	);
	if (response instanceof Failure) throw response;
	return accountOf(response);
}

/** The request in the terms of the only helper that n8n has here. */
const inOldTerms = ({ method, url, headers, timeout }: IHttpRequestOptions, key: string) => ({
	method,
	url,
	headers: { ...headers, ...keyHeader(key) },
	timeout,
	useStream: true,
	followRedirect: false,
	resolveWithFullResponse: true,
	// Every status is ours to judge.
	simple: false,
});
