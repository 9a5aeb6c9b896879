import { BaseError, NodeApiError } from 'n8n-workflow';
import { lossAdvice, unknownAdvice } from './advice';
import type { Ending } from './deadline';
import { Failure } from './failure';
import type { ApiRequest } from './request';

/** The parts of a thrown error that tell how far a request got. */
interface ConnectionError {
	message?: unknown;
	code?: unknown;
	syscall?: unknown;
	cause?: unknown;
	errors?: unknown;
	messages?: unknown;
	/** The request of Node that failed. */
	request?: { socket?: { alpnProtocol?: unknown } | null };
}

const nameNotFound = new Set(['ENOTFOUND', 'EAI_AGAIN']);

// Verdicts of OpenSSL and Node on a certificate, which come before anything is sent.
const certificate =
	/^(CERT_|CRL_|ERR_TLS_CERT_ALTNAME|ERROR_IN_C|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)/;

/** What to do when the machines do not agree on TLS. */
const tlsAdvice =
	'The certificate or TLS settings of the host are not accepted. Check that the base URL names the right host and starts with https:// only if the host speaks TLS.';

/**
 * Turns what n8n's request helper throws into a `Failure`. It throws whenever no answer came,
 * since the status of an answer is judged by us. Only what proves that nothing left is `notSent`.
 *
 * @param thrown a NodeApiError around an axios error, or n8n's own error before anything was sent
 */
export function connectionFailure(thrown: unknown, request: ApiRequest, baseUrl: string): Failure {
	const chain = causes(thrown);
	const code = firstString(chain, 'code');
	const host = hostOf(baseUrl);

	if (code !== undefined && nameNotFound.has(code)) {
		return notSent(`The name of the host ${host} was not found`, {
			description: 'Check the base URL of the credential and the DNS of the machine n8n runs on.',
			neverConnected: true,
			code,
		});
	}
	if (code === 'ECONNREFUSED' || chain.some((error) => error.syscall === 'connect')) {
		return notSent(`${host} refused the connection or could not be reached`, {
			description: 'Check the base URL of the credential and whether the service is running.',
			neverConnected: true,
			code,
		});
	}
	if (chain.some((error) => isCertificateRefused(error) || isHandshakeMissing(error))) {
		const text = firstString(chain.reverse(), 'message');
		return notSent(`No secure connection to ${host}: ${text}`, { description: tlsAdvice, code });
	}
	const own = chain.filter(isByN8n);
	if (own.length > 0) {
		return notSent(firstString(own, 'message') ?? 'The request could not be made', {
			description: 'n8n stopped the request before it left. Check the credential and its base URL.',
			code,
		});
	}
	return brokenOff(thrown, request, baseUrl);
}

/** A connection that ended, for whatever reason, after the request may have left. */
export function brokenOff(thrown: unknown, request: ApiRequest, baseUrl: string): Failure {
	const code = firstString(causes(thrown), 'code');
	const failure = lost(lostMessage(code, hostOf(baseUrl)), request, code);
	if (!isTls(code)) return failure;
	const description = `${tlsAdvice}${lossAdvice(request)}`;
	return new Failure(failure.message, { ...failure, description });
}

/** A request that was not awaited any longer. */
export function givenUp(ending: Ending, request: ApiRequest, baseUrl: string): Failure {
	const code = ending === 'timeout' ? 'ECONNABORTED' : 'ERR_CANCELED';
	return lost(lostMessage(code, hostOf(baseUrl)), request, code);
}

const lost = (message: string, request: ApiRequest, code: string | undefined): Failure =>
	new Failure(message, {
		outcome: 'unknown',
		description: unknownAdvice(request),
		facts: code === undefined ? {} : { code },
	});

function notSent(
	message: string,
	{
		description,
		neverConnected,
		code,
	}: { description: string; neverConnected?: boolean; code?: string },
): Failure {
	return new Failure(message, {
		outcome: 'notSent',
		description,
		neverConnected,
		facts: code === undefined ? {} : { code },
	});
}

function lostMessage(code: string | undefined, host: string): string {
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') {
		return `${host} did not answer within the timeout`;
	}
	if (code === 'ERR_CANCELED') return 'The execution was stopped before the answer came';
	if (isTls(code)) return `The secure connection to ${host} broke off (${code})`;
	// Z_ and ERR__ERROR_: unpacking; HPE_: reading HTTP.
	return /^(Z_|ERR__ERROR_|HPE_)/.test(code ?? '')
		? `The answer of ${host} could not be read (${code})`
		: `The connection to ${host} was cut before the answer was complete`;
}

const isTls = (code: string | undefined): boolean => /^(EPROTO|ERR_SSL_)/.test(code ?? '');

const isCertificateRefused = ({ code }: ConnectionError): boolean =>
	typeof code === 'string' && certificate.test(code);

/** Node sends nothing before TLS is agreed on, and this property is null until then. */
const isHandshakeMissing = ({ request }: ConnectionError): boolean =>
	request?.socket?.alpnProtocol === null;

/** An error that n8n throws on purpose; its wrapping of others says nothing. */
const isByN8n = (error: ConnectionError): boolean =>
	error instanceof BaseError && !(error instanceof NodeApiError);

/** The error, its causes and the errors of an AggregateError (one per address tried). */
function causes(thrown: unknown): ConnectionError[] {
	const found: ConnectionError[] = [];
	const queue: unknown[] = [thrown];
	while (queue.length > 0) {
		const error = queue.shift() as ConnectionError | null | undefined;
		if (typeof error !== 'object' || error === null || found.includes(error)) continue;
		found.push(error);
		queue.push(error.cause ?? lostCause(error));
		if (Array.isArray(error.errors)) queue.push(...(error.errors as unknown[]));
	}
	return found;
}

/** Codes of failures whose text does not contain them. */
const codesOfTexts: Array<[RegExp, string]> = [
	[/^socket hang up/, 'ECONNRESET'],
	[/^timeout of /, 'ECONNABORTED'],
	[/^canceled/, 'ERR_CANCELED'],
];

/** What older versions of n8n leave of a failed request: its text without the cause. */
function lostCause({ messages }: ConnectionError): ConnectionError | undefined {
	const message: unknown = Array.isArray(messages) ? messages[0] : undefined;
	if (typeof message !== 'string') return undefined;
	const code =
		/\bE[A-Z_]{3,}\b/.exec(message)?.[0] ?? codesOfTexts.find(([text]) => text.test(message))?.[1];
	const syscall = message.startsWith('connect ') ? 'connect' : undefined;
	return { message, code, syscall };
}

function firstString(chain: ConnectionError[], key: 'code' | 'message'): string | undefined {
	for (const error of chain) {
		const value = error[key];
		if (typeof value === 'string' && value !== '') return value;
	}
	return undefined;
}

/** Host and port of the base URL: the one part of it that a message may show. */
function hostOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'The service';
}
