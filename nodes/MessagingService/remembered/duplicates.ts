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
