import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { adviceFor, unknownAdvice } from './advice';
import { Failure } from './failure';
import type { ApiRequest } from './request';

const gatewayStatuses = new Set([502, 503, 504]);

/** Characters of a strange answer that a message shows. */
const excerptLength = 200;

/**
 * Judges an answer by status and body (docs/service.md, section 7).
 *
 * @returns the service's JSON of a successful answer
 * @throws Failure `rejected` for an error in the service's own JSON, `unknown` for anything that
 * is not the service's JSON
 */
export function judge(response: IN8nHttpFullResponse, request: ApiRequest): IDataObject {
	const { statusCode } = response;
	const body: unknown = response.body;

	if (statusCode >= 300 && statusCode < 400) throw redirect(response, request);
	if (statusCode < 300) {
		// Neither a list's wrapping nor the answer to a deletion is documented.
		if (Array.isArray(body)) return { records: body };
		if (request.method === 'DELETE' && isEmpty(body)) return {};
	}
	if (!isJsonObject(body) || gatewayStatuses.has(statusCode))
		throw foreign(statusCode, body, request);
	if (statusCode < 300 && body.success !== false) return body;

	const text = body.error ?? (statusCode < 300 ? body.message : undefined);
	if (typeof text !== 'string' || text === '') throw foreign(statusCode, body, request);
	const { screenshot } = body;
	throw new Failure(text, {
		outcome: 'rejected',
		statusCode,
		description: adviceFor(request, statusCode, text),
		facts: screenshot === undefined ? {} : { screenshot },
	});
}

/**
 * Returns the answer if it has the id that the documentation promises.
 *
 * @param path dotted path of the id, e.g. `webhook.id`
 * @throws Failure `unknown`: the request was answered as a success, but by what?
 */
export function requireId(answer: IDataObject, path: string, request: ApiRequest): IDataObject {
	const id = path
		.split('.')
		.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), answer);
	if ((typeof id === 'string' && id !== '') || typeof id === 'number') return answer;
	throw new Failure(`The service reported success without ${path}: ${excerpt(answer)}`, {
		outcome: 'unknown',
		statusCode: 200,
		description: unknownAdvice(request),
	});
}

export function isJsonObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function redirect({ statusCode, headers }: IN8nHttpFullResponse, request: ApiRequest): Failure {
	const location = headers.location;
	const target = typeof location === 'string' && location !== '' ? location : 'another address';
	return new Failure(`The base URL redirects to ${target}`, {
		outcome: 'unknown',
		statusCode,
		description:
			`Redirects are not followed, because they could carry the API key elsewhere. Correct the base URL of the credential. ${request.method === 'GET' ? '' : unknownAdvice(request)}`.trim(),
	});
}

/** An answer that the service would not give: a proxy's page, an empty body, another API. */
function foreign(statusCode: number, body: unknown, request: ApiRequest): Failure {
	const what = isEmpty(body) ? 'an empty body' : excerpt(body);
	const message = gatewayStatuses.has(statusCode)
		? `The service could not be reached behind its gateway (status ${statusCode})`
		: `The base URL does not answer like the service (status ${statusCode}): ${what}`;
	return new Failure(message, {
		outcome: 'unknown',
		statusCode,
		description: gatewayStatuses.has(statusCode)
			? unknownAdvice(request)
			: `Check that the base URL of the credential is the service root with its version segment, e.g. https://host.example/api/v1. ${request.method === 'GET' ? '' : unknownAdvice(request)}`.trim(),
	});
}

const isEmpty = (body: unknown): boolean => body === undefined || body === null || body === '';

/** The beginning of an answer on one line. */
export function excerpt(body: unknown): string {
	const text = typeof body === 'string' ? body.replace(/\s+/g, ' ').trim() : JSON.stringify(body);
	return text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text;
}
