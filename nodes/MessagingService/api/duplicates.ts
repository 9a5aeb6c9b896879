import type { IWebhookFunctions } from 'n8n-workflow';

/** For each whether it was taken: pending while n8n starts an execution. */
const taken = new Map<string, Promise<boolean>>();

/**
 * Whether a request is to be passed on: of several with the same key, as the deliveries of an event or
 * the clicks on an answer, one is, within one n8n process. If n8n did not take that, as `outcome`
 * tells, the next one gets its turn.
 */
export async function claim(key: string, outcome: Promise<boolean>): Promise<boolean> {
	for (let earlier = taken.get(key); earlier; earlier = taken.get(key)) {
		if (await earlier) return false;
	}
	taken.set(
		key,
		outcome.then((success) => {
			if (!success) taken.delete(key);
			return success;
		}),
	);
	// The oldest are forgotten first.
	if (taken.size > 10_000) taken.delete(taken.keys().next().value ?? key);
	return true;
}

/**
 * Whether n8n has taken a request: it answers with 200 once the execution is started. `finish` and
 * `close` cannot tell a connection that was given up from a request that was refused.
 */
export async function isTaken(context: IWebhookFunctions): Promise<boolean> {
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
