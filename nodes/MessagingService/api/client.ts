import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { readBaseUrl } from './baseUrl';
import { connectionFailure } from './connectionError';
import { Failure } from './failure';
import { withoutKey } from './masking';
import { multipart } from './multipart';
import { defaultTimeout, pathOf, type ApiRequest, type Call } from './request';
import { judge } from './response';
import { retrying } from './retry';

/** Every n8n context that requests are made from. */
export type ApiContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions;

export const credentialType = 'messagingServiceApi';

/**
 * Reads the credential once and returns the function that all requests go through.
 *
 * The returned function resolves with the service's JSON. It retries reads when the connection or
 * a gateway fails, and other requests only when no connection was made at all.
 *
 * @throws Failure when the credential is missing or its base URL is not one
 */
export async function connect(context: ApiContext): Promise<Call> {
	const credentials = await context.getCredentials(credentialType);
	const baseUrl = readBaseUrl(credentials.baseUrl);
	const key = String(credentials.apiKey ?? '').trim();
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	// Handing the decrypted credential over saves a database query and a decryption per request.
	const credentialOptions = {
		credentialsDecrypted: { id: '', name: '', type: credentialType, data: credentials },
	};

	return async (request, { timeout = defaultTimeout, once = false } = {}) => {
		const attempt = async (): Promise<IDataObject | Failure> => {
			const options = await httpOptions(request, baseUrl, timeout);
			const response = await context.helpers.httpRequestWithAuthentication
				.call(context, credentialType, options, credentialOptions)
				.catch((error: unknown) => connectionFailure(error, request, baseUrl));
			if (response instanceof Failure) return response;
			const { statusCode, headers, body } = response as IN8nHttpFullResponse;
			return judge(withoutKey({ statusCode, headers, body }, key), request);
		};
		const result = once ? await attempt() : await retrying(request, attempt, signal);
		if (result instanceof Failure) throw result;
		return result;
	};
}

async function httpOptions(
	request: ApiRequest,
	baseUrl: string,
	timeout: number,
): Promise<IHttpRequestOptions> {
	const { endpoint, query, body, form } = request;
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url: `${baseUrl}${pathOf(request)}`,
		headers: { Accept: 'application/json' },
		timeout,
		// Following a redirect would carry the key elsewhere and buffer the whole body.
		disableFollowRedirect: true,
		// The status is ours to judge: n8n would repeat a 401 and hide the service's text.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	if (query) options.qs = query;
	if (form) {
		const written = await multipart(form);
		return { ...options, ...written, headers: { ...options.headers, ...written.headers } };
	}
	if (body) {
		options.body = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
	}
	return options;
}
