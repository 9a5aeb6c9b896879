import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { pickBy } from 'lodash';
import { longPatienceMs, within } from './waiting';

export const signatureHeader = 'x-webhook-signature';

/** A message event as the service sends it (docs/service.md, section 6.1). */
export const messageEvent = (event = 'message.delivered', data: Record<string, unknown> = {}) => ({
	event,
	timestamp: new Date().toISOString(),
	data: {
		providerMessageId: randomUUID(),
		status: event.split('.')[1],
		to: '447700900210',
		from: '14155550100',
		templateName: 'order_update',
		...data,
	},
});

export const signatureOf = (body: string | Buffer, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');

export interface Delivery {
	method?: string;
	body?: string | Buffer;
	headers?: Record<string, string | string[] | undefined>;
}

/** A delivery with its signature, which is a good one unless another is given. */
export const signed = (
	body: string | Buffer,
	secret: string,
	headers: Delivery['headers'] = {},
) => ({ body, headers: { [signatureHeader]: signatureOf(body, secret), ...headers } });

/** One request, with headers that may be repeated, or undefined to go without; returns the response. */
export async function deliver(
	url: string,
	{ method = 'POST', body = '', headers = {} }: Delivery,
): Promise<{ status: number; body: string }> {
	const length = method === 'GET' ? undefined : Buffer.byteLength(body);
	const all = { 'content-type': 'application/json', 'content-length': length, ...headers };
	const given = pickBy(all, (value) => value !== undefined);
	const request = http.request(url, { method, agent: false, headers: given });
	request.end(body);
	const answer = once(request, 'response') as Promise<[http.IncomingMessage]>;
	const [response] = await within(`the response of ${url}`, answer, longPatienceMs);
	// What breaks from now on shows in the response.
	request.on('error', () => {});
	return { status: response.statusCode ?? 0, body: await text(response) };
}
