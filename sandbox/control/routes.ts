import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { scopes } from '../documented';
import { ServiceError, errorResponse } from '../http/endpoint';
import { TextBody } from '../http/request';
import { send } from '../http/serve';
import { isLoopback } from '../http/validate';
import type { Service } from '../service';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
import { accountRoutes, info } from './account';
import { observationRoutes } from './observation';
import { recordRoutes } from './records';
import type { ControlRoute } from './route';

/** Where the control interface lives; no part of the service. */
export const controlRoot = '/__sandbox';

/** Entries of each kind that the page shows. */
const shown = 25;

const page = readFileSync(path.join(__dirname, 'page.html'), 'utf8').replace(
	'__SCOPES__',
	JSON.stringify(scopes),
);

/** Nothing may come from elsewhere. */
const policy =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/** The root of control: a page for a browser, and what there is as JSON for any other caller. */
function root(service: Service) {
	return async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
		if (!headers.accept?.includes('text/html')) return info(service);
		reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
		return page;
	};
}

function latest<Item, Shown>(all: readonly Item[], show: (item: Item) => Shown) {
	return { total: all.length, latest: all.slice(-shown).reverse().map(show) };
}

/** What the page shows. */
const overview: ControlRoute = {
	method: 'GET',
	path: '/overview',
	run: (service) => {
		const { state, journal, assumptions, faults } = service;
		const same = <Item>(item: Item) => item;
		return {
			account: state.account,
			keys: { production: state.keys.production, test: state.keys.test },
			faults: latest(faults.waiting(), same),
			furtherKeys: latest(state.keys.list().slice(2), same),
			templates: latest(state.templates.list(), same),
			messages: latest(state.messages.all(), (one) => messageRecord(one, assumptions)),
			calls: latest(state.calls.all(), (one) => callRecord(one, assumptions)),
			emails: latest(state.emails, same),
			webhooks: latest(state.webhooks.list(), same),
			deliveries: latest(journal.list({ kind: 'delivery' }), same),
			requests: latest(journal.list({ kind: 'request' }), same),
		};
	},
};

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
