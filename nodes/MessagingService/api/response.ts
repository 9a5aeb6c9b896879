import { get, isObject, pick, size } from 'lodash';
import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { endpoints, type ApiResponse, type Target } from './endpoints';
import { adviceFor, Failure, unknownAdvice, unknownWriteAdvice } from './failure';
import type { Redact } from './redact';

/**
 * Maximum bytes of an unpacked response. The largest documented one, a page of 100 calls with a transcript of
 * one hour each, is about 6 MB.
 */
export const maxBodyBytes = 16 * 1024 * 1024;

/** Maximum levels of a response; the documented ones have four. */
const maxDepth = 100;

/**
 * Maximum values of a response; the largest documented page has about 1,200. A million keys would block n8n
 * for seconds.
 */
const maxValues = 100_000;

/** Keys that break copying a value, or reading it as text or number. */
const harmful = new Set(['__proto__', 'toString', 'valueOf']);

/** Statuses of a success. A deletion may also have no content: its response is not documented. */
const successStatuses = new Set([200, 201]);

/** The documented error statuses of the service, and 413 and 429, which only a proxy in front of it uses. */
const errorStatuses = new Set([400, 401, 402, 403, 404, 413, 429, 500]);

/** Whether a gateway reports that it got no response from the service. */
export const isGateway = (statusCode: number | null): boolean =>
	[502, 503, 504].includes(statusCode ?? 0);

const excerptLength = 200;

const textLength = 1_000;

/**
 * Reads and judges a response. Returns the service's JSON without the API key, or a Failure; a response that
 * cannot be used is `unknown`, because the request was sent. Throws errors of connection and unpacking.
 */
export async function receive(
	{ statusCode, headers: { location }, body: unread }: ApiResponse,
	request: Target,
	redact: Redact,
	signal: AbortSignal,
): Promise<IDataObject | Failure> {
	const judged = readBody(unread, signal).then((body) => {
		const headers = { location: clean(location, redact) };
		return judge({ statusCode, headers, body: clean(body, redact) }, request);
	});
	return await judged.catch((error: unknown) => {
		if (!(error instanceof Unusable)) throw error;
		const message = `The response cannot be used: ${error.message}`;
		return unknownFailure(statusCode, message, unknownAdvice(request));
	});
}

const unknownFailure = (statusCode: number, message: string, description: string): Failure =>
	new Failure(message, { outcome: 'unknown', statusCode, description });

/** A response that is too large or too deep to be judged. */
class Unusable extends Error {}

/** A stream, as n8n returns it. */
const isStream = (body: unknown): body is AsyncIterable<Buffer> & { destroy(): unknown } =>
	isObject(body) && Symbol.asyncIterator in body;

