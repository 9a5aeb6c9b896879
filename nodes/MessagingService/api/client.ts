import { escapeRegExp, isEqual, omitBy, pickBy, trimEnd, uniq } from 'lodash';
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
import type { Asked } from './endpoints';
import {
	brokenOff,
	connectionFailure,
	Failure,
	InputFailure,
	isRead,
	itemName,
	thrownResponse,
} from './failure';
import { isGateway, receive, screenshotKeeper, type ApiResponse, type Hide } from './response';

/** One request to the service, before credentials and base URL are added. */
export interface ApiRequest extends Asked {
	/** Values for the `:name` parts of the endpoint's path. */
	params?: Record<string, string>;
	query?: Record<string, string | number>;
	/** Sent as JSON. */
	body?: IDataObject;
	form?: Form;
	/** Told the headers of the response. */
	heard?(headers: ApiResponse['headers']): void;
}

/** A copy without the values that are undefined or empty: the service's defaults apply then. */
export const withoutEmpty = <T extends IDataObject>(values: T): T =>
	pickBy(values, (value) => value !== undefined && value !== '') as T;

/** How one request is made. */
export interface CallOptions {
	/** Milliseconds until the request is given up; a minute if not set. */
	timeout?: number;
	/** No repetition of failed reads, where n8n itself repeats the whole step. */
	once?: boolean;
	/** Whether a read is made although it was made before in this run: the list has changed since. */
	fresh?: boolean;
}

/** Makes a request and returns the service's JSON; throws a `Failure`. */
export type Call = (request: ApiRequest, options?: CallOptions) => Promise<IDataObject>;

/** The same calls, which also tell the service's time in milliseconds, where a response has it. */
export const telling =
	(call: Call, tell: (now: number) => void): Call =>
	async (request, options) => {
		const heard: ApiRequest['heard'] = ({ date }) => {
			const now = Date.parse(String(date));
			if (!Number.isNaN(now)) tell(now);
		};
		return await call({ ...request, heard }, options);
	};

/** A way to the service, its address, and the country codes that may be reached. */
export type Connection = Call & { baseUrl: string; countryCodes: string[] };

/** Every n8n context that requests are made from. */
type ApiContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions;

/** Makes a request with n8n's means; gives the response with its body as a stream. */
type Send = (options: IHttpRequestOptions, signal: AbortSignal) => Promise<ApiResponse>;

export const credentialType = 'messagingServiceApi';

/** Milliseconds a request may take unless the user says otherwise. */
export const defaultTimeout = 60_000;

/** Milliseconds before each further try. */
const backOff = [500, 1_000, 2_000];

/** The calls of a run, by the credential of the node; throws InputFailure where that cannot be used. */
export async function connect(context: ApiContext): Promise<Connection> {
	const read = async (itemIndex: number) => await context.getCredentials(credentialType, itemIndex);
	const credentials = await read(0).catch((error: Error) => {
		throw new InputFailure(
			error.message,
			'Choose a credential in the node. If it was deleted, create a new one with the same base URL.',
		);
	});
	if ('getInputData' in context) await checkSame(context.getInputData().length, credentials, read);
	// Handing the decrypted credential over saves a database query and a decryption per request.
	const decrypted = {
		credentialsDecrypted: { id: '', name: '', type: credentialType, data: credentials },
	};
	const send: Send = async (options, signal) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			// n8n takes the signal of a request from the context, and knows no other than the execution's.
			Object.assign(Object.create(context) as ApiContext, {
				getExecutionCancelSignal: () => signal,
			}),
			credentialType,
			{ ...options, abortSignal: signal },
			decrypted,
		)) as ApiResponse;
	const stopped =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const keepScreenshot = screenshotKeeper(context);
	const call = connection(credentials, send, stopped);
	const keeping: Call = async (request, options) =>
		await call(request, options).catch(async (error: unknown) => {
			throw error instanceof Failure ? await keepScreenshot(error) : error;
		});
	return Object.assign(keeping, { baseUrl: call.baseUrl, countryCodes: call.countryCodes });
}

/**
 * Throws InputFailure where the expressions of a credential give an item another one: a run has one
 * credential, and nobody may be written to through somebody else's account. Far behind the last item an
 * expression that reads the item gives something else or throws; only then every item is looked at,
 * because each look costs n8n a query.
 */
async function checkSame(
	items: number,
	first: unknown,
	read: (itemIndex: number) => Promise<unknown>,
): Promise<void> {
	const other = async (itemIndex: number) =>
		!isEqual(await read(itemIndex).catch(() => undefined), first);
	if (items < 2 || !(await other(Number.MAX_SAFE_INTEGER))) return;
	for (let item = 1; item < items; item++) {
		if (!(await other(item))) continue;
		throw new InputFailure(
			`The expressions of the credential return different values for ${itemName(0)} and ${itemName(item)}`,
			'Process the items one at a time (Loop Over Items), or use a separate node and credential for each account.',
		);
	}
}

