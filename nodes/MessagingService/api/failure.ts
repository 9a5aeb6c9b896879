import { castArray, invoke, isObject, isString } from 'lodash';
import {
	NodeApiError,
	type IAllExecuteFunctions,
	type IBinaryKeyData,
	type IDataObject,
	type JsonObject,
} from 'n8n-workflow';
import type { ApiResponse, Endpoint, Target } from './endpoints';

/** Whether a request changes nothing, so that it can be repeated. */
export const isRead = ({ endpoint }: Target): boolean => endpoint.method === 'GET';

/**
 * The outcome of a request:
 * - `accepted`: the service carried it out;
 * - `rejected`: the service responded with an error and did not act;
 * - `unknown`: it may have reached the service;
 * - `notSent`: no request was sent.
 */
export type Outcome = 'accepted' | 'rejected' | 'unknown' | 'notSent';

/** Whether the service certainly carried out nothing. */
export const isUnsent = (outcome: Outcome): boolean =>
	outcome === 'rejected' || outcome === 'notSent';

type FailureProperties = Pick<Failure, 'outcome' | 'description'> &
	Partial<Omit<Failure, keyof Error>>;

/** A failed request in words for the user. Contains no header, no key and no request. */
export class Failure extends Error {
	readonly outcome!: Exclude<Outcome, 'accepted'>;

	readonly description!: string;

	/** HTTP status of the response; null without one. */
	readonly statusCode: number | null = null;

	/** Further facts for `details` of a failed item, such as the `screenshot` of a failed send. */
	readonly facts: IDataObject = {};

	/** Files that belong to the failed item. */
	readonly binary: IBinaryKeyData | undefined;

	/** Whether the run as a whole has failed, so that no item is to blame. */
	readonly isOfRun: boolean = false;

	/** Whether no connection was made, so that another attempt cannot send twice. */
	readonly neverConnected: boolean = false;

	/** @param message may quote the service or an item; here it loses control characters, which would forge log lines */
	constructor(message: string, properties: FailureProperties) {
		super(message.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim());
		Object.assign(this, properties);
	}

	/**
	 * This failure for a send: if it is `unknown`, its message also says that the request may have been sent,
	 * because some views show only messages.
	 */
	ofSend(): Failure {
		if (this.outcome !== 'unknown') return this;
		const message = `${this.message.replace(/\.$/, '')}. The request may have been sent: check before resending`;
		return new Failure(message, this);
	}

	/** This failure as `unknown`, because the request may have been carried out; adds advice. */
	asUnknown(addition: string): Failure {
		if (this.outcome === 'unknown') return this;
		const description = `${this.description} ${addition}`;
		return new Failure(this.message, { ...this, outcome: 'unknown', description });
	}
}

/** An invalid value, found before any request. */
export class InputFailure extends Failure {
	constructor(message: string, description: string, facts: IDataObject = {}) {
		super(message, { outcome: 'notSent', description, facts });
	}
}

/** The name of an input item in texts: counted from 0, as in the "[item 0]" that n8n adds to messages. */
export const itemName = (itemIndex: number): string => `item ${itemIndex}`;

/** The value of a promise, or the `Failure` that it was rejected with; other errors are thrown. */
export async function failureOr<T>(work: Promise<T>): Promise<T | Failure> {
	return await work.catch((error: unknown) => {
		if (error instanceof Failure) return error;
		throw error;
	});
}

/**
 * Runs a step, such as publishing, polling or loading a list for the editor. If the step fails, throws a
 * NodeApiError with the advice in its message, because n8n shows only the message.
 */
export async function withAdvice<T>(
	context: Pick<IAllExecuteFunctions, 'getNode'>,
	step: () => Promise<T>,
	adviceOf: (failure: Failure) => string = ({ description }) => description,
): Promise<T> {
	const result = await failureOr(step());
	if (!(result instanceof Failure)) return result;

	const { message, statusCode } = result;
	const error = new NodeApiError(context.getNode(), { error: message } as JsonObject, {
		httpCode: statusCode === null ? undefined : String(statusCode),
	});
	error.message = `${message.replace(/\.$/, '')}. ${adviceOf(result)}`;
	throw error;
}

