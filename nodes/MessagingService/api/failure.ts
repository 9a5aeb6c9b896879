import { castArray, invoke, isObject, isString } from 'lodash';
import {
	BaseError,
	NodeApiError,
	type IAllExecuteFunctions,
	type IBinaryKeyData,
	type IDataObject,
	type JsonObject,
} from 'n8n-workflow';
import type { Asked, Endpoint } from './endpoints';
import type { ApiResponse } from './response';

/** Whether a request changes nothing, so that it can be made again. */
export const isRead = ({ endpoint }: Asked): boolean => endpoint.method === 'GET';

/**
 * What became of a request that failed:
 * - `rejected`: the service answered with an error and did not act;
 * - `unknown`: it may have reached the service, nobody can tell;
 * - `notSent`: no request left.
 */
export type Outcome = 'rejected' | 'unknown' | 'notSent';

/** What a failure has besides its message. */
type Facts = Pick<Failure, 'outcome' | 'description'> & Partial<Omit<Failure, keyof Error>>;

/** A failed request in the words the user reads; carries no header, no key and no request. */
export class Failure extends Error {
	readonly outcome!: Outcome;

	/** What to do next. */
	readonly description!: string;

	/** HTTP status of the answer, or null when there was none. */
	readonly statusCode: number | null = null;

	/** Further facts for `details` of a failed item, such as the `screenshot` of a failed send. */
	readonly facts: IDataObject = {};

	/** Files that belong to the failed item. */
	readonly binary: IBinaryKeyData | undefined;

	/** Whether the connection was never made, so that trying again cannot send twice. */
	readonly neverConnected: boolean = false;

	constructor(message: string, facts: Facts) {
		super(message);
		Object.assign(this, facts);
	}

	/** The failure of a send, whose message itself asks for care, wherever it is shown alone. */
	ofSend(): Failure {
		if (this.outcome !== 'unknown') return this;
		const message = `${this.message.replace(/\.$/, '')}. It may have been sent, so check before you send it again`;
		return new Failure(message, this);
	}

	/** The same where an earlier attempt may have sent it; what to do about that is added. */
	asUnknown(addition: string): Failure {
		const description = `${this.description} ${addition}`;
		return new Failure(this.message, { ...this, outcome: 'unknown', description });
	}
}

/** A value that cannot be sent as it is; found before any request. */
export class InputFailure extends Failure {
	constructor(message: string, description: string, facts: IDataObject = {}) {
		super(message, { outcome: 'notSent', description, facts });
	}
}

/** How texts name an input item: counted from 1, as people count. */
export const itemName = (itemIndex: number): string => `item ${itemIndex + 1}`;

/** The value of a promise or the `Failure` that it ended in; any other error goes on. */
export async function failureOr<T>(work: Promise<T>): Promise<T | Failure> {
	return await work.catch((error: unknown) => {
		if (error instanceof Failure) return error;
		throw error;
	});
}

/**
 * Runs a step whose failure n8n shows by its message alone (publishing, polling, lists): the message of
 * the NodeApiError that it throws says what to do, too.
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

/** What to do after the service answered with this error text (docs/service.md, section 7). */
export function adviceFor({ endpoint }: Asked, statusCode: number, text: string): string {
	const { advice = {}, paidFrom = 'credits', scope = 'that the message names' } = endpoint;
	const [, named = scope] = /'([a-z]+:[a-z-]+)'/.exec(text) ?? [];
	const unlike =
		'Correct what the message names. If it names nothing, contact the support of the service.';
	const general: Endpoint['advice'] = {
		400: 'Correct the field that the message names.',
		401: 'Check the API key of the credential, or re-enable it on the dashboard in Settings > API Keys. A test key (with _test_ in it) does not work at the production address.',
		402: `Top up the ${paidFrom} of the account on the dashboard. Account > Get Balance shows what remains.`,
		403: `Add the scope ${named} to the API key on the dashboard in Settings > API Keys.`,
		404: 'Check that the base URL of the credential ends in the version segment, e.g. /api/v1, and that every ID in this node exists.',
		413: 'Send less at once: a smaller file, fewer recipients or a shorter text. The service or a proxy in front of it rejected the request as too large.',
		429: 'Wait a while. If the operation has the option Throttling, set it to fewer requests at once. The limit comes from a proxy in front of the service, which has none itself.',
		500: 'Try again later. If it happens again, contact the support of the service.',
	};
	return advice[statusCode] ?? general[statusCode] ?? unlike;
}

/** How to find out whether a request whose response is missing was carried out. */
export function unknownAdvice({ endpoint: { lookUp } }: Asked): string {
	return lookUp === undefined
		? 'Check that the service can be reached, then try again.'
		: `${lookUp} To resend it in a failed execution, add Try Again If Uncertain, save, and choose Retry with currently saved workflow.`;
}

/** What to add to advice about the base URL: a read that failed was no loss. */
export const lossAdvice = (request: Asked): string =>
	isRead(request) ? '' : ` ${unknownAdvice(request)}`;

/** The parts of a thrown error that tell how far a request got. */
interface ConnectionError {
	message?: unknown;
	code?: unknown;
	syscall?: unknown;
	/** Where a connection was to go to, by address or by name. */
	address?: unknown;
	port?: unknown;
	hostname?: unknown;
	cause?: unknown;
	errors?: unknown;
	/** The request of Node that failed. */
	request?: { socket?: { alpnProtocol?: unknown; encrypted?: unknown } | null };
	/** The response, where n8n throws it. */
	response?: { status: number; headers: ApiResponse['headers']; data: unknown };
}

