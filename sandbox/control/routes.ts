import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../http/error';
import { TextBody } from '../http/request';
import { isLoopback } from '../http/validate';
import type { Service } from '../service';
import { Control } from './control';

const page = readFileSync(path.join(__dirname, 'page.html'), 'utf8');

/** The page loads nothing from elsewhere, and no other page may show it. */
const policy =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'";

const notJson = 'Send the arguments as a JSON array, with Content-Type: application/json';

/**
 * The control interface over HTTP, and its page. Only programs on this computer may use it, and no web page
 * but its own: another site's page has another host, and a browser lets it send no JSON here.
 */
export const controlRoutes = (service: Service) => async (app: FastifyInstance) => {
	const control = new Control(service);
	app.addHook('onRequest', async ({ socket, hostname }) => {
		if (![socket.remoteAddress ?? '', hostname].every(isLoopback))
			throw new ServiceError(403, 'Control is for this computer only');
	});
	app.get('/', async (_request, reply) => {
		reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
		return page;
	});
	for (const name of Object.getOwnPropertyNames(Control.prototype) as Array<keyof Control>) {
		if (name === ('constructor' as string)) continue;
		app.post(`/${name}`, async ({ body }) => {
			if (!(body instanceof TextBody && body.isJson)) throw new ServiceError(415, notJson);
			const given = body.text === '' ? [] : body.json();
			const run = control[name].bind(control) as (...given: unknown[]) => unknown;
			return (await run(...(Array.isArray(given) ? given : [given]))) ?? {};
		});
	}
};