/**
 * The calls that a credential allows, by whatever means they are made. A read is repeated when the
 * connection or a gateway fails; anything else only when no connection was made at all, since it may
 * have been carried out. A stopped execution ends reads, and what has not been sent yet. Throws
 * InputFailure when the credential cannot be used.
 */
export function connection(
	credentials: { baseUrl?: unknown; apiKey?: unknown; countryCodes?: unknown },
	send: Send,
	stopped?: AbortSignal,
): Connection {
	const baseUrl = readBaseUrl(credentials.baseUrl);
	const base = new URL(baseUrl);
	const { host } = base;
	const hide = hiding(readKey(credentials.apiKey));
	const countryCodes = readCountryCodes(credentials.countryCodes);
	const untilStopped = limiting(stopped);
	const toItsEnd = limiting();

	const attempt = async (request: ApiRequest, timeout: number): Promise<IDataObject | Failure> => {
		const { options, close } = await httpOptions(request, baseUrl, timeout);
		const without = ({ message, ...failure }: Failure): Failure =>
			new Failure(hide(message), failure);
		// A send that is under way is not ended with the execution: nobody would know whether it arrived.
		const limit = request.endpoint.paidFrom === undefined ? untilStopped : toItsEnd;
		const result = await limit(timeout, async (signal) => {
			const response = await send(options, signal).catch(
				(error: unknown) =>
					thrownResponse(error, base) ?? without(connectionFailure(error, request, host)),
			);
			if (response instanceof Failure) return response;
			request.heard?.(response.headers);
			return await receive(response, request, hide, signal).catch((error: unknown) =>
				without(brokenOff(error, request, host)),
			);
		}).finally(close);
		return typeof result === 'string' ? brokenOff({ code: result }, request, host) : result;
	};

	const call: Call = async (request, { timeout = defaultTimeout, once = false } = {}) => {
		let result = await attempt(request, timeout);
		for (const pause of once ? [] : backOff) {
			if (!(result instanceof Failure) || !isSafeToRepeat(request, result)) break;
			await sleep(pause);
			if (stopped?.aborted) break;
			result = await attempt(request, timeout);
		}
		if (result instanceof Failure) throw result;
		return result;
	};
	return Object.assign(call, { baseUrl, countryCodes });
}

/** Statuses that proxies use: n8n throws these, with the connection that they came over. */
const proxyStatuses = [403, 407, 429, 502, 503, 504];

function isSafeToRepeat(
	request: ApiRequest,
	{ neverConnected, statusCode, facts: { code } }: Failure,
): boolean {
	if (neverConnected || !isRead(request)) return neverConnected;
	return isGateway(statusCode) || /^(ECONNRESET|EPIPE)$/.test(String(code));
}

/**
 * A host and a path. The parser itself takes away line breaks and empty user names and turns
 * backslashes, and a path that is put behind a query would never reach the service.
 */
