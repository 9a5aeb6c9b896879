/** What the service says to a request. Without a body nothing is written. */
export interface Answer {
	status: number;
	body?: unknown;
}

export function ok(body?: unknown): Answer {
	return { status: 200, body };
}
