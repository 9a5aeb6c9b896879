import '../support/core/shortWaits';
import { inspect } from 'node:util';
import {
	NodeHelpers,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';
import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { startSandbox, type FaultInput } from '../../sandbox';
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

const parametersOf = (name: string, options: INodeParameters = {}): INodeParameters => {
	const found = describedOperations.find((operation) => operation.name === name);
	return { ...found?.choice, ...goodParameters[name], options };
};

/** Everything that n8n may save of a run: what it throws or gives, and the items where it goes on. */
async function saved(
	name: string,
	{ credential = sandbox.credential(key), options = {} as INodeParameters } = {},
): Promise<string> {
	const run = async (node: Partial<INode> = {}) =>
		await failureOr(sandbox.run(parametersOf(name, options), { credential, items, node }));
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

/** Answers in which the key comes back in all places that an answer has. */
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

	test('does not tell the key when no answer comes', async () => {
		const { baseUrl } = sandbox.credential();
		const noTls = { baseUrl: baseUrl.replace('http:', 'https:'), apiKey: key };
		expect(await saved(name, { credential: noTls })).not.toContain(key);
		const noHeader = { baseUrl, apiKey: `${key}\u0000` };
		expect(await saved(name, { credential: noHeader })).not.toContain(key);
		await sandbox.control.addFault({ kind: 'silence', path: '*', count: 'infinite' });
		expect(await saved(name, { options: { timeout: 30 } })).not.toContain(key);
	});

	test('masks the key in a success, too', async () => {
		const record = { id: '1', echo: `Bearer ${key}`, [key]: 1 };
		const lists = { configs: [record], messages: [record], data: [record], webhooks: [record] };
		const ids = { providerMessageId: '1', mediaId: '1', campaignId: '1', callId: '1' };
		const webhook = { id: '1', secret: 's', echo: key };
		const account = {
			balance: 1,
			...record,
			messageId: '1',
			total: 1,
			stats: { Sent: 1, [key]: 1 },
		};
		const body = { success: true, ...account, ...ids, ...lists, webhook };
		await sandbox.control.addFault(status(200, body));
		// An operation whose response looks different shows in its error what came instead.
		const output = await saved(name);
		expect(output).toMatch(/json: |without/);
		expect(output).not.toContain(key);
	});
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is not followed', async (code) => {
	const elsewhere = await startSandbox();
	const failing = names.filter((name) => name !== checkSetup);
	for (const name of failing) {
		await sandbox.control.addFault({
			kind: 'status',
			path: '*',
			status: code,
			headers: { location: `${elsewhere.baseUrl}/balance` },
		});
		const error = await sandbox.failure(parametersOf(name), { items });
		expect(error.message).toContain(`The base URL redirects to ${elsewhere.baseUrl}/balance`);
	}
	expect(await elsewhere.control.journal()).toEqual([]);
	expect(await sandbox.requests()).toHaveLength(failing.length);
	await elsewhere.close();
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
