import axios from 'axios';
import { allEndpoints } from '../../../sandbox/routes';
import { ServiceError, ok, type Endpoint } from '../../../sandbox/http/endpoint';
import { buildServer } from '../../../sandbox/server';
import { Service } from '../../../sandbox/service';
import { part } from '../../../sandbox/state/state';

/** What a file of routes looks like that brings a further resource with its state. */
const samples = part('samples', (random) => new Map([[random.uuid(), { name: 'Ann' }]]));
const sample: Endpoint = {
	method: 'PUT',
	path: '/samples/:id',
	scope: 'chat:send',
	handle: (context) => {
		const found = samples(context.state).get(context.params.id ?? '');
		if (!found) throw new ServiceError(404, 'Sample not found');
		return ok({ ...context.params, ...Object.assign(found, context.json()) });
	},
};

const service = new Service();
const app = buildServer(service, [...allEndpoints, sample]);
afterAll(() => app.close());

test('an endpoint takes a path parameter, decoded, and its state is as new after a reset', async () => {
	const baseURL = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/v1`;
	const headers = { 'x-api-key': service.state.keys.production };
	const put = async (url: string, data = {}) =>
		await axios.put(url, data, { baseURL, headers, proxy: false, validateStatus: () => true });
	const [id = ''] = samples(service.state).keys();
	expect((await put(`/samples/${id}`, { name: 'Eve' })).data).toEqual({ id, name: 'Eve' });
	samples(service.state).set('a/b c', { name: 'Bob' });
	expect((await put('/samples/a%2Fb%20c')).data).toEqual({ id: 'a/b c', name: 'Bob' });
	for (const other of ['/samples/none', `/samples/${id}/more`, '/samples', '/samples/']) {
		expect((await put(other)).status).toBe(404);
	}
	service.reset();
	expect((await put(`/samples/${id}`)).data).toEqual({ id, name: 'Ann' });
});