/** What to do after an error of the service (docs/service.md, section 7). */
export function adviceFor({ endpoint }: Target, statusCode: number, text: string): string {
	const { advice = {}, paidFrom = 'credits', scope } = endpoint;
	const [, named = scope ?? 'that the error names'] = /'([a-z]+:[a-z-]+)'/.exec(text) ?? [];
	const otherAdvice =
		"Correct what the error names. If it names nothing, contact the service's support.";
	const general: Endpoint['advice'] = {
		400: 'Correct the field that the error names.',
		401: 'Check the API key of the credential, or re-enable it on the dashboard in Settings > API Keys. A test key (with _test_ in it) does not work at the production address.',
		402: `Top up the ${paidFrom} of the account. Account > Get Balance shows what remains.`,
		403: `On the dashboard, in Settings > API Keys, create a key with the scope ${named}, and enter it in the credential.`,
		404: 'Check that the base URL of the credential ends in the version segment, e.g. /api/v1, and that every ID in this node exists.',
		413: 'Send less at once: a smaller file, fewer recipients or a shorter text. The service or a proxy in front of it rejected the request as too large.',
		429: 'Try again later. If the operation has the option Throttling, set it to fewer requests at once. The limit comes from a proxy: the service itself has none.',
		500: "If this happens again, contact the service's support.",
	};
	return advice[statusCode] ?? general[statusCode] ?? otherAdvice;
}

/** How to find out whether a request with an unknown outcome was carried out. */
export function unknownAdvice({ endpoint: { lookUpAdvice } }: Target): string {
	return lookUpAdvice === undefined
		? 'Check that the service can be reached, then try again.'
		: `${lookUpAdvice} To resend from a failed execution, add the option "Try Again If Uncertain", save, and choose "Retry with currently saved workflow".`;
}

/** `unknownAdvice`, to append to advice about the base URL or TLS; empty for a read. */
export const unknownWriteAdvice = (request: Target): string =>
	isRead(request) ? '' : ` ${unknownAdvice(request)}`;

/** The parts of a thrown error that show how far a request got. */
interface ConnectionError {
	name?: unknown;
	message?: unknown;
	description?: unknown;
	/** Only n8n's own errors have this property. */
	shouldReport?: unknown;
	code?: unknown;
	syscall?: unknown;
	/** Target of the connection, by address or by name. */
	address?: unknown;
	port?: unknown;
	hostname?: unknown;
	cause?: unknown;
	errors?: unknown;
	/** The failed request of Node.js. */
	request?: { socket?: { alpnProtocol?: unknown; encrypted?: unknown } | null };
	/** The response, if n8n throws because of its status. */
	response?: { status: number; headers: ApiResponse['headers']; data: unknown };
}

// Codes of OpenSSL and Node for a rejected certificate, before anything is sent.
const certificateErrorCode =
	/^(CERT_|CRL_|ERR_TLS_CERT_ALTNAME|ERROR_IN_C|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** What to do if the TLS handshake fails. */
const tlsAdvice =
	"Check the base URL. If the host supports only HTTP, the base URL must begin with http://. Otherwise, n8n rejected the host's certificate or TLS settings.";

/**
 * Turns an error without a response (a NodeApiError around an axios error, or n8n's own) into a `Failure`, which is
 * `notSent` only if the error proves it. Messages show only the host of the base URL.
 */
export function connectionFailure(thrown: unknown, request: Target, host: string): Failure {
	const chain = causes(thrown);
	const code = firstText(chain, 'code') ?? '';
	const facts = code === '' ? {} : { code };
	const notSent = (message: string, description: string, neverConnected = false) =>
		new Failure(message, { outcome: 'notSent', description, neverConnected, facts });

	const proxy = proxyIn(chain, host);
	const who = proxy ? `n8n's proxy ${proxy}` : host;
	if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
		const advice = 'Check the base URL of the credential and the DNS of the machine n8n runs on.';
		const name = proxy ? who : `The host ${host}`;
		return notSent(`${name} was not found`, proxy ? proxyAdvice(host) : advice, true);
	}
	if (code === 'ECONNREFUSED' || chain.some(({ syscall }) => syscall === 'connect')) {
		const message = `${who} refused the connection or could not be reached`;
		const advice = 'Check the base URL of the credential and whether the service is running.';
		return notSent(message, proxy ? proxyAdvice(host) : advice, true);
	}
	const text = firstText([...chain].reverse(), 'message');
	// Node sends nothing before the TLS handshake is done, and this property is null until then.
	const isHandshakeMissing = chain.some(({ request }) => request?.socket?.alpnProtocol === null);
	if (isHandshakeMissing || chain.some((error) => certificateErrorCode.test(String(error.code)))) {
		return notSent(`No secure connection to ${host}: ${text}`, tlsAdvice);
	}
	// Errors that n8n throws itself, such as those of its SSRF protection, without those that only wrap others.
	// If npm has installed a second n8n-workflow, their classes are not those that this package imports.
	const n8nErrors = chain.filter(
		({ shouldReport, name }) => shouldReport !== undefined && name !== 'NodeApiError',
	);
	if (n8nErrors.length === 0) {
		// With a proxy, a request has no socket until the proxy has connected to the host.
		const isTunnelMissing = chain.some(({ request: made }) => made?.socket === null);
		if (!isTunnelMissing) return connectionLost(thrown, request, host);
		return notSent(`n8n's proxy could not connect to ${host}: ${text}`, proxyAdvice(host), true);
	}
	return notSent(
		firstText(n8nErrors, 'message') ?? 'The request could not be made',
		`n8n stopped the request before sending it. ${firstText(n8nErrors, 'description') ?? 'Check the credential and its base URL.'}`,
	);
}

