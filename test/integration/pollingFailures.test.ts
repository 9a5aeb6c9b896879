import type { INodeParameters } from 'n8n-workflow';
import { waitFor } from '../../harness';
import { failureOf, PolledWorkflow } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';
import { startTrickling, type TricklingService } from '../support/trickling';

const sandbox = useSandbox();

const balance = { watch: 'balance' };
const calls = { watch: 'voiceCalls', callEvents: ['started'] };
const messages = { watch: 'messages', statuses: ['Delivered', 'Read'] };

describe('failing polls', () => {
	test('a poll that fails half-way stores nothing', async () => {
		const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters: calls });
		await workflow.publish();
		await sandbox.control.addCalls(250);
		await sandbox.control.addFault({
			kind: 'status',
			path: '/voice/call-logs',
			status: 500,
			body: { error: 'Down' },
			skip: 1,
		});
		expect((await failureOf(workflow.poll())).message).toContain('Down');
		expect(await workflow.poll()).toHaveLength(250);
		expect(await workflow.poll()).toEqual([]);
	});

	test('401 says to check the key, and polling goes on when it works again', async () => {
		const { key } = await sandbox.control.createKey();
		const workflow = new PolledWorkflow({
			credential: sandbox.credential(key),
			parameters: messages,
		});
		await workflow.publish();
		await sandbox.control.updateKey(key, { revoked: true });
		await sandbox.control.addMessages(1, { status: 'Read' });
		const failure = await failureOf(workflow.poll());
		expect(failure).toMatchObject({ name: 'NodeApiError', httpCode: '401' });
		expect(failure.message).toBe(
			'Unauthorized: Invalid or missing API key. Check the API key of the credential, or re-enable it on the dashboard in Settings > API Keys. A test key, with _test_ in it, is not for the address of production.',
		);
		await sandbox.control.updateKey(key, { revoked: false });
		expect(await workflow.poll()).toHaveLength(1);
	});

	test.each([
		[messages, 'chat:campaigns'],
		[calls, 'voice:calls'],
	])('403 names the scope to add (%#)', async (parameters, scope) => {
		const { key } = await sandbox.control.createKey({ scopes: [] });
		const workflow = new PolledWorkflow({ credential: sandbox.credential(key), parameters });
		const { message, httpCode } = await failureOf(workflow.publish());
		expect(httpCode).toBe('403');
		expect(message).toContain(`does not have the '${scope}' permission. Add the scope ${scope}`);
	});

	test('no connection names the host', async () => {
		const workflow = new PolledWorkflow({
			credential: { baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'key' },
			parameters: balance,
		});
		const { message } = await failureOf(workflow.publish());
		expect(message).toContain('127.0.0.1:1 refused the connection');
		expect(message).toContain('Check the base URL');
	});

	test('a parameter without a choice is named', async () => {
		const workflow = new PolledWorkflow({
			credential: sandbox.credential(),
			parameters: { ...calls, callEvents: [] },
		});
		expect((await failureOf(workflow.publish())).message).toContain('Call Events');
	});
});

describe('a manual test', () => {
	const sampleOf = async (parameters: INodeParameters) =>
		await new PolledWorkflow({ credential: sandbox.credential(), parameters }).test();
	const ended = { ...calls, callEvents: ['ended'] };
	const changed = { ...calls, callEvents: ['statusChanged'] };

	test.each<[INodeParameters, object]>([
		[balance, { event: 'balance.low', value: 99, threshold: 100, account: { chatBalance: 99 } }],
		[calls, { event: 'started', callStatus: 'initiated', duration: 0 }],
		[changed, { event: 'statusChanged', previousStatus: 'initiated', callStatus: 'success' }],
		[ended, { event: 'ended', callStatus: 'success', status: 'Success', duration: 42 }],
		[messages, { status: 'Delivered' }],
		[{ watch: 'webhooks' }, { event: 'webhook.removed', url: expect.any(String) as string }],
	])('shows a sample that could happen when nothing has (%#)', async (parameters, sample) => {
		expect(await sampleOf(parameters)).toMatchObject([sample]);
	});

	test('shows a record of the account if one fits', async () => {
		const [old] = await sandbox.control.addCalls(1, { createdAt: '2026-01-31T10:00:00Z' });
		const [going] = await sandbox.control.addCalls(1, { callStatus: 'answered' });
		const [message] = await sandbox.control.addMessages(1, { status: 'Delivered' });
		await sandbox.control.setAccount({ chatBalance: 5 });
		expect(await sampleOf(balance)).toMatchObject([{ event: 'balance.critical', value: 5 }]);
		expect(await sampleOf(calls)).toMatchObject([{ event: 'started', id: going }]);
		expect(await sampleOf(ended)).toMatchObject([
			{ event: 'ended', id: old, callStatus: 'success' },
		]);
		expect(await sampleOf(messages)).toMatchObject([{ status: 'Delivered', id: message }]);
	});
});

describe('a response that trickles', () => {
	let service: TricklingService;
	beforeAll(async () => (service = await startTrickling({ chatBalance: 500 })));
	afterAll(() => service.close());

	const workflow = () =>
		new PolledWorkflow({
			credential: { baseUrl: service.baseUrl, apiKey: 'key' },
			parameters: { watch: 'balance', resources: ['chatBalance'] },
			budget: 300,
		});

	test('fails the poll when its time is up, and the next one finds what has happened', async () => {
		const polled = workflow();
		expect(await polled.publish()).toEqual([]);
		Object.assign(service, { trickles: true, account: { chatBalance: 5 } });
		const { message } = await failureOf(polled.poll());
		expect(message).toMatch(/^A poll was given up after .* the next poll finds it\.$/);
		await failureOf(polled.poll());

		// What was given up comes to its end, and is not taken any more.
		Object.assign(service, { trickles: false, account: { chatBalance: 50 } });
		await waitFor('the responses to end', () => service.open === 0 || undefined);
		service.requests = 0;
		expect(await polled.poll()).toMatchObject([{ event: 'balance.low', value: 50 }]);
		expect(service.requests).toBe(1);
	});

	test('ends a manual test, too', async () => {
		service.trickles = true;
		expect((await failureOf(workflow().test())).message).toContain('was given up');
	});
});
