import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { adviceFor, lossAdvice, unknownAdvice } from './advice';
import { Failure } from './failure';
import type { ApiRequest } from './request';

const gatewayStatuses = new Set([502, 503, 504]);

/** Statuses with which the service, or by their definition anything before it, refuses a request. */
const refusals = new Set([400, 401, 402, 403, 404, 413, 429, 500]);

/** Characters of a strange response that a message shows. */
const excerptLength = 200;

/**
 * Judges a response by status and body (docs/service.md, section 7).
 *
 * @returns the service's JSON of a success; a Failure that is `rejected` for an error in the
 * service's own JSON with a status that it uses, `unknown` for all else
 */
export function judge(
	{ statusCode, headers, body }: IN8nHttpFullResponse,
	request: ApiRequest,
): IDataObject | Failure {
	if (statusCode >= 300 && statusCode < 400) return redirect(statusCode, headers, request);
	const isSuccess = statusCode < 300;
	if (isSuccess) {
		// Neither a list's wrapping nor the response to a deletion is documented.
		if (Array.isArray(body)) return { records: body };
		if (request.endpoint.method === 'DELETE' && isEmpty(body)) return {};
	}
	if (!isJsonObject(body)) return foreign(statusCode, body, request);
	if (isSuccess && !isRefusal(body)) return body;
	const text = body.error ?? (isSuccess ? body.message : undefined);
	if (typeof text !== 'string' || text === '' || !(isSuccess || refusals.has(statusCode))) {
		return foreign(statusCode, body, request);
	}
	const { screenshot } = body;
	return new Failure(text, {
		outcome: 'rejected',
		statusCode,
		description: adviceFor(request, statusCode, text),
		facts: screenshot === undefined ? {} : { screenshot },
	});
}

/** `success` says it where it is there; its absence alone is no failure, for not all have it. */
const isRefusal = ({ success, error }: IDataObject): boolean =>
	success === undefined ? error !== undefined && error !== null : success !== true;

/**
 * The response if it has the id that the documentation promises; otherwise a Failure `unknown`: the
 * request was answered as a success, but by what?
 *
 * @param path dotted path of the id, e.g. `webhook.id`
 */
export function withId(response: IDataObject, path: string, request: ApiRequest): IDataObject {
	const id = path
		.split('.')
		.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), response);
	if ((typeof id === 'string' && id !== '') || typeof id === 'number') return response;
	throw new Failure(`The service reported success without ${path}: ${excerpt(response)}`, {
		outcome: 'unknown',
		statusCode: 200,
		description: unknownAdvice(request),
	});
}

export function isJsonObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function redirect(
	statusCode: number,
	{ location }: IN8nHttpFullResponse['headers'],
	request: ApiRequest,
): Failure {
	const target = typeof location === 'string' && location !== '' ? location : 'another address';
	return new Failure(`The base URL redirects to ${target}`, {
		outcome: 'unknown',
		statusCode,
		description: `Redirects are not followed, because they could carry the API key elsewhere. Correct the base URL of the credential.${lossAdvice(request)}`,
	});
}

/** A response that the service would not give: a proxy's page, an empty body, another API. */
function foreign(statusCode: number, body: unknown, request: ApiRequest): Failure {
	const isGateway = gatewayStatuses.has(statusCode);
	const what = isEmpty(body) ? 'an empty body' : excerpt(body);
	const message = isGateway
		? `The service could not be reached behind its gateway (status ${statusCode})`
		: `The base URL does not answer like the service (status ${statusCode}): ${what}`;
	return new Failure(message, {
		outcome: 'unknown',
		statusCode,
		description: isGateway
			? unknownAdvice(request)
			: `Check that the base URL of the credential is the service root with its version segment, e.g. https://host.example/api/v1.${lossAdvice(request)}`,
	});
}

const isEmpty = (body: unknown): boolean => body === undefined || body === null || body === '';

/** The beginning of a response on one line. */
export function excerpt(body: unknown): string {
	const text = typeof body === 'string' ? body.replace(/\s+/g, ' ').trim() : JSON.stringify(body);
	return text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text;
}
