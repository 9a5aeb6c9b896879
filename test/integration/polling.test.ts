import type { INodeParameters } from 'n8n-workflow';
import { failureOf, PolledWorkflow } from '../support/core/poll';
import { TriggerWorkflow } from '../support/core/triggerWorkflow';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();

async function published(parameters: INodeParameters): Promise<PolledWorkflow> {
	const workflow = new PolledWorkflow({ credential: sandbox.credential(), parameters });
	expect(await workflow.publish()).toEqual([]);
	return workflow;
}

const requestsOf = async (work: () => Promise<unknown>): Promise<number> => {
	await sandbox.control.clearJournal();
	await work();
	return (await sandbox.requests()).length;
};

const balance = {
	watch: 'balance',
	resources: ['chatBalance', 'voiceMins'],
	warningThreshold: 100,
	criticalThreshold: 20,
};
const calls = { watch: 'voiceCalls', callEvents: ['started', 'statusChanged', 'ended'] };
const messages = { watch: 'messages', statuses: ['Delivered', 'Read', 'Failed'] };

describe('balance', () => {
	test.each(['nested', 'flat'] as const)(
		'emits every crossing once, answered %s',
		async (shape) => {
			await sandbox.control.setAssumptions({ balance: shape });
			const workflow = await published(balance);
			const poll = async (change: { chatBalance?: number; voiceMins?: number }) => {
				await sandbox.control.setAccount(change);
				return (await workflow.poll()).map(({ event, resource, value }) => [
					event,
					resource,
					value,
				]);
			};
			expect(await poll({ chatBalance: 99 })).toEqual([['balance.low', 'chatBalance', 99]]);
			expect(await poll({ chatBalance: 98 })).toEqual([]);
			expect(await poll({ chatBalance: 19, voiceMins: 99 })).toEqual([
				['balance.critical', 'chatBalance', 19],
				['balance.low', 'voiceMins', 99],
			]);
			expect(await poll({ chatBalance: 0 })).toEqual([['balance.depleted', 'chatBalance', 0]]);
			expect(await poll({ chatBalance: 500 })).toEqual([]);
			expect(await poll({ chatBalance: 0 })).toEqual([
				['balance.low', 'chatBalance', 0],
				['balance.critical', 'chatBalance', 0],
				['balance.depleted', 'chatBalance', 0],
			]);
		},
	);

	test('a threshold changed while published is no event by itself', async () => {
		const workflow = await published(balance);
		await sandbox.control.setAccount({ chatBalance: 500 });
		await workflow.poll();
		expect(
			await workflow.republish({ parameters: { ...balance, warningThreshold: 1000 } }),
		).toEqual([]);
		expect(await workflow.poll()).toEqual([]);
		await sandbox.control.setAccount({ chatBalance: 10 });
		expect((await workflow.poll()).map(({ event }) => event)).toEqual(['balance.critical']);
	});

	test('says that the account has no such balance', async () => {
		await sandbox.control.setAssumptions({ balance: 'flat' });
		const workflow = new PolledWorkflow({
			credential: sandbox.credential(),
			parameters: { ...balance, resources: ['balance'] },
		});
		expect((await failureOf(workflow.publish())).message).toContain(
			'without the money of the account',
		);
	});

	test('one request per poll', async () => {
		const workflow = await published(balance);
		expect(await requestsOf(async () => await workflow.poll())).toBe(1);
	});
});

