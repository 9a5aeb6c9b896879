import type { INodeParameters } from 'n8n-workflow';
import { failureOf } from '../support/core/execute';
import { PolledWorkflow } from '../support/core/poll';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

async function published(parameters: INodeParameters): Promise<PolledWorkflow> {
	const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
	expect(await workflow.publish()).toEqual([]);
	return workflow;
}

/** Polls when nothing has happened, with one request. */
async function pollInVain(workflow: PolledWorkflow): Promise<void> {
	await sandbox.control.clearJournal();
	expect(await workflow.poll()).toEqual([]);
	expect(await sandbox.requests()).toHaveLength(1);
}

test.each(['nested', 'flat'] as const)('a balance that is answered %s', async (shape) => {
	await sandbox.control.setAssumptions({ balance: shape });
	const parameters = {
		watch: 'balance',
		resources: ['chatBalance', 'voiceMins'],
		warningThreshold: 100,
		criticalThreshold: 20,
	};
	const workflow = await published(parameters);
	await sandbox.control.setAccount({ chatBalance: 19 });
	expect(await workflow.poll()).toMatchObject([
		{ event: 'balance.low', resource: 'chatBalance', value: 19 },
		{ event: 'balance.critical', resource: 'chatBalance', value: 19 },
	]);
	await pollInVain(workflow);
	// Another threshold is no event by itself.
	const change = { parameters: { ...parameters, criticalThreshold: 10 } };
	expect(await workflow.republish(change)).toEqual([]);
	if (shape === 'nested') return;
	const none = { ...parameters, resources: ['balance'] };
	const { message } = await failureOf(workflow.republish({ parameters: none }));
	expect(message).toContain('without the money of the account');
});

describe('calls', () => {
	const callEvents = ['started', 'statusChanged', 'ended'];
	const calls = { watch: 'voiceCalls', callEvents };

	test('emit every step once, also one far back that is going on', async () => {
		const [id = ''] = await sandbox.control.addCalls(1, { callStatus: 'initiated' });
		await sandbox.control.addCalls(450);
		const workflow = await published(calls);
		await sandbox.control.updateCall(id, { callStatus: 'answered' });
		expect(await workflow.poll()).toMatchObject([
			{ event: 'statusChanged', id, callStatus: 'answered', previousStatus: 'initiated' },
		]);
		await sandbox.control.updateCall(id, { callStatus: 'success' });
		expect(await workflow.restart()).toMatchObject([
			{ event: 'statusChanged', id, callStatus: 'success', previousStatus: 'answered' },
			{ event: 'ended', id, callStatus: 'success' },
		]);
		await pollInVain(workflow);
	});

	test('are filtered by the service, and other filters start afresh', async () => {
		const started = { ...calls, callEvents: ['started'] };
		const workflow = await published({ ...started, filters: { search: '+91 987' } });
		await sandbox.control.addCalls(1, { to: '919876543210' });
		await sandbox.control.addCalls(1, { to: '14155550123', route: 'carrier_us1' });
		expect(await workflow.poll()).toMatchObject([{ phone: '+919876543210' }]);
		const parameters = { ...started, filters: { route: 'carrier_us1' } };
		expect(await workflow.republish({ parameters })).toEqual([]);
	});
});

test('a message never goes back, and a campaign of 10,000 is watched to its oldest', async () => {
	const workflow = await published({ watch: 'messages', statuses: ['Delivered', 'Failed'] });
	const ids = await sandbox.control.addMessages(10_000, { everyMs: 0 });
	expect(await workflow.poll()).toEqual([]);
	for (const id of [ids[0] ?? '', ids[9_999] ?? '']) {
		await sandbox.control.updateMessage(id, 'Delivered');
		expect(await workflow.poll()).toMatchObject([{ id, status: 'Delivered' }]);
		for (const status of ['Sent', 'Delivered'] as const) {
			await sandbox.control.updateMessage(id, status);
			expect(await workflow.poll()).toEqual([]);
		}
	}
	await pollInVain(workflow);
});

test('a webhook that is replaced is no event, one that is gone is', async () => {
	const url = 'https://n8n.example/webhook/1';
	const register = async () => {
		const parameters = { resource: 'webhook', operation: 'create', url };
		return String((await sandbox.json(parameters))[0]?.id);
	};
	const former = await register();
	const workflow = await published({ watch: 'webhooks' });
	await sandbox.control.removeWebhook(former);
	const id = await register();
	await pollInVain(workflow);
	await sandbox.control.removeWebhook(id);
	expect(await workflow.poll()).toEqual([{ event: 'webhook.removed', id, url }]);
});
