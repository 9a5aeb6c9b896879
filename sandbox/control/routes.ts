import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import { ServiceError, errorResponse } from '../http/endpoint';
import { TextBody } from '../http/request';
import { send } from '../http/serve';
import { isLoopback } from '../http/validate';
import type { Service } from '../service';
import { Control } from './control';

/** Where the control interface lives; no part of the service. */
export const controlRoot = '/__sandbox';

const page = readFileSync(path.join(__dirname, 'page.html'), 'utf8');

/** Nothing may come from elsewhere. */
const policy =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/** The control interface over HTTP, and its page. Only this computer may use it. */
export function controlRoutes(service: Service): FastifyPluginCallback {
	const control = new Control(service);
	const names = Object.getOwnPropertyNames(Control.prototype) as Array<keyof Control>;
	return (app, _options, done) => {
		app.addHook('onRequest', (request, reply, next) => {
			if (isLoopback(request.socket.remoteAddress ?? '')) next();
			else send(reply, errorResponse(403, 'Control is for this computer only'));
		});
		app.setErrorHandler((error, _request, reply) => {
			const status = error instanceof ServiceError ? error.status : 500;
			send(reply, errorResponse(status, error instanceof Error ? error.message : String(error)));
		});
		app.get('/', async ({ headers }, reply): Promise<unknown> => {
			if (!headers.accept?.includes('text/html')) return control.info();
			reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
			return page;
		});
		for (const name of names.filter((one) => one !== ('constructor' as string))) {
			app.route({
				method: ['GET', 'POST'],
				url: `/${name}`,
				handler: async ({ body }) => {
					const given = body instanceof TextBody && body.text !== '' ? body.json() : [];
					const run = control[name].bind(control) as (...given: unknown[]) => unknown;
					return (await run(...(Array.isArray(given) ? given : [given]))) ?? {};
				},
			});
		}
		done();
	};
}
