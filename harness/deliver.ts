import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';

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
	/** Gives up waiting for the answer. */
	signal?: AbortSignal;
}

/** A delivery with its signature, which is a good one unless another is given. */
export const signed = (
	body: string | Buffer,
	secret: string,
	headers: Delivery['headers'] = {},
) => ({ body, headers: { [signatureHeader]: signatureOf(body, secret), ...headers } });

/** One request, with headers that may be repeated, or undefined to go without; gives the answer. */
export async function deliver(
	url: string,
	{ method = 'POST', body = '', headers = {}, signal }: Delivery,
): Promise<{ status: number; body: string }> {
	return await new Promise((resolve, reject) => {
		const length = { 'content-length': Buffer.byteLength(body) };
		const all = {
			'content-type': 'application/json',
			...(method === 'GET' ? {} : length),
			...headers,
		};
		const given = Object.entries(all).filter(([, value]) => value !== undefined);
		const request = http.request(
			url,
			{ method, agent: false, signal, headers: Object.fromEntries(given) },
			(response) => {
				let text = '';
				response.setEncoding('utf8');
				response.on('data', (chunk: string) => (text += chunk));
				response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
			},
		);
		request.on('error', reject);
		request.end(method === 'GET' ? undefined : body);
	});
}
