import type { AddressInfo } from 'node:net';
import { controlOf, type SandboxControl } from './control/client';
import { apiRoot } from './documented';
import { buildServer } from './server';
import { Service, type ServiceOptions } from './service';

export { controlOf, type SandboxControl } from './control/client';
export { questions, type AssumptionName, type Assumptions } from './assumptions';
export type { FaultInput } from './faults';

export interface SandboxOptions extends ServiceOptions {
	/** 0, the default, takes any free port. */
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
	const { port = 0, host = '127.0.0.1', ...serviceOptions } = options;
	const service = new Service(serviceOptions);
	const app = buildServer(service);
	await app.listen({ port, host, backlog: listenBacklog });
	const address = app.server.address() as AddressInfo;
	const here = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
	const shownHost = here.includes(':') ? `[${here}]` : here;
	const url = `http://${shownHost}:${address.port}`;
	return {
		url,
		baseUrl: `${url}${apiRoot}`,
		port: address.port,
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
