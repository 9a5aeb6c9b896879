/** Bytes that come one after another, as n8n hands them over. */
type Bytes = AsyncIterable<Buffer> & { destroy(): unknown };

/**
 * Bytes of a response, unpacked, that are read at most. The largest documented answer, a page of 100
 * calls with a transcript of an hour each, has about 6 MB.
 */
export const largestBody = 16 * 1024 * 1024;

/** A response that goes on after `largestBody`. */
export class BodyTooLarge extends Error {}

/**
 * Reads the body of a response to its end.
 *
 * @param body a stream; anything else has been read already
 * @param signal ends the reading
 * @throws BodyTooLarge, or what the connection or the unpacking throws
 */
export async function readBody(body: unknown, signal: AbortSignal): Promise<unknown> {
	if (!isStream(body)) return body;
	const end = () => body.destroy();
	if (signal.aborted) end();
	signal.addEventListener('abort', end);
	const chunks: Buffer[] = [];
	let size = 0;
	// Leaving the loop early closes the connection.
	for await (const chunk of body) {
		size += chunk.length;
		if (size > largestBody) throw new BodyTooLarge();
		chunks.push(chunk);
	}
	return parsed(Buffer.concat(chunks).toString());
}

const isStream = (body: unknown): body is Bytes =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/** The JSON of a body; its text when it is none. */
function parsed(body: string): unknown {
	// A byte order mark is no part of the text.
	const text = body.replace(/^\uFEFF/, '');
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}
