import axios from 'axios';
import { allEndpoints, findEndpoint } from '../../../sandbox/routes';
import { ServiceError, ok, pathMatcher, type Endpoint } from '../../../sandbox/http/endpoint';
import { buildServer } from '../../../sandbox/server';
import { Service } from '../../../sandbox/service';
import { part } from '../../../sandbox/state/state';
import { shown, useSandbox } from './support/useSandbox';

/** What a file of routes looks like that brings a further resource with its state. */
const samples = part('samples', (random) => new Map([[random.uuid(), { name: 'Ann' }]]));
const path = '/samples/:id';
const found = (service: Service, id = '') => {
	const sample = samples(service.state.production).get(id);
	if (!sample) throw new ServiceError(404, 'Sample not found');
	return sample;
};
const getSample: Endpoint = {
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
const app = buildServer(service, { endpoints: [...allEndpoints, getSample, ...changing] });
let baseURL: string;
beforeAll(async () => {
	baseURL = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/v1`;
});
afterAll(() => app.close());
beforeEach(() => service.reset());

const firstId = () => [...samples(service.state.production).keys()][0] ?? '';

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
	expect(shown(await ask('GET', `/samples/${id}`))).toEqual({
		status: 200,
		data: { id, name: 'Ann' },
	});
	samples(service.state.production).set('a/b c', { name: 'Bob' });
	expect((await ask('GET', '/samples/a%2Fb%20c')).data).toEqual({ id: 'a/b c', name: 'Bob' });
	expect((await ask('GET', '/samples/none')).status).toBe(404);
	expect((await ask('GET', `/samples/${id}/more`)).status).toBe(404);
	expect((await ask('GET', '/samples')).status).toBe(404);
});

test.each(['PUT', 'PATCH'] as const)('an endpoint takes %s', async (method) => {
	const id = firstId();
	const { data } = await ask(method, `/samples/${id}`, { name: 'Eve' });
	expect(data).toEqual({ name: 'Eve', method });
	expect((await ask('GET', `/samples/${id}`)).data.name).toBe('Eve');
});

test('state of its own is as new after a reset', async () => {
	const id = firstId();
	await ask('PATCH', `/samples/${id}`, { name: 'Eve' });
	service.reset();
	expect(firstId()).toBe(id);
	expect((await ask('GET', `/samples/${id}`)).data.name).toBe('Ann');
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
		headers: {},
		latencyMs: 0,
		when: 'before',
	});
	const statuses: number[] = [];
	for (const id of ['1', '2', '3']) statuses.push((await ask('GET', `/samples/${id}`)).status);
	await ask('GET', '/balance');
	expect(statuses).toEqual([404, 503, 404]);
	expect(service.journal.list({ path })).toHaveLength(3);
	expect(service.traffic.stats().responses).toEqual({
		'GET /samples/:id 404': 2,
		'GET /samples/:id 503': 1,
		'GET /balance 200': 1,
	});
});

test('an endpoint is found by method and path', () => {
	expect(findEndpoint('DELETE', '/chat/webhooks')?.path).toBe('/chat/webhooks');
	expect(findEndpoint('PUT', '/chat/webhooks')).toBeUndefined();
	expect(findEndpoint('GET', '/chat/webhooks/1')).toBeUndefined();
});

test.each([
	['/samples/:id', '/samples/1', true],
	['/samples/:id', '/samples/', false],
	['/samples/:id', '/samples/1/2', false],
	['/samples/:id/notes', '/samples/1/notes', true],
	['/samples/:id', '/sample/1', false],
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
