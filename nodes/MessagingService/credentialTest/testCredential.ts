import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { connection } from '../api/client';
import { keyHeader } from '../api/credential';
import { endpoints, type ApiResponse } from '../api/endpoints';
import { Failure, failureOr } from '../api/failure';
import { accountOf } from '../api/response';

/**
 * Tests a credential with GET /balance, which any valid key may read (docs/service.md, section 5.5). It
 * applies the rules and messages of the nodes, so a value that they reject is rejected before any request.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	const send = async (options: IHttpRequestOptions) =>
		(await helpers.request(oldOptions(options, data.apiKey))) as ApiResponse;
	const readAccount = async () => {
		const call = connection(data, send);
		// A user is waiting for the result.
		const options = { timeout: 20_000, noRetry: true };
		return accountOf(await call({ endpoint: endpoints.getBalance }, options));
	};
	const result = await failureOr(readAccount());
	if (!(result instanceof Failure)) return { status: 'OK', message: 'Connection successful' };
	const { message, description } = result;
	return { status: 'Error', message: `${message.replace(/\.$/, '')}. ${description}` };
}

/** The options of the older helper, the only one that n8n offers here. */
const oldOptions = ({ method, url, headers, timeout }: IHttpRequestOptions, key: unknown) => ({
	method,
	url,
	headers: { ...headers, ...keyHeader(key) },
	timeout,
	useStream: true,
	followRedirect: false,
	resolveWithFullResponse: true,
	// The node judges every status itself.
	simple: false,
});
