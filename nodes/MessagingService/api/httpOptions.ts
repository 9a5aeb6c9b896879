import type { IHttpRequestOptions } from 'n8n-workflow';
import { Failure } from './failure';
import { multipart } from './multipart';
import { pathOf, type ApiRequest } from './request';

/**
 * A request as n8n's helper takes it; the response comes as a stream, so that no more of it is read
 * and unpacked than is wanted.
 *
 * @param timeout milliseconds without any data
 * @returns `close` is called when the request is over, however it has ended
 * @throws Failure when the file of the request cannot be opened
 */
export async function httpOptions(
	request: ApiRequest,
	baseUrl: string,
	timeout: number,
): Promise<{ options: IHttpRequestOptions; close: () => void }> {
	const { endpoint, query, body, form } = request;
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url: `${baseUrl}${pathOf(request)}`,
		headers: { Accept: 'application/json' },
		timeout,
		encoding: 'stream',
		// Following a redirect would carry the key elsewhere and buffer the whole body.
		disableFollowRedirect: true,
		// The status is ours to judge: n8n would repeat a 401 and hide the service's text.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	if (query) options.qs = query;
	if (form) {
		const { close, ...written } = await multipart(form).catch((error: unknown) => {
			throw unreadable(form.file.fileName, error);
		});
		const headers = { ...options.headers, ...written.headers };
		return { options: { ...options, ...written, headers }, close };
	}
	if (body) {
		options.body = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
	}
	return { options, close: () => {} };
}

const unreadable = (fileName: string, error: unknown): Failure =>
	new Failure(`The file "${fileName.slice(0, 100)}" could not be opened`, {
		outcome: 'notSent',
		description: `Check the node that made the file. n8n says: ${(error as Error).message.slice(0, 500)}`,
	});
