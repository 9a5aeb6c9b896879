import type { INodeParameters } from 'n8n-workflow';
import { failureOf, PolledWorkflow } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';

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
			'Unauthorized: Invalid or missing API key. Check the API key of the credential, or re-enable it on the dashboard in Settings > API Keys.',
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
	test.each([balance, calls, messages])(
		'shows a sample when nothing has happened (%#)',
		async (parameters) => {
			const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
			const items = await workflow.test();
			expect(items).toHaveLength(1);
			expect(items[0]).toMatchObject(
				{
					balance: { event: 'balance.low', resource: 'chatBalance', value: 100_000 },
					voiceCalls: { event: 'started', callStatus: 'initiated' },
					messages: { status: 'Delivered' },
				}[parameters.watch] ?? {},
			);
		},
	);

	test('shows a record of the account if there is one', async () => {
		const [call] = await sandbox.control.addCalls(1);
		const [message] = await sandbox.control.addMessages(1, { status: 'Delivered' });
		const test = async (parameters: INodeParameters) =>
			await new PolledWorkflow({ credential: sandbox.credential(), parameters }).test();
		expect(await test(calls)).toMatchObject([{ event: 'started', id: call }]);
		expect(await test(messages)).toMatchObject([{ id: message, status: 'Delivered' }]);
	});
});
