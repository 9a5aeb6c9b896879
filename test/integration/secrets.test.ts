import { inspect } from 'node:util';
import {
	NodeHelpers,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import type { FaultInput } from '../../sandbox';
import { failureOr } from '../support/core/execute';
import { useSandbox } from '../support/core/useSandbox';
import { describedOperations, goodParameters } from '../support/operations';

const sandbox = useSandbox();

const key = `msk_${'0123456789abcdef'.repeat(2)}01234567`;
const names = describedOperations.map(({ name }) => name);
const data = { data: Buffer.from('%PDF').toString('base64'), mimeType: 'application/pdf' };
const items: INodeExecutionData[] = [{ json: { phone: '447700900210' }, binary: { data } }];

/** What the service refuses is a result of it. */
const checkSetup = 'account.checkSetup';

const parametersOf = (name: string): INodeParameters => {
	const found = describedOperations.find((operation) => operation.name === name);
	return { ...found?.choice, ...goodParameters[name] };
};

/** Everything that n8n may save of a run: what it throws or returns, and the items where it goes on. */
async function saved(name: string): Promise<string> {
	const credential = sandbox.credential(key);
	const run = async (node: Partial<INode> = {}) =>
		await failureOr(sandbox.run(parametersOf(name), { credential, items, node }));
	const both = [await run(), await run({ onError: 'continueRegularOutput' })];
	const all = { depth: Infinity, maxArrayLength: null, maxStringLength: null };
	return inspect(both, { ...all, showHidden: true, getters: true });
}

/** For every answer an endless fault, so that also repeated reads meet it. */
const status = (code: number, body: unknown, headers?: Record<string, string>): FaultInput => ({
	kind: 'status',
	path: '*',
	count: 'infinite',
	status: code,
	body,
	headers,
});

/** Responses in which the key comes back in all their places; a success is tested in test/unit/api/client.test.ts. */
const echoes: Array<[string, FaultInput]> = [
	['403', status(403, { error: `Key '${key}' does not have 'chat:send'` })],
	['500', status(500, { error: key, screenshot: `data:${key}`, [key]: { request: [key] } })],
	['200 that is a failure', status(200, { success: false, error: `x-api-key: ${key}` })],
	['a text', status(200, `Welcome, ${key}`)],
	['a redirect', status(302, '', { location: `https://host.example/login?key=${key}` })],
];

describe.each(names)('%s', (name) => {
	test.each(echoes)('masks the key that comes back with %s', async (_answer, fault) => {
		await sandbox.control.addFault(fault);
		const all = await saved(name);
		// A check has the message of what went wrong, and not what came with it; what may hold the secret of a
		// registration is not shown at all.
		if (name !== checkSetup) expect(all).toMatch(/\[API key\]|a text that is not JSON/);
		expect(all).not.toContain(key);
	});
});

test.each([
	['http://host.example/api/v1', true],
	['https://host.example/api/v1', false],
])('%s: the credential warns about a missing encryption: %s', (baseUrl, warns) => {
	const { properties } = new MessagingServiceApi();
	const notice = properties.find(({ type }) => type === 'notice');
	expect(notice?.displayName).toContain('https://');
	const isShown = notice && NodeHelpers.displayParameter({ baseUrl }, notice, null, null);
	expect(isShown).toBe(warns);
});
