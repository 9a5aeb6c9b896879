import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { connection, keyHeader } from '../api/client';
import { endpoints } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { accountOf, type ApiResponse } from '../api/response';

/**
 * Tests a credential with GET /balance, which any valid key may read (docs/service.md, section 5.5),
 * by the rules and in the words of the nodes: what they refuse is refused here before any request.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	const send = async (options: IHttpRequestOptions) =>
		(await helpers.request(inOldTerms(options, data.apiKey))) as ApiResponse;
	const readAccount = async () => {
		const call = connection(data, send);
		// Somebody waits for it.
		const options = { timeout: 20_000, once: true };
		return accountOf(await call({ endpoint: endpoints.getBalance }, options));
	};
	const result = await failureOr(readAccount());
	if (!(result instanceof Failure)) return { status: 'OK', message: 'Connection successful' };
	const { message, description } = result;
	return { status: 'Error', message: `${message.replace(/\.$/, '')}. ${description}` };
}

/** The request in the terms of the only helper that n8n has here. */
const inOldTerms = ({ method, url, headers, timeout }: IHttpRequestOptions, key: unknown) => ({
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
