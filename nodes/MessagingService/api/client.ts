import { isEqual, pickBy } from 'lodash';
import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
} from 'n8n-workflow';
import { decryptedOption, noItem, withSignal } from '../n8n';
import { multipart, type Form, type MultipartBody } from './binaryFile';
import {
	credentialType,
	readBaseUrl,
	readCountryCodes,
	readKey,
	type Credential,
} from './credential';
import { withDeadline } from './deadline';
import type { ApiResponse, Target } from './endpoints';
import {
	connectionLost,
	connectionFailure,
	Failure,
	InputFailure,
	isRead,
	itemName,
	thrownResponse,
} from './failure';
import { redactor } from './redact';
import { isGateway, receive, screenshotKeeper } from './response';

/** One request to the service, before credentials and base URL are added. */
export interface ApiRequest extends Target {
	/** Values for the `:name` parts of the endpoint's path. */
	params?: Record<string, string>;
	query?: Record<string, string | number>;
	body?: IDataObject;
	form?: Form;
	/**
	 * Called with each response: when the request began, in milliseconds of n8n's clock, and `ahead` of `ServiceClock`
	 * if the response shows it.
	 */
	onTimed?(began: number, ahead: number | undefined): void;
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

/** Makes calls with one credential; also holds its base URL and allowed country codes. */
export type Connection = Call & { baseUrl: string; countryCodes: string[] };

type ApiContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

/** Makes a request with n8n's helper; returns the response with its body as a stream. */
type HttpSend = (options: IHttpRequestOptions, signal: AbortSignal) => Promise<ApiResponse>;

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
	const decrypted = decryptedOption(credentialType, credentials);
	const send: HttpSend = async (options, signal) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
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
 * another account. Each read costs n8n a query, so the first is that of no item, which shows whether the item matters.
 */
async function checkSame(
	items: number,
	first: unknown,
	read: (itemIndex: number) => Promise<unknown>,
): Promise<void> {
	const differs = async (itemIndex: number) =>
		!isEqual(await read(itemIndex).catch(() => undefined), first);
	if (items < 2 || !(await differs(noItem))) return;
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
	credentials: Credential,
	send: HttpSend,
	stopSignal?: AbortSignal,
): Connection {
	const baseUrl = readBaseUrl(credentials.baseUrl);
	const base = new URL(baseUrl);
	const { host } = base;
	const redact = redactor(readKey(credentials.apiKey), '[API key]');
	const countryCodes = readCountryCodes(credentials.countryCodes);
	const stoppable = withDeadline(stopSignal);
	const unstoppable = withDeadline();

	const attempt = async (request: ApiRequest, timeout: number): Promise<IDataObject | Failure> => {
		const began = Date.now();
		const { options, close } = await httpOptions(request, baseUrl, timeout);
		const withoutKey = ({ message, description, ...failure }: Failure): Failure =>
			new Failure(redact(message), { ...failure, description: redact(description) });
		// Stopping the execution does not abort a send in flight: its outcome would be unknown.
		const limit = request.endpoint.paidFrom === undefined ? stoppable : unstoppable;
		const result = await limit(timeout, async (signal) => {
			const response = await send(options, signal).catch(
				(error: unknown) =>
					thrownResponse(error, base) ?? withoutKey(connectionFailure(error, request, host)),
			);
			if (response instanceof Failure) return response;
			const ahead = Date.parse(String(response.headers.date)) - Date.now();
			request.onTimed?.(began, Number.isNaN(ahead) ? undefined : ahead);
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
