import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { connectionFailure, givenUp } from './connectionError';
import { withDeadline } from './deadline';
import { Failure } from './failure';
import { httpOptions } from './httpOptions';
import type { Mask } from './masking';
import { receive } from './receive';
import type { ApiRequest } from './request';
import type { ApiResponse } from './response';

/** How requests get to one account of the service. */
export interface Way {
	baseUrl: string;
	/** Hides the account's key. */
	mask: Mask;
	/** Makes the request; gives the response with its body as a stream. */
	transport(options: IHttpRequestOptions, signal: AbortSignal): Promise<ApiResponse>;
}

/**
 * Makes a request once.
 *
 * @param timeout milliseconds from sending to the last byte of the response
 * @param stopped ends the request; none for what must be known to its end
 * @returns the service's JSON, or the Failure it ended in
 * @throws Failure when the request could not be put together
 */
export async function exchange(
	request: ApiRequest,
	{ baseUrl, mask, transport }: Way,
	timeout: number,
	stopped: AbortSignal | undefined,
): Promise<IDataObject | Failure> {
	const { options, close } = await httpOptions(request, baseUrl, timeout);
	const result = await withDeadline(timeout, stopped, async (signal) => {
		const response = await transport(options, signal).catch((error: unknown) =>
			connectionFailure(error, request, baseUrl).masked(mask),
		);
		if (response instanceof Failure) return response;
		return await receive(response, { request, baseUrl, mask, signal });
	}).finally(close);
	return typeof result === 'string' ? givenUp(result, request, baseUrl) : result;
}
