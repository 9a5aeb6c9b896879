import { compact, escapeRegExp, isEqual, omitBy, pickBy, trimEnd, uniq } from 'lodash';
import {
	sleep,
	UserError,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
} from 'n8n-workflow';
import { multipart, type Form, type MultipartBody } from './binaryFile';
import type { Target } from './endpoints';
import {
	connectionLost,
	connectionFailure,
	Failure,
	InputFailure,
	isRead,
	itemName,
	thrownResponse,
} from './failure';
import { isGateway, receive, screenshotKeeper, type ApiResponse, type Redact } from './response';

/** One request to the service, before credentials and base URL are added. */
export interface ApiRequest extends Target {
	/** Values for the `:name` parts of the endpoint's path. */
	params?: Record<string, string>;
	query?: Record<string, string | number>;
	body?: IDataObject;
	form?: Form;
	/** Receives the headers of the response. */
	onHeaders?(headers: ApiResponse['headers']): void;
}

/** A copy without undefined and empty values, for which the service uses its defaults. */
export const withoutEmpty = <T extends IDataObject>(values: T): T =>
	pickBy(values, (value) => value !== undefined && value !== '') as T;

export interface CallOptions {
	/** Milliseconds until the request is aborted; one minute if absent. */
	timeout?: number;
	/** Does not repeat the request, because n8n itself repeats the whole step. */
	noRetry?: boolean;
	/** Repeats a read that this run has already made, instead of reusing its result. */
	fresh?: boolean;
}

/** Makes a request and returns the service's JSON; throws a `Failure`. */
export type Call = (request: ApiRequest, options?: CallOptions) => Promise<IDataObject>;

/** Passes on the service's time in milliseconds whenever a response has it. */
export const withServiceTime =
	(call: Call, onTime: (now: number) => void): Call =>
	async (request, options) => {
		const onHeaders: ApiRequest['onHeaders'] = ({ date }) => {
			const now = Date.parse(String(date));
			if (!Number.isNaN(now)) onTime(now);
		};
		return await call({ ...request, onHeaders }, options);
	};

/** Makes calls with one credential; also holds its base URL and allowed country codes. */
export type Connection = Call & { baseUrl: string; countryCodes: string[] };

type ApiContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

/** Makes a request with n8n's helper; returns the response with its body as a stream. */
type HttpSend = (options: IHttpRequestOptions, signal: AbortSignal) => Promise<ApiResponse>;

export const credentialType = 'messagingServiceApi';

export const defaultTimeout = 60_000;

const backOff = [500, 1_000, 2_000];

/** Connects with the credential of the node; throws InputFailure if it cannot be used. */
export async function connect(context: ApiContext): Promise<Connection> {
	const read = async (itemIndex: number) => await context.getCredentials(credentialType, itemIndex);
	const credentials = await read(0).catch((error: Error) => {
		throw new InputFailure(
			error.message,
			'Choose or create a credential in the node. If the previous one was deleted, create a new one with the same base URL.',
		);
	});
	if ('getInputData' in context) await checkSame(context.getInputData().length, credentials, read);
	// Passing the decrypted credential saves a database query and a decryption per request.
	const decrypted = {
		credentialsDecrypted: { id: '', name: '', type: credentialType, data: credentials },
	};
	const send: HttpSend = async (options, signal) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			// n8n ignores the signal of a request and uses that of the context.
			Object.assign(Object.create(context) as ApiContext, {
				getExecutionCancelSignal: () => signal,
			}),
			credentialType,
			{ ...options, abortSignal: signal },
			decrypted,
		)) as ApiResponse;
	const stopSignal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const keepScreenshot = screenshotKeeper(context);
	const call = connection(credentials, send, stopSignal);
	const keepingCall: Call = async (request, options) =>
		await call(request, options).catch(async (error: unknown) => {
			throw error instanceof Failure ? await keepScreenshot(error) : error;
		});
	return Object.assign(keepingCall, { baseUrl: call.baseUrl, countryCodes: call.countryCodes });
}

