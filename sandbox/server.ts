import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyError, type RouteHandlerMethod } from 'fastify';
import { controlRoot, controlRoutes } from './control/routes';
import { apiRoot } from './documented';
import { allEndpoints } from './routes';
import type { Endpoint } from './http/endpoint';
import { acceptAnyBody } from './http/request';
import { sendError, serve, track } from './http/serve';
import { isLocalHost } from './http/validate';
import type { Service } from './service';

const bodyLimit = 64 * 1024 * 1024;
const formParts = 10_000;

const longestParameter = 16_384;

/** The HTTP server: the service's endpoints, and control beside them. */
export function buildServer(service: Service): FastifyInstance {
	const app = fastify({
		bodyLimit,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: longestParameter },
	});
	acceptAnyBody(app);
	app.register(multipart, { limits: { parts: formParts } });
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