const plainAddress = /^https?:\/\/[^\s\p{C}\\/?#@]+(\/[^\s\p{C}\\?#]*)?$/iu;

/** Characters of an address, before any pattern reads it. */
const longestAddress = 2_000;

/** The credential's base URL, trimmed; an InputFailure does not repeat it: there may be a password in it. */
function readBaseUrl(value: unknown): string {
	const baseUrl = trimEnd(String(value ?? '').trim(), '/');
	const isShort = baseUrl.length <= longestAddress;
	if (isShort && plainAddress.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
	throw new InputFailure(
		'The base URL of the credential is not a web address',
		'Open the credential and enter the service root with its version segment, e.g. https://host.example/api/v1, without user name, query, fragment, spaces or backslashes.',
	);
}

/** The credential's API key, trimmed; an InputFailure does not repeat it. */
function readKey(value: unknown): string {
	const key = String(value ?? '').trim();
	if (key === '') {
		throw new InputFailure(
			'API Key is empty',
			'Open the credential and enter the API key. If it is an expression, check that it returns a value.',
		);
	}
	if (/^[\x20-\x7e\xa1-\xff]*$/.test(key)) return key;
	throw new InputFailure(
		'The API key of the credential contains an invalid character',
		'Open the credential and enter the API key again, as the dashboard showed it in Settings > API Keys.',
	);
}

/** The allowed country codes as digits; none if every number is allowed (docs/contract.md, section 2). */
function readCountryCodes(value: unknown): string[] {
	const codes = String(value ?? '')
		.split(/[\s,;]+/)
		.filter((code) => code !== '')
		.map((code) => code.replace(/^\+/, ''));
	if (codes.every((code) => /^[1-9]\d{0,6}$/.test(code))) return codes;
	throw new InputFailure(
		'Allowed Country Codes in the credential is not a list of country codes',
		'Open the credential and enter the codes as digits separated by commas, e.g. 44, 1. Leave the field empty to allow every number.',
	);
}

/** The header that carries the key (docs/service.md, section 5.1). */
export const keyHeader = (key: unknown) => ({ 'x-api-key': String(key).trim() });

/** A request of any node with this credential; n8n's HTTP Request node calls the address `uri`. */
type AnyRequest = Omit<IHttpRequestOptions, 'url'> & { url?: unknown; uri?: unknown };

/**
 * Adds the key to a request of any node, if it goes to the base URL or below. Whoever may only use a
 * shared credential could read the key otherwise, by sending it to a server of their own: also through
 * a proxy, a redirect, or a Host header that a shared server answers for somebody else. Throws UserError.
 */
export function withKey(
	credentials: { baseUrl?: unknown; apiKey?: unknown },
	{ headers = {}, ...options }: IHttpRequestOptions,
): IHttpRequestOptions {
	const { url, uri, baseURL, proxy }: AnyRequest = options;
	const target = String(url ?? uri);
	if (baseURL !== undefined || !isBelow(target, readBaseUrl(credentials.baseUrl))) {
		throw new UserError('This credential works only for addresses below its base URL', {
			description: 'Use an address that begins with the base URL of the credential.',
		});
	}
	if (proxy) {
		throw new UserError('This credential cannot be used with the Proxy option of a node', {
			description:
				"Remove the option Proxy. The proxy of n8n's environment variables still applies.",
		});
	}
	const others = omitBy(headers, (_, name) => /^(host|x-api-key)$/i.test(name));
	const noRedirects = {
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};
	return { ...options, ...noRedirects, headers: { ...others, ...keyHeader(credentials.apiKey) } };
}

/** Whether an address is another one or below it, at the end of a path segment, however a server decodes it. */
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
 * Hides the key as it is, in JSON, in a URL, in hex and in Base64, alone or behind other text, should the
 * service send it back. A part of the key and what the service makes of it otherwise are not known.
 */
function hiding(key: string): Hide {
	// Shorter texts are no keys and could be part of any word.
	if (key.length < 8) return (text) => text;
	const bytes = Buffer.from(key);
	// In Base64 three bytes are four characters: where the key begins in them makes three forms of it.
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

/** The path of a request; throws InputFailure for a parameter that would lead to another path. */
export const pathOf = ({ endpoint, params = {} }: ApiRequest): string =>
	endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
		const value = params[name] ?? '';
		// A URL is read without dots and empty parts, and cannot hold half a character.
		if (!/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value)) return encodeURIComponent(value);
		throw new InputFailure(
			`The ${name} ${JSON.stringify(value)} cannot be part of a URL`,
			'Correct the parameter or the input item it comes from.',
		);
	});

/**
 * A request as n8n's helper takes it; the response comes as a stream, so that no more of it is read
 * and unpacked than is wanted. `close` is called when the request is over, however it has ended.
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
		...written
	}: Partial<MultipartBody> = form ? await multipart(form) : { ...json };
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url,
		headers: { Accept: 'application/json', ...headers },
		...(query && { qs: query }),
		...written,
		timeout,
		encoding: 'stream',
		// Following a redirect would carry the key elsewhere and buffer the whole body.
		disableFollowRedirect: true,
		// The status is ours to judge: n8n would repeat a 401 and hide the service's text.
		ignoreHttpStatusErrors: { ignore: true, except: proxyStatuses },
		returnFullResponse: true,
	};
	return { options, close };
}

/** Why work was ended before it was done: its time was over, or the execution was stopped. */
type Ending = 'ECONNABORTED' | 'ERR_CANCELED';

/** Ends what still waits for work that is done. Made once: an error for each takes longer than the rest. */
const over = new Error('The work is done');

/**
 * Gives a function that does a piece of work in so many milliseconds: it gives what the work gives, or
 * why it was ended, by one signal for time and stop, and leaves nothing behind. However many are under
 * way, `stopped` has one listener: Node 20 warns of eleven, and never forgets what `AbortSignal.any` has
 * added.
 */
export function limiting(stopped?: AbortSignal) {
	const underWay = new Set<AbortController>();
	const stop = () => {
		for (const one of underWay) one.abort('ERR_CANCELED' satisfies Ending);
	};
	return async <T>(
		timeout: number,
		work: (signal: AbortSignal) => Promise<T>,
	): Promise<T | Ending> => {
		const limit = new AbortController();
		const { signal } = limit;
		const ended = new Promise<Ending>((resolve) => {
			signal.addEventListener('abort', () => resolve(signal.reason as Ending));
		});
		if (underWay.size === 0) stopped?.addEventListener('abort', stop);
		underWay.add(limit);
		if (stopped?.aborted) stop();
		const late = () => limit.abort('ECONNABORTED' satisfies Ending);
		sleep(timeout, signal).then(late, () => {});
		try {
			return await Promise.race([ended, work(signal)]);
		} finally {
			underWay.delete(limit);
			if (underWay.size === 0) stopped?.removeEventListener('abort', stop);
			limit.abort(over);
		}
	};
}
