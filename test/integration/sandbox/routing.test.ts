import axios from 'axios';
import { ENDPOINTS, findEndpoint } from '../../../sandbox/endpoints';
import { ServiceError, ok, pathMatcher, type Endpoint } from '../../../sandbox/http/endpoint';
import { buildServer } from '../../../sandbox/server';
import { Service } from '../../../sandbox/service';
import { part } from '../../../sandbox/state/state';
import { shown, useSandbox } from './support/useSandbox';

/** What a file of routes looks like that brings a further resource with its state. */
const contacts = part('contacts', (random) => new Map([[random.uuid(), { name: 'Ann' }]]));
const path = '/contacts/:id';
const found = (service: Service, id = '') => {
	const contact = contacts(service.state.production).get(id);
	if (!contact) throw new ServiceError(404, 'Contact not found');
	return contact;
};
const getContact: Endpoint = {
	method: 'GET',
	path,
	scope: 'chat:send',
	handle: ({ service, params }) => ok({ id: params.id, ...found(service, params.id) }),
};
const changing = (['PUT', 'PATCH'] as const).map<Endpoint>((method) => ({
	method,
	path,
	scope: null,
	handle: (context) =>
		ok(Object.assign(found(context.service, context.params.id), context.json(), { method })),
}));

const service = new Service();
const app = buildServer(service, { endpoints: [...ENDPOINTS, getContact, ...changing] });
let baseURL: string;
beforeAll(async () => {
	baseURL = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/v1`;
});
afterAll(() => app.close());
beforeEach(() => service.reset());

const firstId = () => [...contacts(service.state.production).keys()][0] ?? '';

function ask(method: Endpoint['method'], url: string, data?: object) {
	const headers = { 'x-api-key': service.state.keys.production };
	return axios.request({
		baseURL,
		method,
		url,
		headers,
		data,
		proxy: false,
		validateStatus: () => true,
	});
}

test('an endpoint takes a path parameter, decoded', async () => {
	const id = firstId();
	expect(shown(await ask('GET', `/contacts/${id}`))).toEqual({
		status: 200,
		data: { id, name: 'Ann' },
	});
	contacts(service.state.production).set('a/b c', { name: 'Bob' });
	expect((await ask('GET', '/contacts/a%2Fb%20c')).data).toEqual({ id: 'a/b c', name: 'Bob' });
	expect((await ask('GET', '/contacts/none')).status).toBe(404);
	expect((await ask('GET', `/contacts/${id}/more`)).status).toBe(404);
	expect((await ask('GET', '/contacts')).status).toBe(404);
});

test.each(['PUT', 'PATCH'] as const)('an endpoint takes %s', async (method) => {
	const id = firstId();
	const { data } = await ask(method, `/contacts/${id}`, { name: 'Eve' });
	expect(data).toEqual({ name: 'Eve', method });
	expect((await ask('GET', `/contacts/${id}`)).data.name).toBe('Eve');
});

test('state of its own is as new after a reset', async () => {
	const id = firstId();
	await ask('PATCH', `/contacts/${id}`, { name: 'Eve' });
	service.reset();
	expect(firstId()).toBe(id);
	expect((await ask('GET', `/contacts/${id}`)).data.name).toBe('Ann');
	service.reset(2);
	expect(firstId()).not.toBe(id);
	service.reset(1);
});

test('faults, journal and counters know the pattern', async () => {
	service.faults.add({
		kind: 'status',
		status: 503,
		body: { error: 'Busy' },
		path,
		method: 'GET',
		count: 1,
		skip: 1,
		probability: 1,
		latencyMs: 0,
		when: 'before',
	});
	const statuses: number[] = [];
	for (const id of ['1', '2', '3']) statuses.push((await ask('GET', `/contacts/${id}`)).status);
	await ask('GET', '/balance');
	expect(statuses).toEqual([404, 503, 404]);
	expect(service.journal.list({ path })).toHaveLength(3);
	expect(service.traffic.stats().responses).toEqual({
		'GET /contacts/:id 404': 2,
		'GET /contacts/:id 503': 1,
		'GET /balance 200': 1,
	});
});

test('an endpoint is found by method and path', () => {
	expect(findEndpoint('DELETE', '/chat/webhooks')?.path).toBe('/chat/webhooks');
	expect(findEndpoint('PUT', '/chat/webhooks')).toBeUndefined();
	expect(findEndpoint('GET', '/chat/webhooks/1')).toBeUndefined();
});

test.each([
	['/contacts/:id', '/contacts/1', true],
	['/contacts/:id', '/contacts/', false],
	['/contacts/:id', '/contacts/1/2', false],
	['/contacts/:id/notes', '/contacts/1/notes', true],
	['/contacts/:id', '/contact/1', false],
	['/balance', '/balance', true],
	['*', '/any/thing', true],
])('the pattern %s and %s: %s', (pattern, actual, fits) => {
	expect(pathMatcher(pattern)(actual)).toBe(fits);
});

describe('paths that do not exist', () => {
	const fixture = useSandbox();

	test.each(['/', '/__sandbox/nothing', '/__sandboxed', '/elsewhere'])(
		'%s is 404 at once',
		async (url) => {
			const { status, data } = await fixture.api.get(`${fixture.sandbox.url}${url}`);
			expect(status).toBe(404);
			expect(data).toEqual({ error: `Not found: GET ${url}` });
		},
	);
});
