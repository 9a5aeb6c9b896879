import type { IWebhookFunctions } from 'n8n-workflow';

/** Accepted requests by key; pending while n8n starts an execution. */
const accepted = new Map<string, Promise<boolean>>();

/**
 * Whether to pass a request on: of several with the same key, such as deliveries of one event, each n8n process
 * passes on the first, or the next if `outcome` reports that n8n rejected it.
 */
export async function claim(key: string, outcome: Promise<boolean>): Promise<boolean> {
	for (let earlier = accepted.get(key); earlier; earlier = accepted.get(key)) {
		if (await earlier) return false;
	}
	accepted.set(
		key,
		outcome.then((success) => {
			if (!success) accepted.delete(key);
			return success;
		}),
	);
	// The oldest keys are dropped first.
	if (accepted.size > 10_000) accepted.delete(accepted.keys().next().value ?? key);
	return true;
}

/**
 * Whether n8n accepts a request: it responds with 200 once the execution has started. The events `finish`
 * and `close` do not distinguish an aborted connection from a rejected request.
 */
export async function whenResponded(context: IWebhookFunctions): Promise<boolean> {
	const response = context.getResponseObject();
	return await new Promise((resolve) => {
		response.end = new Proxy(response.end, {
			apply: (end, self, args) => {
				resolve(response.statusCode < 400);
				return Reflect.apply(end, self, args) as unknown;
			},
		});
	});
}
