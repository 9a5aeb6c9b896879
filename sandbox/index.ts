import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import fastify from 'fastify';
import { controlOf, controlRoot, type SandboxControl } from './control/client';
import { controlRoutes } from './control/routes';
import { apiRoot } from './documented';
import { ServiceError } from './http/error';
import { serve } from './http/serve';
import { isLocalHost } from './http/validate';
import { allEndpoints } from './routes';
import { Service, type ServiceOptions } from './service';

export type { SandboxControl } from './control/client';
export { assume, questions, type Assumptions } from './assumptions';
export type { FaultInput } from './faults';
export type { Webhook } from './state/webhooks';

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

/** Connections that may wait to be accepted; load tests open thousands at once. */
const listenBacklog = 8_192;

/** Starts the stand-in of the messaging service; rejects when it cannot listen. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port: wanted = 0, host = '127.0.0.1', ...serviceOptions } = options;
	const service = new Service(serviceOptions);
	const app = fastify({
		bodyLimit: 64 * 1024 * 1024,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: 16_384 },
	});
	app.register(multipart, { limits: { parts: 10_000 } });
	app.addHook('onRequest', async ({ hostname, url, headers }, reply) => {
		if (!isLocalHost(hostname))
			throw new ServiceError(403, `Use an IP address of this computer, not ${hostname}`);
		// A browser at the root wants the page.
		if (url === '/' && headers.accept?.includes('text/html')) return reply.redirect(controlRoot);
	});
	serve(app, service, allEndpoints);
	app.register(controlRoutes(service), { prefix: controlRoot });
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
