import type { Scope } from '../../../sandbox/documented';
import { documentedEndpoints } from '../../support/docs/service';
import { shown, useSandbox } from './support/useSandbox';

const fixture = useSandbox();
const unauthorized = {
	status: 401,
	data: { error: 'Unauthorized: Invalid or missing API key' },
};

describe('the key', () => {
	test.each([
		['x-api-key', (key: string) => ({ 'x-api-key': key })],
		['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
		['Authorization: ApiKey', (key: string) => ({ authorization: `ApiKey ${key}` })],
	])('is taken from %s', async (_style, headers) => {
		const { production, test: testKey } = fixture.sandbox.keys;
		for (const key of [production, testKey]) {
			expect((await fixture.caller(headers(key)).get('/balance')).status).toBe(200);
		}
		expect(shown(await fixture.caller(headers('wrong')).get('/balance'))).toEqual(unauthorized);
	});

	test('is refused while revoked, and taken again when re-enabled', async () => {
		const { key } = await fixture.control.createKey({ scopes: [] });
		const ask = async () => (await fixture.caller({ 'x-api-key': key }).get('/balance')).status;
		expect(await ask()).toBe(200);
		await fixture.control.updateKey(key, { revoked: true });
		expect(await ask()).toBe(401);
		await fixture.control.updateKey(key, { revoked: false });
		expect(await ask()).toBe(200);
	});
});

/** Every endpoint, and the scope that it checks (docs/service.md, section 4.1 and 5.4). */
const endpoints = documentedEndpoints().map(
	({ method, path, scope, isChecked }) =>
		[method, path, isChecked ? (scope as Scope) : null] as const,
);

test.each(endpoints)('%s %s asks for a key and %s', async (method, url, scope) => {
	expect(shown(await fixture.caller({}).request({ method, url }))).toEqual(unauthorized);
	const { key } = await fixture.control.createKey({ scopes: [] });
	const response = await fixture.caller({ 'x-api-key': key }).request({ method, url });
	if (scope === null) {
		expect(response.status).not.toBe(403);
		return;
	}
	expect(shown(response)).toEqual({
		status: 403,
		data: { error: `Forbidden: This API key does not have the '${scope}' permission.` },
	});
	await fixture.control.updateKey(key, { scopes: [scope] });
	const allowed = await fixture.caller({ 'x-api-key': key }).request({ method, url });
	expect(allowed.status).not.toBe(403);
});