/** The proxy in front of the host, if a connection to that proxy has failed. */
function proxyIn(chain: ConnectionError[], host: string): string | undefined {
	const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
	const ports = port === undefined ? ['80', '443'] : [port];
	const error = chain.find((one) =>
		one.port === undefined
			? isString(one.hostname) && one.hostname !== name
			: !ports.includes(String(one.port)),
	);
	if (!error) return undefined;
	return error.port === undefined
		? String(error.hostname)
		: `${String(error.address)}:${String(error.port)}`;
}

/** What to do if a proxy between n8n and the service fails. */
const proxyAdvice = (host: string): string =>
	`Check the proxy's address and password in n8n's environment variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY. The proxy must allow ${host}. To connect without the proxy, add this host to NO_PROXY.`;

/**
 * The response in an error of n8n's helper. For an https:// address, a response without TLS is a Failure: a
 * proxy responded to CONNECT, and there was no connection to the service.
 */
export function thrownResponse(
	thrown: unknown,
	{ protocol, host }: URL,
): ApiResponse | Failure | undefined {
	const { request, response } = causes(thrown).find((error) => error.response) ?? {};
	if (!response) return undefined;
	const { status: statusCode, headers, data: body } = response;
	const isTunnelMissing = request?.socket && request.socket.encrypted !== true;
	if (protocol !== 'https:' || !isTunnelMissing) return { statusCode, headers, body };
	invoke(body, 'destroy');
	return new Failure(`n8n's proxy refused to connect to ${host} (status ${statusCode})`, {
		outcome: 'notSent',
		statusCode,
		description: proxyAdvice(host),
		neverConnected: true,
	});
}

/** A request that may have been sent before it failed: its outcome is unknown. */
export function connectionLost(thrown: unknown, request: Target, host: string): Failure {
	const code = firstText(causes(thrown), 'code') ?? '';
	const isTls = /^(EPROTO|ERR_SSL_)/.test(code);
	const description = isTls ? `${tlsAdvice}${unknownWriteAdvice(request)}` : unknownAdvice(request);
	const facts = code === '' ? {} : { code };
	return new Failure(lossMessage(code, isTls, host), { outcome: 'unknown', description, facts });
}

function lossMessage(code: string, isTls: boolean, host: string): string {
	if (isTls) return `The secure connection to ${host} was interrupted (${code})`;
	if (/^(ECONNABORTED|ETIMEDOUT)$/.test(code)) return `${host} did not respond within the timeout`;
	if (code === 'ERR_CANCELED') return 'The execution was stopped before the response arrived';
	// Z_ and ERR__ERROR_: decompression; HPE_: parsing HTTP.
	return /^(Z_|ERR__ERROR_|HPE_)/.test(code)
		? `Could not read the response from ${host} (${code})`
		: `The connection to ${host} was lost before the response ended`;
}

/** The error, its causes and the errors of an AggregateError (one per attempted address). */
function causes(error: unknown, found: ConnectionError[] = []): ConnectionError[] {
	if (!isObject(error) || found.includes(error)) return found;
	const { cause, errors } = error as ConnectionError;
	found.push(error);
	for (const inner of [cause, ...castArray(errors)]) causes(inner, found);
	return found;
}

const firstText = (
	chain: ConnectionError[],
	key: 'code' | 'message' | 'description',
): string | undefined =>
	chain
		.map((error) => error[key])
		.find((value): value is string => isString(value) && value !== '');

/** What to do if n8n's own address cannot be opened from outside. */
export const publicUrlAdvice =
	"Set n8n's environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to its public https:// address, then restart n8n.";
