import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyError, type RouteHandlerMethod } from 'fastify';
import { controlOf, type SandboxControl } from './control/client';
import { controlRoot, controlRoutes } from './control/routes';
import { apiRoot } from './documented';
import type { Endpoint } from './http/endpoint';
import { acceptAnyBody } from './http/request';
import { sendError, serve, track } from './http/serve';
import { isLocalHost } from './http/validate';
import { allEndpoints } from './routes';
import { Service, type ServiceOptions } from './service';

export type { SandboxControl } from './control/client';
export { questions, type Assumptions } from './assumptions';
export type { FaultInput } from './faults';

export interface SandboxOptions extends ServiceOptions {
	/** 0, the default, uses any free port. */
	port?: number;
	/** 127.0.0.1 by default. */
	host?: string;
}

/** A running sandbox. */
export interface Sandbox {
	/** Address without a path. */
	url: string;
	/** The service root, `url` with `/api/v1`. */
	baseUrl: string;
	port: number;
	/** Keys with every scope. */
	keys: { production: string; test: string };
	control: SandboxControl;
	close(): Promise<void>;
}

/** Starts the stand-in of the messaging service; rejects when it cannot listen. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port: wanted = 0, host = '127.0.0.1', ...serviceOptions } = options;
	const service = new Service(serviceOptions);
	const app = serverOf(service);
	await app.listen({ port: wanted, host, backlog: listenBacklog });
	const { port } = app.server.address() as AddressInfo;
	const here = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
	const url = `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
	return {
		url,
		baseUrl: `${url}${apiRoot}`,
		port,
		keys: service.state.access,
		control: controlOf(url),
		close: async () => {
			service.stop();
			await app.close();
		},
	};
}

/** Connections that may wait to be accepted; load tests open thousands at once. */
const listenBacklog = 8_192;

/** The HTTP server: the service's endpoints, and control beside them. */
function serverOf(service: Service): FastifyInstance {
	const app = fastify({
		bodyLimit: 64 * 1024 * 1024,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: 16_384 },
	});
	acceptAnyBody(app);
	app.register(multipart, { limits: { parts: 10_000 } });
	app.decorateRequest('entry', null);
	app.addHook('onRequest', (request, reply, done) => {
		if (!isLocalHost(request.hostname)) {
			return sendError(reply, 403, `Use an IP address of this computer, not ${request.hostname}`);
		}
		// Who opens the address in a browser wants the page.
		if (request.url === '/' && request.headers.accept?.includes('text/html')) {
			return void reply.redirect(controlRoot);
		}
		if (!request.url.startsWith(controlRoot)) track(service, request, reply);
		done();
	});
	const serving =
		(endpoint: Endpoint | null): RouteHandlerMethod =>
		async (request, reply) => {
			await serve(service, request, reply, endpoint);
			return reply;
		};
	for (const endpoint of allEndpoints) {
		const url = `${apiRoot}${endpoint.path}`;
		app.route({ method: endpoint.method, url, handler: serving(endpoint) });
	}
	app.setNotFoundHandler(serving(null));
	app.setErrorHandler<FastifyError>((error, _request, reply) => {
		// The documented statuses have no 413 or 415 (docs/service.md, section 7.3).
		const status = error.statusCode !== undefined && error.statusCode < 500 ? 400 : 500;
		const text = error.statusCode === 413 ? 'Request body is too large' : error.message;
		sendError(reply, status, text);
	});
	app.register(controlRoutes(service), { prefix: controlRoot });
	return app;
}
