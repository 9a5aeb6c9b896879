import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '../service';
import { callRecord } from '../state/calls';
import { messageRecord } from '../state/messages';
import { allWebhooks, info } from './account';
import { allCalls, allMessages } from './records';
import type { ControlRoute } from './route';

/** Entries of each kind that the page shows. */
const shown = 25;

const page = readFileSync(path.join(__dirname, 'page.html'));

/** Nothing may come from elsewhere. */
const policy =
	"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";

/** The root of control: a page for a browser, and what there is as JSON for any other caller. */
export function root(service: Service) {
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
export const overview: ControlRoute = {
	method: 'GET',
	path: '/overview',
	run: (service) => {
		const { state, journal, assumptions, faults } = service;
		const same = <Item>(item: Item) => item;
		return {
			account: state.account,
			keys: { production: state.keys.production, test: state.keys.test },
			faults: latest(faults.waiting(), same),
			messages: latest(allMessages(state), (one) => messageRecord(one, assumptions)),
			calls: latest(allCalls(state), (one) => callRecord(one, assumptions)),
			emails: latest(
				state.environments.flatMap(({ emails }) => emails),
				same,
			),
			webhooks: latest(allWebhooks(state), same),
			deliveries: latest(journal.list({ kind: 'delivery' }), same),
			requests: latest(journal.list({ kind: 'request' }), same),
		};
	},
};