describe('voiceCalls', () => {
	const summary = (items: Awaited<ReturnType<PolledWorkflow['poll']>>) =>
		items.map(({ event, id, callStatus, previousStatus }) => [
			event,
			id,
			callStatus,
			...(previousStatus === undefined ? [] : [previousStatus]),
		]);

	test.each(['newestFirst', 'oldestFirst'] as const)(
		'emits every step once, listed %s',
		async (listOrder) => {
			await sandbox.control.setAssumptions({ listOrder });
			await sandbox.control.addCalls(250);
			const workflow = await published(calls);
			const [id = ''] = await sandbox.control.addCalls(1, { callStatus: 'initiated' });
			expect(summary(await workflow.poll())).toEqual([['started', id, 'initiated']]);
			await sandbox.control.updateCall(id, { callStatus: 'answered' });
			expect(summary(await workflow.poll())).toEqual([
				['statusChanged', id, 'answered', 'initiated'],
			]);
			expect(await workflow.poll()).toEqual([]);
			await sandbox.control.updateCall(id, { callStatus: 'success' });
			expect(summary(await workflow.poll())).toEqual([
				['statusChanged', id, 'success', 'answered'],
				['ended', id, 'success'],
			]);
			expect(await workflow.poll()).toEqual([]);
			expect(await requestsOf(async () => await workflow.poll())).toBe(1);
		},
	);

	test('a call that started and ended between two polls', async () => {
		const workflow = await published(calls);
		const [id = ''] = await sandbox.control.addCalls(1, { callStatus: 'no-answer' });
		expect(summary(await workflow.poll())).toEqual([
			['started', id, 'no-answer'],
			['statusChanged', id, 'no-answer', 'initiated'],
			['ended', id, 'no-answer'],
		]);
	});

	test.each(['newestFirst', 'oldestFirst'] as const)(
		'500 new calls of one instant among older ones, listed %s',
		async (listOrder) => {
			await sandbox.control.setAssumptions({ listOrder });
			await sandbox.control.addCalls(1_200, { createdAt: '2026-01-31T10:00:00Z' });
			const workflow = await published({ ...calls, callEvents: ['started'] });
			const ids = await sandbox.control.addCalls(500, {
				createdAt: '2026-01-31T12:00:00Z',
				everyMs: 0,
			});
			expect((await workflow.poll()).map(({ id }) => id).sort()).toEqual([...ids].sort());
			const more = await sandbox.control.addCalls(150, {
				createdAt: '2026-01-31T12:00:00Z',
				everyMs: 0,
			});
			expect((await workflow.poll()).map(({ id }) => id).sort()).toEqual([...more].sort());
			expect(await workflow.poll()).toEqual([]);
		},
	);

	test('a call far back that is still going on', async () => {
		const [id = ''] = await sandbox.control.addCalls(1, { callStatus: 'answered' });
		await sandbox.control.addCalls(450);
		const workflow = await published(calls);
		await sandbox.control.updateCall(id, { callStatus: 'success' });
		expect(summary(await workflow.poll())).toEqual([
			['statusChanged', id, 'success', 'answered'],
			['ended', id, 'success'],
		]);
		expect(await requestsOf(async () => await workflow.poll())).toBe(1);
	});

	test('filters go to the service, and other filters start afresh', async () => {
		const workflow = await published({ ...calls, filters: { search: '+91 987' } });
		await sandbox.control.addCalls(1, { to: '919876543210' });
		await sandbox.control.addCalls(1, { to: '14155550123', route: 'carrier_us1' });
		expect((await workflow.poll()).map(({ phone }) => phone)).toEqual(
			Array(3).fill('+919876543210'),
		);
		expect(
			await workflow.republish({ parameters: { ...calls, filters: { route: 'carrier_us1' } } }),
		).toEqual([]);
		await sandbox.control.addCalls(1, { route: 'carrier_us1' });
		expect((await workflow.poll()).map(({ route }) => route)).toEqual(Array(3).fill('carrier_us1'));
	});
});

describe('messages', () => {
	const summary = (items: Awaited<ReturnType<PolledWorkflow['poll']>>) =>
		items.map(({ id, status }) => [id, status]);

	test.each(['newestFirst', 'oldestFirst'] as const)(
		'emits each status of a message once, listed %s',
		async (listOrder) => {
			await sandbox.control.setAssumptions({ listOrder });
			const [old = ''] = await sandbox.control.addMessages(1);
			await sandbox.control.addMessages(350, { everyMs: 0 });
			const workflow = await published(messages);
			expect(await requestsOf(async () => await workflow.poll())).toBe(1);

			const [id = ''] = await sandbox.control.addMessages(1);
			expect(await workflow.poll()).toEqual([]);
			await sandbox.control.updateMessage(id, 'Delivered');
			await sandbox.control.updateMessage(old, 'Read');
			expect(summary(await workflow.poll())).toEqual([
				[old, 'Read'],
				[id, 'Delivered'],
			]);
			await sandbox.control.updateMessage(id, 'Sent');
			expect(await workflow.poll()).toEqual([]);
			await sandbox.control.updateMessage(id, 'Delivered');
			expect(await workflow.poll()).toEqual([]);
			expect(await requestsOf(async () => await workflow.poll())).toBe(1);
		},
	);

	test('a whole campaign of 10,000', async () => {
		const workflow = await published(messages);
		const ids = await sandbox.control.addMessages(10_000, { everyMs: 0 });
		expect(await workflow.poll()).toEqual([]);
		await sandbox.control.updateMessage(ids[0] ?? '', 'Read');
		await sandbox.control.updateMessage(ids[9_999] ?? '', 'Failed');
		expect(summary(await workflow.poll()).sort()).toEqual(
			[
				[ids[0], 'Read'],
				[ids[9_999], 'Failed'],
			].sort(),
		);
		expect(await requestsOf(async () => await workflow.poll())).toBe(1);
		expect(workflow.savedBytes).toBeLessThan(300_000);
	});
});

