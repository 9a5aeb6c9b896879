import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import { ServiceError } from '../http/endpoint';
import { TextBody } from '../http/request';
import { sendError } from '../http/serve';
import { isLoopback } from '../http/validate';
import type { Service } from '../service';
import { Control } from './control';

/** Where the control interface lives; no part of the service. */
export const controlRoot = '/__sandbox';

const page = readFileSync(path.join(__dirname, 'page.html'), 'utf8');

/** Nothing may come from elsewhere, and no other page may show this one. */
const policy =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'";

const notJson = 'Send the arguments as a JSON array, with Content-Type: application/json';

/**
 * The control interface over HTTP, and its page. Only programs on this computer may use it, and no web page
 * but its own: another site's page has another host, and a browser lets it send no JSON here.
 */
export function controlRoutes(service: Service): FastifyPluginCallback {
	const control = new Control(service);
	const names = Object.getOwnPropertyNames(Control.prototype) as Array<keyof Control>;
	return (app, _options, done) => {
		app.addHook('onRequest', (request, reply, next) => {
			const { socket, hostname } = request;
			if ([socket.remoteAddress ?? '', hostname].every(isLoopback)) next();
			else sendError(reply, 403, 'Control is for this computer only');
		});
		app.setErrorHandler((error, _request, reply) => {
			const status = error instanceof ServiceError ? error.status : 500;
			sendError(reply, status, error instanceof Error ? error.message : String(error));
		});
		app.get('/', async (_request, reply) => {
			reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
			return page;
		});
		for (const name of names.filter((one) => one !== ('constructor' as string))) {
			app.post(`/${name}`, async ({ body }) => {
				if (!(body instanceof TextBody && body.isJson)) throw new ServiceError(415, notJson);
				const given = body.text === '' ? [] : body.json();
				const run = control[name].bind(control) as (...given: unknown[]) => unknown;
				return (await run(...(Array.isArray(given) ? given : [given]))) ?? {};
			});
		}
		done();
	};
}