/**
 * Throws InputFailure if the expressions of a credential differ between the items: no message may go out through
 * another account. Each read costs n8n a query, so an index beyond the last item shows whether the item matters.
 */
async function checkSame(
	items: number,
	first: unknown,
	read: (itemIndex: number) => Promise<unknown>,
): Promise<void> {
	const differs = async (itemIndex: number) =>
		!isEqual(await read(itemIndex).catch(() => undefined), first);
	if (items < 2 || !(await differs(Number.MAX_SAFE_INTEGER))) return;
	for (let item = 1; item < items; item++) {
		if (!(await differs(item))) continue;
		throw new InputFailure(
			`The expressions of the credential return different values for ${itemName(0)} and ${itemName(item)}`,
			'Process the items one at a time (Loop Over Items), or use a separate node and credential for each account.',
		);
	}
}

/**
 * Makes calls with a credential. Reads are repeated after connection or gateway failures, other requests only if no
 * connection was made. Stopping the execution aborts all but sends. Throws InputFailure.
 */
export function connection(
	credentials: { baseUrl?: unknown; apiKey?: unknown; countryCodes?: unknown },
	send: HttpSend,
	stopSignal?: AbortSignal,
): Connection {
	const baseUrl = readBaseUrl(credentials.baseUrl);
	const base = new URL(baseUrl);
	const { host } = base;
	const redact = keyRedactor(readKey(credentials.apiKey));
	const countryCodes = readCountryCodes(credentials.countryCodes);
	const stoppable = withDeadline(stopSignal);
	const unstoppable = withDeadline();

	const attempt = async (request: ApiRequest, timeout: number): Promise<IDataObject | Failure> => {
		const { options, close } = await httpOptions(request, baseUrl, timeout);
		const withoutKey = ({ message, ...failure }: Failure): Failure =>
			new Failure(redact(message), failure);
		// Stopping the execution does not abort a send in flight: its outcome would be unknown.
		const limit = request.endpoint.paidFrom === undefined ? stoppable : unstoppable;
		const result = await limit(timeout, async (signal) => {
			const response = await send(options, signal).catch(
				(error: unknown) =>
					thrownResponse(error, base) ?? withoutKey(connectionFailure(error, request, host)),
			);
			if (response instanceof Failure) return response;
			request.onHeaders?.(response.headers);
			return await receive(response, request, redact, signal).catch((error: unknown) =>
				withoutKey(connectionLost(error, request, host)),
			);
		}).finally(close);
		return typeof result === 'string' ? connectionLost({ code: result }, request, host) : result;
	};

	const call: Call = async (request, { timeout = defaultTimeout, noRetry = false } = {}) => {
		let result = await attempt(request, timeout);
		for (const pause of noRetry ? [] : backOff) {
			if (!(result instanceof Failure) || !isSafeToRepeat(request, result)) break;
			await sleep(pause);
			if (stopSignal?.aborted) break;
			result = await attempt(request, timeout);
		}
		if (result instanceof Failure) throw result;
		return result;
	};
	return Object.assign(call, { baseUrl, countryCodes });
}

/**
 * Statuses that proxies use. n8n must throw these as errors, because an error contains the socket, which
 * shows whether a proxy responded.
 */
const proxyStatuses = [403, 407, 429, 502, 503, 504];

function isSafeToRepeat(
	request: ApiRequest,
	{ neverConnected, statusCode, facts: { code } }: Failure,
): boolean {
	if (neverConnected || !isRead(request)) return neverConnected;
	return isGateway(statusCode) || /^(ECONNRESET|EPIPE)$/.test(String(code));
}

