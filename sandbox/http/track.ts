import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_ROOT } from '../documented';
import type { RequestEntry } from '../journal';
import type { World } from '../world';
import { redactedHeaders } from './auth';

declare module 'fastify' {
	interface FastifyRequest {
		/** The journal's entry of a request to the service; null for control. */
		entry: RequestEntry | null;
	}
}

/** The path below the service root, without the query; the whole path of a request elsewhere. */
function servicePath(url: string): string {
	const path = url.split('?', 1)[0] ?? url;
	return path.startsWith(`${API_ROOT}/`) ? path.slice(API_ROOT.length) : path;
}

/** Puts a request into the journal and the counters as soon as its head has arrived. */
export function track(world: World, request: FastifyRequest, reply: FastifyReply): void {
	const { headers, method, url } = request;
	const length = headers['content-length'];
	const entry = world.journal.request({
		at: world.clock.now(),
		method,
		path: servicePath(url),
		url,
		query: { ...(request.query as Record<string, unknown>) },
		headers: redactedHeaders(headers, world.state.keys),
		contentType: headers['content-type'] ?? null,
		contentLength: length === undefined ? null : Number(length),
		body: null,
		status: null,
		processed: false,
		fault: null,
	});
	request.entry = entry;
	world.traffic.begin(request.raw.socket, reply.raw, () => {
		if (!reply.raw.writableFinished) entry.status = null;
		return `${method} ${entry.path} ${entry.status ?? 'cut'}`;
	});
}