// Verdicts of OpenSSL and Node on a certificate, which come before anything is sent.
const certificate =
	/^(CERT_|CRL_|ERR_TLS_CERT_ALTNAME|ERROR_IN_C|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** What to do when the machines do not agree on TLS. */
const tlsAdvice =
	'Check that the base URL names the right host, and starts with https:// only if the host supports TLS. n8n does not accept its certificate or TLS settings.';

/**
 * Turns what n8n's request helper throws where no answer came, a NodeApiError around an axios error or
 * n8n's own error, into a `Failure`. Only what proves that nothing left is `notSent`. Of the base URL a
 * message may show the host alone.
 */
export function connectionFailure(thrown: unknown, request: Asked, host: string): Failure {
	const chain = causes(thrown);
	const code = firstText(chain, 'code') ?? '';
	const facts = code === '' ? {} : { code };
	const notSent = (message: string, description: string, neverConnected = false) =>
		new Failure(message, { outcome: 'notSent', description, neverConnected, facts });

	const proxy = otherThan(host, chain);
	if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
		if (proxy) return notSent(`n8n's proxy ${proxy} was not found`, proxyAdvice(host), true);
		return notSent(
			`The host ${host} was not found`,
			'Check the base URL of the credential and the DNS of the machine n8n runs on.',
			true,
		);
	}
	if (code === 'ECONNREFUSED' || chain.some(({ syscall }) => syscall === 'connect')) {
		const what = 'refused the connection or could not be reached';
		if (proxy) return notSent(`n8n's proxy ${proxy} ${what}`, proxyAdvice(host), true);
		return notSent(
			`${host} ${what}`,
			'Check the base URL of the credential and whether the service is running.',
			true,
		);
	}
	const text = firstText([...chain].reverse(), 'message');
	// Node sends nothing before TLS is agreed on, and this property is null until then.
	const isHandshakeMissing = chain.some(({ request }) => request?.socket?.alpnProtocol === null);
	if (isHandshakeMissing || chain.some((error) => certificate.test(String(error.code)))) {
		return notSent(`No secure connection to ${host}: ${text}`, tlsAdvice);
	}
	// What n8n throws on purpose; its wrapping of others says nothing.
	const own = chain.filter(
		(error) => error instanceof BaseError && !(error instanceof NodeApiError),
	);
	if (own.length === 0) {
		// A request gets its connection when a proxy has made it, and nothing is written before.
		const isTunnelMissing = chain.some(({ request: made }) => made?.socket === null);
		if (!isTunnelMissing) return brokenOff(thrown, request, host);
		return notSent(`n8n's proxy could not connect to ${host}: ${text}`, proxyAdvice(host), true);
	}
	return notSent(
		firstText(own, 'message') ?? 'The request could not be made',
		'Check the credential and its base URL. n8n stopped the request before sending it.',
	);
}

/** Where a failed connection was to go to if that was not the host: to the proxy in front of it. */
function otherThan(host: string, chain: ConnectionError[]): string | undefined {
	const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
	const other = chain.find((error) =>
		error.port === undefined
			? isString(error.hostname) && error.hostname !== name
			: !(port === undefined ? ['80', '443'] : [port]).includes(String(error.port)),
	);
	if (!other) return undefined;
	return other.port === undefined
		? String(other.hostname)
		: `${String(other.address)}:${String(other.port)}`;
}

/** What to do about a proxy between n8n and the service. */
const proxyAdvice = (host: string): string =>
	`Check the proxy's address and password in n8n's environment variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, and that it allows ${host}. To connect without the proxy, add this host to NO_PROXY.`;

/**
 * The response that n8n's helper has thrown; a Failure where it came without TLS although the address has
 * it: from a proxy, in response to CONNECT, before there was a connection to the service.
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

/** A request that ended, for whatever reason, after it may have left: its outcome is unknown. */
export function brokenOff(thrown: unknown, request: Asked, host: string): Failure {
	const code = firstText(causes(thrown), 'code') ?? '';
	const isTls = /^(EPROTO|ERR_SSL_)/.test(code);
	const description = isTls ? `${tlsAdvice}${lossAdvice(request)}` : unknownAdvice(request);
	const facts = code === '' ? {} : { code };
	return new Failure(lost(code, isTls, host), { outcome: 'unknown', description, facts });
}

function lost(code: string, isTls: boolean, host: string): string {
	if (isTls) return `The secure connection to ${host} was interrupted (${code})`;
	if (/^(ECONNABORTED|ETIMEDOUT)$/.test(code)) return `${host} did not respond within the timeout`;
	if (code === 'ERR_CANCELED') return 'The execution was stopped before the response arrived';
	// Z_ and ERR__ERROR_: unpacking; HPE_: reading HTTP.
	return /^(Z_|ERR__ERROR_|HPE_)/.test(code)
		? `The response of ${host} could not be read (${code})`
		: `The connection to ${host} was lost before the response was complete`;
}

/** The error, its causes and the errors of an AggregateError (one per address tried). */
function causes(error: unknown, found: ConnectionError[] = []): ConnectionError[] {
	if (!isObject(error) || found.includes(error)) return found;
	const { cause, errors } = error as ConnectionError;
	found.push(error);
	for (const one of [cause, ...castArray(errors)]) causes(one, found);
	return found;
}

/** The first text, not empty, that one of the errors has there. */
const firstText = (chain: ConnectionError[], key: 'code' | 'message'): string | undefined =>
	chain
		.map((error) => error[key])
		.find((value): value is string => isString(value) && value !== '');
