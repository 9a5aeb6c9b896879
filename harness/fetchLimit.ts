import { longPatienceMs } from './waiting';

// By itself, Node waits 300 s for a response.
const { fetch } = globalThis;
globalThis.fetch = async (input, init) =>
	await fetch(input, { signal: AbortSignal.timeout(longPatienceMs), ...init });