/** A host and a path. The URL parser would drop line breaks and empty user names, and turn backslashes into /. */
const plainAddress = /^https?:\/\/[^\s\p{C}\\/?#@]+(\/[^\s\p{C}\\?#]*)?$/iu;

/** Maximum length of an address; longer ones could be slow to match. */
const maxAddressLength = 2_000;

/** Why a credential cannot be used. Its values are not quoted: they may contain a password. */
const invalidCredential = (problem: string, cure: string): InputFailure =>
	new InputFailure(problem, `Open the credential and enter ${cure}`);

function readBaseUrl(value: unknown): string {
	const baseUrl = trimEnd(String(value ?? '').trim(), '/');
	const isShort = baseUrl.length <= maxAddressLength;
	if (isShort && plainAddress.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
	throw invalidCredential(
		'The base URL of the credential is not a web address',
		"the service's address with its version segment, e.g. https://host.example/api/v1, without user name, query, fragment, spaces or backslashes.",
	);
}

function readKey(value: unknown): string {
	const key = String(value ?? '').trim();
	if (key !== '' && /^[\x20-\x7e\xa1-\xff]*$/.test(key)) return key;
	throw invalidCredential(
		key === '' ? 'API Key is empty' : 'The API key of the credential contains an invalid character',
		'the API key again, as the dashboard showed it in Settings > API Keys. If it is an expression, check that it returns a value.',
	);
}

/** The allowed country codes as digits; empty if every number is allowed (docs/contract.md, section 2). */
function readCountryCodes(value: unknown): string[] {
	const codes = compact(String(value ?? '').split(/[\s,;]+/)).map((code) =>
		code.replace(/^\+/, ''),
	);
	if (codes.every((code) => /^[1-9]\d{0,6}$/.test(code))) return codes;
	throw invalidCredential(
		'Allowed Country Codes in the credential is not a list of country codes',
		'the codes as digits separated by commas, e.g. 44, 1. Leave the field empty to allow every number.',
	);
}

/** The header that carries the key (docs/service.md, section 5.1). */
export const keyHeader = (key: unknown) => ({ 'x-api-key': String(key).trim() });

/** A request of any node with this credential; n8n's HTTP Request node has its URL in `uri`. */
type AnyRequest = Omit<IHttpRequestOptions, 'url'> & { url?: unknown; uri?: unknown };

/**
 * Adds the key to any node's request, but only below the base URL, without proxy, redirects and Host header:
 * otherwise users of a shared credential could send the key to their own server. Throws UserError.
 */
export function withKey(
	credentials: { baseUrl?: unknown; apiKey?: unknown },
	{ headers = {}, ...options }: IHttpRequestOptions,
): IHttpRequestOptions {
	const { url, uri, baseURL, proxy }: AnyRequest = options;
	const target = String(url ?? uri);
	if (baseURL !== undefined || !isBelow(target, readBaseUrl(credentials.baseUrl))) {
		throw new UserError('This credential works only for URLs that begin with its base URL', {
			description: 'Use a URL that begins with the base URL of the credential.',
		});
	}
	if (proxy) {
		throw new UserError('This credential cannot be used with the Proxy option of a node', {
			description:
				"Remove the option Proxy. If a proxy is needed, set it in n8n's environment variables.",
		});
	}
	const kept = omitBy(headers, (_, name) => /^(host|x-api-key)$/i.test(name));
	const noRedirects = {
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};
	return { ...options, ...noRedirects, headers: { ...kept, ...keyHeader(credentials.apiKey) } };
}

/** Whether an address is the base URL or below it, however a server decodes the path. */
function isBelow(target: string, baseUrl: string): boolean {
	if (!URL.canParse(target)) return false;
	const [url, base] = [new URL(target), new URL(baseUrl)];
	const path = url.pathname.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
	return (
		url.origin === base.origin &&
		url.username + url.password === '' &&
		`${url.pathname}/`.startsWith(`${trimEnd(base.pathname, '/')}/`) &&
		!path.split('/').includes('..')
	);
}

/**
 * Hides the key in case the service sends it back: as plain text, in JSON, a URL, hex, or Base64 at any
 * offset. Parts and other encodings of the key are not recognized.
 */
function keyRedactor(key: string): Redact {
	// A shorter text is not a key and could be part of any word.
	if (key.length < 8) return (text) => text;
	const bytes = Buffer.from(key);
	// Base64 turns three bytes into four characters, so the key has three forms, by its offset.
	const base64 = [0, 1, 2].map((before) =>
		Buffer.concat([Buffer.alloc(before), bytes])
			.toString('base64')
			.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3)),
	);
	const forms = [
		JSON.stringify(key).slice(1, -1),
		encodeURIComponent(key),
		key,
		...base64,
		...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
		bytes.toString('hex'),
		bytes.toString('hex').toUpperCase(),
	];
	const pattern = new RegExp(uniq(forms).map(escapeRegExp).join('|'), 'g');
	return (text) => text.replace(pattern, '[API key]');
}

