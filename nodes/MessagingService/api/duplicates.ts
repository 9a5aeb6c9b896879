import type { IWebhookFunctions } from 'n8n-workflow';

/** Events remembered per process; the oldest are forgotten first. */
const capacity = 10_000;

/** For each event whether it was taken: pending while n8n starts its execution. */
const taken = new Map<string, Promise<boolean>>();

/**
 * Makes sure that of several deliveries of an event, also at the same time, one is passed on.
 * Holds within one n8n process.
 *
 * @param key workflow, node, event kind and message id
 * @param outcome resolves with whether n8n took the event; if not, the next delivery gets its turn
 * @returns whether this delivery is the one to pass on
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
	if (taken.size > capacity) taken.delete(taken.keys().next().value ?? key);
	return true;
}

/**
 * Whether n8n has taken the event, as soon as it says so: it answers with 200 once the execution is
 * started. That it answers is what counts, not whether the service still listens: `finish` and
 * `close` cannot tell a connection that was given up from an event that was refused.
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
