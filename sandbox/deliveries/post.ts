import axios, { AxiosError } from 'axios';
import { signatureHeader } from '../documented';

/** Bytes of a receiver's response that are read. */
const responseLimit = 1024 * 1024;

export interface Delivery {
	url: string;
	body: string | Buffer;
	/** Null leaves the header out. */
	signature: string | null;
	headers?: Record<string, string>;
	timeoutMs: number;
	signal: AbortSignal;
}

interface DeliveryResponse {
	status: number | null;
	responseBody: string;
	error: string | null;
}

/** POSTs a raw body to a receiver and gives its response; never throws. */
export async function post(delivery: Delivery): Promise<DeliveryResponse> {
	const { url, body, signature, headers, timeoutMs, signal } = delivery;
	try {
		const response = await axios.post<string>(url, body, {
			headers: {
				'content-type': 'application/json',
				'user-agent': 'messaging-service-sandbox',
				...(signature === null ? {} : { [signatureHeader]: signature }),
				...headers,
			},
			timeout: timeoutMs,
			signal,
			maxRedirects: 0,
			maxContentLength: responseLimit,
			proxy: false,
			responseType: 'text',
			transformRequest: (data: unknown) => data,
			transformResponse: (data: unknown) => data,
			validateStatus: () => true,
		});
		return { status: response.status, responseBody: response.data, error: null };
	} catch (error) {
		const text = error instanceof AxiosError ? (error.code ?? error.message) : String(error);
		return { status: null, responseBody: '', error: text };
	}
}
