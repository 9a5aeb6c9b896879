import type { FastifyPluginCallback } from 'fastify';
import { TextBody } from '../http/body';
import { errorAnswer, send } from '../http/serve';
import { ServiceError } from '../http/serviceError';
import { isLoopback } from '../http/urls';
import type { World } from '../world';
import { accountRoutes } from './account';
import { observationRoutes } from './observation';
import { recordRoutes } from './records';

/** Where the control interface lives; no part of the service. */
export const CONTROL_ROOT = '/__sandbox';

/** The control interface. Only this computer may use it. */
export function controlRoutes(world: World): FastifyPluginCallback {
	return (app, _options, done) => {
		app.addHook('onRequest', (request, reply, next) => {
			if (isLoopback(request.socket.remoteAddress ?? '')) next();
			else send(reply, errorAnswer(403, 'Control is for this computer only'));
		});
		app.setErrorHandler((error, _request, reply) => {
			const status = error instanceof ServiceError ? error.status : 500;
			send(reply, errorAnswer(status, error instanceof Error ? error.message : String(error)));
		});
		for (const { method, path, run } of [...accountRoutes, ...recordRoutes, ...observationRoutes]) {
			app.route<{ Params: { id?: string }; Querystring: Record<string, unknown> }>({
				method,
				url: path,
				handler: async ({ params, query, body }) => {
					const json = body instanceof TextBody ? body.json() : {};
					return (await run(world, { id: params.id ?? '', query, body: json })) ?? {};
				},
			});
		}
		done();
	};
}
