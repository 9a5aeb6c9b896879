import type { IDataObject } from 'n8n-workflow';
import { unknownAdvice } from './advice';
import { BodyTooLarge, largestBody, readBody } from './body';
import { brokenOff } from './connectionError';
import { Failure } from './failure';
import type { Mask } from './masking';
import type { ApiRequest } from './request';
import { judge, type ApiResponse } from './response';
import { NestedTooDeep, tame } from './tame';

/**
 * Reads a response, whose body has not been read yet, and judges it. The request has left: whatever goes wrong here, its outcome is
 * unknown.
 *
 * @returns the service's JSON without the key, or a Failure; never throws
 */
export async function receive(
	{ statusCode, headers: { location }, body: unread }: ApiResponse,
	{
		request,
		baseUrl,
		mask,
		signal,
	}: {
		request: ApiRequest;
		baseUrl: string;
		mask: Mask;
		signal: AbortSignal;
	},
): Promise<IDataObject | Failure> {
	try {
		const body = await readBody(unread, signal);
		tame(body);
		return judge(mask({ statusCode, headers: { location }, body }), request);
	} catch (error) {
		const what = unusable(error);
		if (what === undefined) return brokenOff(error, request, baseUrl).masked(mask);
		return new Failure(`The response is not one of the service: ${what}`, {
			outcome: 'unknown',
			statusCode,
			description: unknownAdvice(request),
		});
	}
}

function unusable(error: unknown): string | undefined {
	if (error instanceof BodyTooLarge) return `it has more than ${largestBody / 1024 / 1024} MB`;
	return error instanceof NestedTooDeep ? 'it is nested too deep' : undefined;
}
