import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { readBaseUrl } from './baseUrl';
import { readCountryCodes } from './countryCodes';
import { exchange, type Way } from './exchange';
import { Failure } from './failure';
import { readKey } from './key';
import { maskOf } from './masking';
import { defaultTimeout, type ApiRequest, type Call } from './request';
import type { ApiResponse } from './response';
import { retrying } from './retry';
import { screenshotKeeper } from './screenshot';
import { stoppable } from './stopping';

/** Every n8n context that requests are made from. */
export type ApiContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions;

/** A way to the service, the address that it leads to, and the country codes that may be reached. */
export type Connection = Call & { baseUrl: string; countryCodes: string[] };

export const credentialType = 'messagingServiceApi';

/**
 * Reads the credential once and returns the function that all requests go through.
 *
 * The returned function resolves with the service's JSON. It retries reads when the connection or
 * a gateway fails, and other requests only when no connection was made at all.
 *
 * @throws Failure when the credential is missing or cannot be used
 */
export async function connect(context: ApiContext): Promise<Connection> {
	const credentials = await context.getCredentials(credentialType);
	const baseUrl = readBaseUrl(credentials.baseUrl);
	const mask = maskOf(readKey(credentials.apiKey));
	const countryCodes = readCountryCodes(credentials.countryCodes);
	const untilStopped = stoppable(
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
	);
	// Handing the decrypted credential over saves a database query and a decryption per request.
	const credentialOptions = {
		credentialsDecrypted: { id: '', name: '', type: credentialType, data: credentials },
	};
	const keepScreenshot = screenshotKeeper(context);
	const way: Way = {
		baseUrl,
		mask,
		transport: async (options, signal) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				withSignal(context, signal),
				credentialType,
				{ ...options, abortSignal: signal },
				credentialOptions,
			)) as ApiResponse,
	};

	const call: Call = async (request, { timeout = defaultTimeout, once = false } = {}) => {
		const attempt = async (stopped: AbortSignal) =>
			await exchange(request, way, timeout, isBillable(request) ? undefined : stopped);
		const result = await untilStopped(async (stopped) =>
			once ? await attempt(stopped) : await retrying(request, attempt, stopped),
		);
		if (result instanceof Failure) throw await keepScreenshot(result);
		return result;
	};
	return Object.assign(call, { baseUrl, countryCodes });
}

/** A send that is under way is not ended with the execution: nobody would know whether it arrived. */
const isBillable = ({ endpoint }: ApiRequest): boolean => endpoint.paidFrom !== undefined;

/** n8n takes the signal of a request from the context, and knows no other than the execution's. */
const withSignal = (context: ApiContext, signal: AbortSignal): ApiContext =>
	Object.assign(Object.create(context) as ApiContext, { getExecutionCancelSignal: () => signal });
