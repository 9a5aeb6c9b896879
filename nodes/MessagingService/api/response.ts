import type { IDataObject } from 'n8n-workflow';
import { adviceFor, lossAdvice, unknownAdvice } from './advice';
import { Failure } from './failure';
import type { ApiRequest } from './request';

const gatewayStatuses = new Set([502, 503, 504]);

/** Statuses of a success; a deletion, whose response is not documented, may also have no content. */
const successes = new Set([200, 201]);

/**
 * Statuses of an error in the service's own words; with 413 and 429, by their definition, also
 * something before the service refuses a request.
 */
const errors = new Set([400, 401, 402, 403, 404, 413, 429, 500]);

/** What of a response decides. */
export interface ApiResponse {
	statusCode: number;
	headers: { location?: unknown };
	/** Parsed JSON, or the text that is none. */
	body: unknown;
}

/** Characters of a strange response that a message shows. */
const excerptLength = 200;

/** Characters of the service's own text that a message shows. */
const textLength = 1_000;

/**
 * Judges a response by status and body (docs/service.md, section 7).
 *
 * @returns the service's JSON of a success; a Failure that is `rejected` for an error in the
 * service's own JSON with a status that it uses, 413 or 429, `unknown` for all else
 */
export function judge(
	{ statusCode, headers, body }: ApiResponse,
	request: ApiRequest,
): IDataObject | Failure {
	if (statusCode >= 300 && statusCode < 400) return redirect(statusCode, headers, request);
	const isSuccess = successes.has(statusCode);
	const isDeletion = request.endpoint.method === 'DELETE';
	if (isDeletion && (isSuccess || statusCode === 204) && isEmpty(body)) return {};
	if (isSuccess) {
		// Neither a list's wrapping nor the response to a deletion is documented.
		if (Array.isArray(body)) return { records: body };
		if (isJsonObject(body) && !isRefusal(body)) return body;
	}
	const text = ownText(statusCode, body);
	return text === undefined
		? foreign(statusCode, body, request)
		: rejected(statusCode, text, body, request);
}

/** What the service says went wrong; undefined if these are not its words. */
function ownText(statusCode: number, body: unknown): string | undefined {
	const isSuccess = successes.has(statusCode);
	if (!isJsonObject(body) || !(isSuccess || errors.has(statusCode))) return undefined;
	const text = body.error ?? (isSuccess ? body.message : undefined);
	const isText = typeof text === 'string' && text.trim() !== '';
	return isText ? shortened(text, textLength) : undefined;
}

function rejected(statusCode: number, text: string, body: unknown, request: ApiRequest): Failure {
	const screenshot = isJsonObject(body) ? body.screenshot : undefined;
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
	if ((typeof id === 'string' && id !== '') || Number.isFinite(id)) return response;
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
	{ location }: ApiResponse['headers'],
	request: ApiRequest,
): Failure {
	const isNamed = typeof location === 'string' && location !== '';
	const target = isNamed ? shortened(location, excerptLength) : 'another address';
	return new Failure(`The base URL redirects to ${target}`, {
		outcome: 'unknown',
		statusCode,
		description: `Redirects are not followed, because they could carry the API key elsewhere. Correct the base URL of the credential.${lossAdvice(request)}`,
	});
}

/** A response that the service would not give: a proxy's page, an empty body, another API. */
function foreign(statusCode: number, body: unknown, request: ApiRequest): Failure {
	const facts = isWebPage(body) ? { response: excerpt(body) } : {};
	const unknown = (message: string, description: string) =>
		new Failure(message, { outcome: 'unknown', statusCode, description, facts });
	if (gatewayStatuses.has(statusCode)) {
		return unknown(
			`The service could not be reached behind its gateway (status ${statusCode})`,
			unknownAdvice(request),
		);
	}
	if (statusCode === 413 || statusCode === 429) {
		return unknown(
			`Something before the service did not let the request pass (status ${statusCode}): ${whatCame(body)}`,
			`${adviceFor(request, statusCode, '')}${lossAdvice(request)}`,
		);
	}
	return unknown(
		`The base URL does not answer like the service (status ${statusCode}): ${whatCame(body)}`,
		`Check that the base URL of the credential is the service root with its version segment, e.g. https://host.example/api/v1.${lossAdvice(request)}`,
	);
}

function whatCame(body: unknown): string {
	if (isEmpty(body)) return 'an empty body';
	return isWebPage(body) ? 'a web page' : excerpt(body);
}

const isEmpty = (body: unknown): boolean => body === undefined || body === null || body === '';

const isWebPage = (body: unknown): boolean => typeof body === 'string' && /^\s*</.test(body);

/** The beginning of a response on one line, without characters that cannot be seen. */
export function excerpt(body: unknown): string {
	const text =
		typeof body === 'string'
			? // Only the beginning is looked at: a body may have megabytes.
				body
					.slice(0, 10 * excerptLength)
					.replace(/[\s\p{Cc}\p{Cf}\uFFFD]+/gu, ' ')
					.trim()
			: JSON.stringify(body);
	return shortened(text, excerptLength);
}

const shortened = (text: string, length: number): string =>
	text.length > length ? `${text.slice(0, length)}…` : text;