describe('webhooks', () => {
	const webhooks = { watch: 'webhooks' };
	const register = async (name: string) => {
		const url = `https://n8n.example/${name}`;
		const [item] = await sandbox.json({ resource: 'webhook', operation: 'create', url });
		return { id: String(item?.id), url };
	};

	test.each(['webhooks', 'array', 'data'] as const)(
		'emits what is gone or inactive, listed as %s',
		async (webhookList) => {
			await sandbox.control.setAssumptions({ webhookList });
			const [one, two] = [await register('one'), await register('two')];
			const workflow = await published(webhooks);
			expect(await workflow.poll()).toEqual([]);
			await sandbox.control.removeWebhook(one.id);
			expect(await workflow.poll()).toEqual([{ event: 'webhook.removed', ...one }]);
			await sandbox.control.updateWebhook(two.id, { isActive: false });
			expect(await workflow.poll()).toEqual([{ event: 'webhook.deactivated', ...two }]);
			expect(await workflow.restart()).toEqual([]);
			await sandbox.control.updateWebhook(two.id, { isActive: true });
			expect(await workflow.poll()).toEqual([]);
			await sandbox.control.updateWebhook(two.id, { isActive: false });
			expect(await workflow.poll()).toEqual([{ event: 'webhook.deactivated', ...two }]);
			expect(await requestsOf(async () => await workflow.poll())).toBe(1);
		},
	);

	test('publishing a trigger with other events is no event, losing it is one', async () => {
		const trigger = new TriggerWorkflow({ credential: sandbox.credential() });
		await trigger.publish();
		const workflow = await published(webhooks);
		await trigger.republish({ events: ['message.read'] });
		expect(await workflow.poll()).toEqual([]);
		const { webhookId: id } = trigger.stored;
		await sandbox.control.removeWebhook(String(id));
		expect(await workflow.poll()).toEqual([{ event: 'webhook.removed', id, url: trigger.url }]);
	});
});

describe('publishing and restarting', () => {
	test('a restart emits what happened meanwhile, once', async () => {
		const workflow = await published(calls);
		await sandbox.control.addCalls(3);
		expect(await workflow.poll()).toHaveLength(9);
		await sandbox.control.addCalls(1);
		expect(await workflow.restart()).toHaveLength(3);
		expect(await workflow.restart()).toEqual([]);
	});

	test('publishing again after a pause emits nothing old', async () => {
		const workflow = await published(calls);
		await sandbox.control.addCalls(3);
		expect(await workflow.publish()).toEqual([]);
		await sandbox.control.addCalls(1);
		expect(await workflow.poll()).toHaveLength(3);
	});

	test('another kind or credential starts afresh', async () => {
		const workflow = await published(calls);
		await sandbox.control.addMessages(2, { status: 'Read' });
		await sandbox.control.addCalls(2);
		expect(await workflow.republish({ parameters: messages })).toEqual([]);
		expect(await workflow.republish({ parameters: calls })).toEqual([]);
		await sandbox.control.addCalls(2);
		expect(await workflow.republish({ credentialId: '2' })).toEqual([]);
	});

	test('two polls at once emit everything once', async () => {
		const workflow = await published(calls);
		await sandbox.control.addCalls(2);
		const items = await Promise.all([workflow.poll(), workflow.poll()]);
		expect(items.flat()).toHaveLength(6);
	});
});
