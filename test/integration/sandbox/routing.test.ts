import axios from 'axios';
import { allEndpoints } from '../../../sandbox/routes';
import { ServiceError, ok, type Endpoint } from '../../../sandbox/http/endpoint';
import { buildServer } from '../../../sandbox/server';
import { Service } from '../../../sandbox/service';
import { part } from '../../../sandbox/state/state';
import { shown, useSandbox } from './support/useSandbox';

/** What a file of routes looks like that brings a further resource with its state. */
const samples = part('samples', (random) => new Map([[random.uuid(), { name: 'Ann' }]]));
const path = '/samples/:id';
const endpoints = (['GET', 'PUT', 'PATCH'] as const).map<Endpoint>((method) => ({
	method,
	path,
	scope: 'chat:send',
	handle: (context) => {
		const sample = samples(context.state).get(context.params.id ?? '');
		if (!sample) throw new ServiceError(404, 'Sample not found');
		return ok({ ...context.params, ...Object.assign(sample, context.json()) });
	},
}));

const service = new Service();
const app = buildServer(service, [...allEndpoints, ...endpoints]);
let baseURL: string;
beforeAll(async () => {
	baseURL = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/v1`;
});
afterAll(() => app.close());
beforeEach(() => service.reset());

const firstId = () => [...samples(service.state).keys()][0] ?? '';

function ask(method: Endpoint['method'], url: string, data?: object) {
	const headers = { 'x-api-key': service.state.keys.production };
	const validateStatus = () => true;
	return axios.request({ baseURL, method, url, headers, data, proxy: false, validateStatus });
}

test('an endpoint takes a path parameter, decoded', async () => {
	const id = firstId();
	expect(shown(await ask('GET', `/samples/${id}`))).toEqual({
		status: 200,
		data: { id, name: 'Ann' },
	});
	samples(service.state).set('a/b c', { name: 'Bob' });
	expect((await ask('GET', '/samples/a%2Fb%20c')).data).toEqual({ id: 'a/b c', name: 'Bob' });
	for (const other of ['/samples/none', `/samples/${id}/more`, '/samples', '/samples/']) {
		expect((await ask('GET', other)).status).toBe(404);
	}
});

test.each(['PUT', 'PATCH'] as const)(
	'an endpoint takes %s, and its state is as new after a reset',
	async (method) => {
		const id = firstId();
		expect((await ask(method, `/samples/${id}`, { name: 'Eve' })).data).toEqual({
			id,
			name: 'Eve',
		});
		service.reset();
		expect((await ask('GET', `/samples/${id}`)).data).toEqual({ id, name: 'Ann' });
	},
);

test('faults and journal know the pattern', async () => {
	const fault = { kind: 'cut', when: 'before', path, method: 'GET' } as const;
	service.faults.add({ ...fault, count: 1, skip: 1, latencyMs: 0 });
	expect((await ask('GET', '/samples/1')).status).toBe(404);
	await expect(ask('GET', '/samples/2')).rejects.toThrow();
	expect((await ask('GET', '/samples/1/2')).status).toBe(404);
	expect(service.journal.list({ path })).toHaveLength(2);
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
