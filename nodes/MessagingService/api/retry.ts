import { sleep } from 'n8n-workflow';
import { Failure, failureOr } from './failure';
import type { ApiRequest } from './request';

/** Milliseconds before each further try. */
const backOff = [500, 1_000, 2_000];

const retriedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Runs a request and repeats it where that is safe: a read after a failed connection, 502, 503 or
 * 504; anything else only when no connection was made, since it may have been carried out.
 *
 * @throws Failure the last one, or at once when the execution is stopped
 */
export async function retrying<T>(
	request: ApiRequest,
	attempt: () => Promise<T>,
	signal?: AbortSignal,
): Promise<T> {
	for (const pause of backOff) {
		const result = await failureOr(attempt());
		if (!(result instanceof Failure)) return result;
		if (signal?.aborted || !isSafeToRepeat(request, result)) throw result;
		// A stopped execution ends the pause early; the check above ends the loop then.
		await sleep(pause, signal).catch(() => {});
	}
	return await attempt();
}

function isSafeToRepeat(request: ApiRequest, failure: Failure): boolean {
	if (failure.neverConnected) return true;
	if (request.method !== 'GET') return false;
	if (failure.statusCode !== null) return [502, 503, 504].includes(failure.statusCode);
	return retriedCodes.has(String(failure.facts.code));
}
