import type { FastifyPluginCallback } from 'fastify';
import { ServiceError, errorResponse } from '../http/endpoint';
import { TextBody } from '../http/request';
import { send } from '../http/serve';
import { isLoopback } from '../http/validate';
import type { Service } from '../service';
import { accountRoutes } from './account';
import { observationRoutes } from './observation';
import { overview, root } from './page';
import { recordRoutes } from './records';
import type { ControlRoute } from './route';

/** Where the control interface lives; no part of the service. */
export const controlRoot = '/__sandbox';

const routes: ControlRoute[] = [...accountRoutes, ...recordRoutes, ...observationRoutes, overview];

/** Whether a request is one of control. */
export function isControl(url: string): boolean {
	const path = url.split('?', 1)[0] ?? url;
	return path === controlRoot || path.startsWith(`${controlRoot}/`);
}

/** The control interface. Only this computer may use it. */
export function controlRoutes(service: Service): FastifyPluginCallback {
	return (app, _options, done) => {
		app.addHook('onRequest', (request, reply, next) => {
			if (isLoopback(request.socket.remoteAddress ?? '')) next();
			else send(reply, errorResponse(403, 'Control is for this computer only'));
		});
		app.setErrorHandler((error, _request, reply) => {
			const status = error instanceof ServiceError ? error.status : 500;
			send(reply, errorResponse(status, error instanceof Error ? error.message : String(error)));
		});
		app.get('/', root(service));
		for (const { method, path, run } of routes) {
			app.route<{ Params: { id?: string }; Querystring: Record<string, unknown> }>({
				method,
				url: path,
				handler: async ({ params, query, body }) => {
					const json = body instanceof TextBody ? body.json() : {};
					return (await run(service, { id: params.id ?? '', query, body: json })) ?? {};
				},
			});
		}
		done();
	};
}
