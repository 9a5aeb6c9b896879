import { sleep } from 'n8n-workflow';
import { Failure } from './failure';
import { isRead, type ApiRequest } from './request';

/** Milliseconds before each further try. */
const backOff = [500, 1_000, 2_000];

const retriedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Runs a request and repeats it where that is safe: a read after a failed connection, 502, 503 or
 * 504; anything else only when no connection was made, since it may have been carried out. A
 * stopped execution ends it at once.
 *
 * @returns the last result
 */
export async function retrying<T>(
	request: ApiRequest,
	attempt: (signal: AbortSignal) => Promise<T | Failure>,
	signal: AbortSignal,
): Promise<T | Failure> {
	let result = await attempt(signal);
	for (const pause of backOff) {
		if (!(result instanceof Failure) || signal.aborted || !isSafeToRepeat(request, result)) break;
		await sleep(pause, signal).catch(() => {});
		if (signal.aborted) break;
		result = await attempt(signal);
	}
	return result;
}

function isSafeToRepeat(request: ApiRequest, failure: Failure): boolean {
	if (failure.neverConnected) return true;
	if (!isRead(request)) return false;
	if (failure.statusCode !== null) return [502, 503, 504].includes(failure.statusCode);
	return retriedCodes.has(String(failure.facts.code));
}
