import type { Scope } from '../../../sandbox/documented';
import { documentedEndpoints } from '../../support/docs/service';
import { shown, useService } from '../../support/core/useService';

const fixture = useService();
const unauthorized = { status: 401, data: { error: 'Unauthorized: Invalid or missing API key' } };

test.each([
	['x-api-key', ''],
	['authorization', 'Bearer '],
	['authorization', 'ApiKey '],
])('a key is accepted in %s: %s, unless it is unknown', async (name, prefix) => {
	const ask = async (key: string) =>
		await fixture.caller({ [name]: `${prefix}${key}` }).get('/balance');
	for (const key of Object.values(fixture.sandbox.keys)) expect((await ask(key)).status).toBe(200);
	expect(shown(await ask('wrong'))).toEqual(unauthorized);
});

test('a key is rejected while it is revoked', async () => {
	const { key } = await fixture.control.createKey({ scopes: [] });
	for (const revoked of [true, false]) {
		await fixture.control.updateKey(key, { revoked });
		const { status } = await fixture.caller({ 'x-api-key': key }).get('/balance');
		expect(status).toBe(revoked ? 401 : 200);
	}
});

// docs/service.md, section 4.1 and 5.4
test.each(documentedEndpoints())(
	'$method $path asks for a key and $scope',
	async ({ method, path: url, scope, isChecked }) => {
		expect(shown(await fixture.caller({}).request({ method, url }))).toEqual(unauthorized);
		const { key } = await fixture.control.createKey({ scopes: [] });
		const ask = async () => await fixture.caller({ 'x-api-key': key }).request({ method, url });
		if (isChecked) {
			const error = `Forbidden: This API key does not have the '${scope}' permission.`;
			expect(shown(await ask())).toEqual({ status: 403, data: { error } });
			await fixture.control.updateKey(key, { scopes: [scope as Scope] });
		}
		expect((await ask()).status).not.toBe(403);
	},
);