/** The JSON of a body, or its text if it is not JSON. n8n has already read a body that is not a stream. */
async function readBody(body: unknown, signal: AbortSignal): Promise<unknown> {
	if (!isStream(body)) return body;
	const end = () => body.destroy();
	if (signal.aborted) end();
	signal.addEventListener('abort', end);
	const chunks: Buffer[] = [];
	let size = 0;
	// Leaving the loop early closes the connection.
	for await (const chunk of body) {
		size += chunk.length;
		if (size > maxBodyBytes) throw new Unusable(`it exceeds ${maxBodyBytes / 1024 / 1024} MB`);
		chunks.push(chunk);
	}
	// Without the byte order mark.
	const text = Buffer.concat(chunks)
		.toString()
		.replace(/^\uFEFF/, '');
	checkCount(text.match(/"\s*:/g)?.length ?? 0);
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

function checkCount(values: number): void {
	if (values > maxValues) throw new Unusable(`it has more than ${maxValues} values`);
}

/** A copy without the API key anywhere, and without harmful names. */
function clean(body: unknown, redact: Redact): unknown {
	let count = 0;
	const copy = (value: unknown, level: number): unknown => {
		checkCount(++count);
		if (typeof value === 'string') return redact(value);
		if (!isObject(value)) return value;
		if (level > maxDepth) throw new Unusable('it is nested too deeply');
		if (Array.isArray(value)) return value.map((part) => copy(part, level + 1));
		return Object.fromEntries(
			Object.entries(value)
				.filter(([name]) => !harmful.has(name))
				.map(([name, part]) => [redact(name), copy(part, level + 1)]),
		);
	};
	return copy(body, 0);
}

/**
 * Judges a response by status and body (docs/service.md, section 7; docs/contract.md, section 4.4).
 *
 * @returns the JSON of a success; a `rejected` Failure if the service clearly did not act; an `unknown`
 * Failure for everything else
 */
export function judge(response: ApiResponse, request: Target): IDataObject | Failure {
	const { statusCode, body } = response;
	if (statusCode >= 300 && statusCode < 400) return redirect(response, request);
	const isSuccess = successStatuses.has(statusCode);
	const { method, paidFrom, hasSecret } = request.endpoint;
	if (method === 'DELETE' && (isSuccess || statusCode === 204) && isEmpty(body)) return {};
	const isSend = paidFrom !== undefined;
	// Whether an object wraps a list is not documented. null is an empty list.
	if (isSuccess && !isSend && Array.isArray(body)) return { records: body };
	if (isSuccess && method === 'GET' && body === null) return { records: [] };
	if (!isJsonObject(body)) return foreignResponse(statusCode, body, request);

	const { success, error, message } = body;
	if (!isSuccess) {
		if (!isText(error) || !errorStatuses.has(statusCode))
			return foreignResponse(statusCode, body, request);
		const failure = rejected(statusCode, error, body, request);
		// After an "unexpected server failure" (status 500), something may have been sent (docs/service.md,
		// section 10.42). The exception is documented in section 7.1.
		const isUndispatched = request.endpoint === endpoints.sendText && success === false;
		return statusCode === 500 && isSend && !isUndispatched
			? failure.asUnknown(unknownAdvice(request))
			: failure;
	}
	if (success === false || (success === undefined && isText(error))) {
		const text =
			[error, message].find(isText) ??
			`The service did not carry out the request: ${excerpt(body, hasSecret)}`;
		return rejected(statusCode, text, body, request);
	}
	// A send is accepted only with `success: true`, unless its response is not documented.
	const hasNoError = isNone(error);
	if (success === true && (hasNoError || !request.endpoint.anySuccess)) return body;
	if (request.endpoint.anySuccess ? hasNoError : !isSend && hasNoError && success === undefined)
		return body;
	if (!isSend) return foreignResponse(statusCode, body, request);
	const text = `The response does not show whether the request was carried out: ${excerpt(body)}`;
	return unknownFailure(statusCode, text, unknownAdvice(request));
}

function rejected(statusCode: number, text: string, body: IDataObject, request: Target): Failure {
	return new Failure(shortened(text, textLength), {
		outcome: 'rejected',
		statusCode,
		description: adviceFor(request, statusCode, text),
		facts: pick(body, 'screenshot'),
	});
}

/** The response if it has a text or number at this path, e.g. `webhook.id`; throws Failure otherwise. */
export function withValue(response: IDataObject, path: string): IDataObject {
	const value: unknown = get(response, path);
	if ((typeof value === 'string' && value !== '') || Number.isFinite(value)) return response;
	throw unknownShape(response, path);
}

/** A success whose body lacks a documented part. Treating the part as empty would be a guess. */
export const unknownShape = (response: IDataObject, missing: string): Failure =>
	unknownFailure(
		200,
		`The response has no usable ${missing}: ${excerpt(response, true)}`,
		'Check that the base URL of the credential leads to the service. If it does, update this package: the service may have changed.',
	);

/** The balances of an account (docs/service.md, sections 2.7 and 4.2) and their labels. */
export const balanceNames: Readonly<Record<string, string>> = {
	chatBalance: 'Chat Credits',
	emailBalance: 'Email Credits',
	leadBalance: 'Lead Credits',
	balance: 'Money',
	voiceMins: 'Voice Minutes',
};

/** The account of a balance response, nested or flat; throws Failure if it contains no balance. */
export function accountOf(response: IDataObject): IDataObject {
	const account = { ...(isJsonObject(response.user) ? response.user : response) };
	delete account.success;
	if (Object.keys(balanceNames).every((name) => account[name] === undefined))
		throw unknownShape(response, 'balances');
	return account;
}

export function isJsonObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text or number of a response as text; an empty text for anything else. */
export const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

function redirect({ statusCode, headers: { location } }: ApiResponse, request: Target): Failure {
	const target = isText(location) ? shortened(location, excerptLength) : 'another address';
	return unknownFailure(
		statusCode,
		`The base URL redirects to ${target}`,
		`Correct the base URL of the credential. Redirects are not followed, because they could send the API key elsewhere.${unknownWriteAdvice(request)}`,
	);
}

/** The failure for a response unlike the service's: a proxy's page, an empty body, another API. */
function foreignResponse(statusCode: number, body: unknown, request: Target): Failure {
	if (isGateway(statusCode)) {
		const message = `The gateway got no response from the service (status ${statusCode})`;
		return unknownFailure(statusCode, message, unknownAdvice(request));
	}
	const isFromProxy = statusCode === 413 || statusCode === 429;
	const what = isFromProxy
		? `A proxy in front of the service responded (status ${statusCode})`
		: `The base URL returned an unexpected response (status ${statusCode})`;
	const advice = isFromProxy
		? adviceFor(request, statusCode, '')
		: "Check that the credential's base URL is the service's address with its version segment, e.g. https://host.example/api/v1.";
	const message = `${what}: ${describe(body, request.endpoint.hasSecret)}`;
	return unknownFailure(statusCode, message, `${advice}${unknownWriteAdvice(request)}`);
}

function describe(body: unknown, hasSecret?: true): string {
	if (isEmpty(body)) return 'an empty body';
	if (typeof body !== 'string') return excerpt(body, hasSecret);
	if (/^\s*</.test(body)) return 'a web page';
	return hasSecret ? 'a text that is not JSON' : excerpt(body) || 'no readable text';
}

const isEmpty = (body: unknown): boolean => body === undefined || body === null || body === '';

/**
 * The beginning of a response on one line, without invisible characters and secrets.
 *
 * @param shapeOnly hides all values, because any of them may be a webhook's secret
 */
function excerpt(body: unknown, shapeOnly = false): string {
	const hidden = (name: string, value: unknown) =>
		/secret/i.test(name) || (shapeOnly && !isObject(value)) ? '…' : value;
	const text =
		typeof body === 'string'
			? // A body may be megabytes.
				body
					.slice(0, 10 * excerptLength)
					.replace(/[\s\p{Cc}\p{Cf}\uFFFD]+/gu, ' ')
					.replace(/(secret\W{1,5})[^\s"',;}]+/gi, '$1…')
					.trim()
			: JSON.stringify(body, hidden);
	return shortened(text, excerptLength);
}

const shortened = (text: string, length: number): string =>
	text.length > length ? `${text.slice(0, length)}…` : text;

/** Whether an `error` beside a success is none: null, false or empty. */
const isNone = (error: unknown): boolean =>
	!error || (isObject(error) ? size(error) === 0 : String(error).trim() === '');

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

/** Maximum characters of a screenshot in `details`: a URL or a small picture. */
const maxInlineLength = 2_000;

/**
 * Makes a function that moves a large screenshot of a failed `/chat/send` out of `details` (docs/contract.md,
 * section 5.1): the first of a run that continues on fail becomes a file. Its type is not documented.
 */
export function screenshotKeeper(
	context: object | Pick<IExecuteFunctions, 'continueOnFail' | 'helpers'>,
): (failure: Failure) => Promise<Failure> {
	let isFirst = true;
	return async (failure) => {
		const { message, facts } = failure;
		const { screenshot = '' } = facts;
		const text = typeof screenshot === 'string' ? screenshot : JSON.stringify(screenshot);
		if (text.length <= maxInlineLength) return failure;
		const withScreenshot = (shown: string, binary?: IBinaryKeyData) =>
			new Failure(message, { ...failure, facts: { ...facts, screenshot: shown }, binary });
		const leftOut = `left out, because it has ${text.length} characters. To get the first screenshot of a run as a file, set On Error to continue`;
		const isKept = isFirst && 'continueOnFail' in context && context.continueOnFail();
		if (!isKept) return withScreenshot(leftOut);
		isFirst = false;
		const [, type = 'image/png', data = text] = /^data:([^;]+);base64,(.+)$/.exec(text) ?? [];
		const isPicture = /^[\w+/]+=*$/.test(data);
		const content = Buffer.from(data, isPicture ? 'base64' : 'utf8');
		return await context.helpers
			.prepareBinaryData(content, 'screenshot', isPicture ? type : 'text/plain')
			.then(
				(file) => withScreenshot('screenshot', { screenshot: file }),
				() => withScreenshot(leftOut),
			);
	};
}