/** The path of a request; throws InputFailure for a parameter that would change the path. */
export const pathOf = ({ endpoint, params = {} }: ApiRequest): string =>
	endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
		const value = params[name] ?? '';
		// URL parsers drop empty segments, `.` and `..`, and a URL cannot contain a lone surrogate.
		if (!/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value)) return encodeURIComponent(value);
		throw new InputFailure(
			`The ${name} ${JSON.stringify(value)} cannot be part of a URL`,
			'Correct the parameter or the input item that fills it.',
		);
	});

/**
 * A request for n8n's helper. The response is a stream, so that only the needed part of it is read and
 * unpacked. Call `close` however the request ends.
 */
async function httpOptions(request: ApiRequest, baseUrl: string, timeout: number) {
	const { endpoint, query, body, form } = request;
	const url = `${baseUrl}${pathOf(request)}`;
	const json = body && {
		body: Buffer.from(JSON.stringify(body)),
		headers: { 'Content-Type': 'application/json' },
	};
	const {
		close = () => {},
		headers,
		...content
	}: Partial<MultipartBody> = form ? await multipart(form) : { ...json };
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url,
		headers: { Accept: 'application/json', ...headers },
		...(query && { qs: query }),
		...content,
		timeout,
		encoding: 'stream',
		// Following a redirect would send the key elsewhere and buffer the whole body.
		disableFollowRedirect: true,
		// The node judges the status itself: n8n would repeat a 401 and hide the service's text.
		ignoreHttpStatusErrors: { ignore: true, except: proxyStatuses },
		returnFullResponse: true,
	};
	return { options, close };
}

/** Why work was aborted: it timed out, or the execution was stopped. */
type AbortReason = 'ECONNABORTED' | 'ERR_CANCELED';

/** Passed to `abort` to end the timer of finished work. One shared error, because creating an error is slow. */
const over = new Error('The work is done');

/**
 * Makes a function that runs work within milliseconds and returns its result, or why it was aborted. All work shares
 * one listener: Node 20 warns at eleven, and never removes those that `AbortSignal.any` adds.
 */
export function withDeadline(stopSignal?: AbortSignal) {
	const running = new Set<AbortController>();
	const stop = () => {
		for (const controller of running) controller.abort('ERR_CANCELED' satisfies AbortReason);
	};
	return async <T>(
		timeout: number,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T | AbortReason> => {
		const controller = new AbortController();
		const { signal } = controller;
		const aborted = new Promise<AbortReason>((resolve) => {
			signal.addEventListener('abort', () => resolve(signal.reason as AbortReason));
		});
		if (running.size === 0) stopSignal?.addEventListener('abort', stop);
		running.add(controller);
		if (stopSignal?.aborted) stop();
		const late = () => controller.abort('ECONNABORTED' satisfies AbortReason);
		sleep(timeout, signal).then(late, () => {});
		try {
			return await Promise.race([aborted, work(signal)]);
		} finally {
			running.delete(controller);
			if (running.size === 0) stopSignal?.removeEventListener('abort', stop);
			controller.abort(over);
		}
	};
}
