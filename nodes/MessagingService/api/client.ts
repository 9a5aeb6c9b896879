import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { judge } from './response';
import { readBaseUrl } from './baseUrl';
import { withoutKey } from './masking';
import { multipart } from './multipart';
import { defaultTimeout, writtenJson, type ApiRequest, type CallOptions } from './request';
import { retrying } from './retry';
import { connectionFailure } from './connectionError';

/** Every n8n context that requests are made from. */
export type ApiContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions;

export const credentialType = 'messagingServiceApi';

/** Makes one request; see `Client.call`. */
export type ApiCall = (request: ApiRequest, options?: CallOptions) => Promise<IDataObject>;

/**
 * Reads the credential once and returns the function that all requests go through.
 *
 * The returned function resolves with the service's JSON. It retries reads when the connection or
 * a gateway fails, and other requests only when no connection was made at all.
 *
 * @throws Failure when the credential is missing or its base URL is not one
 */
export async function connect(context: ApiContext): Promise<ApiCall> {
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
		const attempt = async (): Promise<IDataObject> => {
			const options = await httpOptions(request, baseUrl, timeout);
			const response = await context.helpers.httpRequestWithAuthentication
				.call(context, credentialType, options, credentialOptions)
				.catch((error: unknown) => {
					throw connectionFailure(error, request, baseUrl);
				});
			const { statusCode, headers, body } = response as IN8nHttpFullResponse;
			return judge(withoutKey({ statusCode, headers, body }, key), request);
		};
		return once ? await attempt() : await retrying(request, attempt, signal);
	};
}

async function httpOptions(
	request: ApiRequest,
	baseUrl: string,
	timeout: number,
): Promise<IHttpRequestOptions> {
	const options: IHttpRequestOptions = {
		method: request.method,
		url: `${baseUrl}${request.path}`,
		headers: { Accept: 'application/json' },
		timeout,
		// Following a redirect would carry the key elsewhere and buffer the whole body.
		disableFollowRedirect: true,
		// The status is ours to judge: n8n would repeat a 401 and hide the service's text.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	if (request.query) options.qs = request.query;
	if (request.form) {
		const { body, headers } = await multipart(request.form);
		return { ...options, body, headers: { ...options.headers, ...headers } };
	}
	const json = writtenJson(request);
	if (json) {
		options.body = json;
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
	}
	return options;
}
