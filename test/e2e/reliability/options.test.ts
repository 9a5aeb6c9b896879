import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { messagingService, type Execution } from '../../../harness';
import { toldBy } from '../../support/reliability/ledger';
import {
	phones,
	recipientsNode,
	sender,
	useStage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const told = (execution: Execution) => execution.json(sender).map(toldBy);

const byHand = async (settings: SendSettings, count = 3): Promise<Execution> => {
	const nodes = [recipientsNode(phones(count)), stage.ours(settings)];
	return await stage.n8n.run(await stage.manual(nodes));
};

const inProduction = async (settings: SendSettings): Promise<Execution> => {
	const { start } = await stage.production([recipientsNode(phones(3)), stage.ours(settings)]);
	return await stage.n8n.waitForExecution(await start());
};

const simulated = ['simulated', 'simulated', 'simulated'];
const sent = ['sent', 'sent', 'sent'];

describe('simulate', () => {
	test.each([
		['never', 'by hand', sent],
		['never', 'in production', sent],
		['notInProduction', 'by hand', simulated],
		['notInProduction', 'in production', sent],
		['always', 'by hand', simulated],
		['always', 'in production', simulated],
	])('%s, %s', async (simulate, how, expected) => {
		const run = how === 'by hand' ? byHand : inProduction;
		const execution = await run({ own: { simulate } });
		expect(execution.status).toBe('success');
		expect(told(execution)).toEqual(expected);
		expect(stage.service.requests).toBe(expected === sent ? 3 : 0);
	});

	test('is off when the option is absent', async () => {
		expect(told(await byHand({}))).toEqual(sent);
	});

	test('shows the request without the key, and the cost', async () => {
		const execution = await byHand({ own: { simulate: 'always' } }, 1);
		const [item = {}] = execution.json(sender);
		expect(item).toMatchObject({ simulated: true, request: expect.anything() as unknown });
		expect(item.cost).toEqual(expect.any(Object));
		expect(JSON.stringify(item.request)).toContain(phones(1)[0]);
		expect(JSON.stringify(execution.raw)).not.toContain(stage.account.key);
		expect(Object.keys(item).sort()).toEqual(['cost', 'request', 'simulated']);
		expect(execution.output(sender)[0]?.pairedItem).toEqual({ item: 0 });
	});

	test('makes the checks that a send makes', async () => {
		const nodes = [
			recipientsNode([phones(1)[0] ?? '', '0170']),
			stage.ours({ own: { simulate: 'always' } }),
		];
		const execution = await stage.n8n.run(await stage.manual(nodes));
		expect(execution.status).toBe('error');
		expect(execution.error?.context?.itemIndex).toBe(1);
	});

	test('leaves keys free', async () => {
		const own = { idempotencyKey: '={{ $json.order }}' };
		const nodes = [recipientsNode(phones(3)), stage.ours({ own: { ...own, simulate: 'always' } })];
		const id = await stage.manual(nodes);
		expect(told(await stage.n8n.run(id))).toEqual(simulated);
		expect(told(await stage.n8n.run(id))).toEqual(simulated);
		await stage.replace(id, stage.ours({ own }));
		expect(told(await stage.n8n.run(id))).toEqual(sent);
		expect(stage.service.arrivals).toHaveLength(3);
	});

	test('a retry of a run by hand is none in production', async () => {
		const send = stage.ours({ own: { simulate: 'notInProduction' } });
		const id = await stage.manual([recipientsNode(['0170', ...phones(2)]), send]);
		const failed = await stage.n8n.run(id);
		expect(failed.status).toBe('error');
		const parameters = { ...send.parameters, phone: `=${phones(1)[0] ?? ''}` };
		await stage.replace(id, { ...send, parameters });
		const retried = await stage.n8n.retry(failed.id, { isCurrent: true });
		expect(told(retried)).toEqual(simulated);
		expect(stage.service.requests).toBe(0);
	});

	test('a retry after a simulated run that failed sends everything once it may', async () => {
		const send = stage.ours({ own: { simulate: 'always' } });
		const id = await stage.manual([recipientsNode(['0170', ...phones(2)]), send]);
		const failed = await stage.n8n.run(id);
		const real = stage.ours();
		const phone = '={{ $json.phone.length > 5 ? $json.phone : "919812345678" }}';
		await stage.replace(id, { ...real, parameters: { ...real.parameters, phone } });
		expect(told(await stage.n8n.retry(failed.id, { isCurrent: true }))).toEqual(sent);
		expect(stage.service.arrivals).toHaveLength(3);
	});

	test.each<[string, INodeParameters]>([
		['chatMessage.send', { phone: '={{ $json.phone }}', message: 'Hello' }],
		[
			'chatMessage.sendMedia',
			{
				phone: '={{ $json.phone }}',
				mediaType: 'image',
				mediaUrl: 'https://host.example/image.png',
			},
		],
		['bulkCampaign.create', { templateName: 'order_update' }],
		['voiceCall.create', { to: '={{ $json.phone }}', text: 'Hello' }],
		[
			'email.send',
			{ to: '={{ $json.phone }}@example.com', subject: 'Hello', html: '<p>Hello</p>' },
		],
	])('%s', async (name, parameters) => {
		const [resource = '', operation = ''] = name.split('.');
		const all = { resource, operation, ...parameters, options: { simulate: 'notInProduction' } };
		const send: INode = messagingService(all, stage.account.own, { name: sender });
		const execution = await stage.n8n.run(await stage.manual([recipientsNode(phones(2)), send]));
		expect(execution.status).toBe('success');
		expect(new Set(told(execution))).toEqual(new Set(['simulated']));
		expect(stage.service.requests).toBe(0);
	});
});

describe('waitForStatus', () => {
	const waiting = (waitForStatus: string, more: INodeParameters = {}): SendSettings => ({
		own: { waitForStatus, maxWait: 20, pollInterval: 1, ...more },
	});

	const outcome = (execution: Execution) =>
		execution
			.json(sender)
			.map(({ ended, messageRecord }) => [
				ended,
				(messageRecord as IDataObject | undefined)?.status,
			]);

	test('Delivered waits until the message is', async () => {
		stage.service.statuses = ['Sent', 'Sent', 'Delivered'];
		const execution = await byHand(waiting('Delivered'));
		expect(outcome(execution)).toEqual(Array(3).fill([true, 'Delivered']));
		const ids = stage.service.arrivals.map(({ id }) => id).sort();
		expect(
			execution
				.json(sender)
				.map(({ providerMessageId }) => providerMessageId)
				.sort(),
		).toEqual(ids);
		for (const { providerMessageId, messageRecord } of execution.json(sender)) {
			expect((messageRecord as IDataObject).providerMessageId).toBe(providerMessageId);
		}
	});

	test('Delivered is content with a message that was read already', async () => {
		stage.service.statuses = ['Sent', 'Read'];
		expect(outcome(await byHand(waiting('Delivered'), 1))).toEqual([[true, 'Read']]);
	});

	test('Read waits beyond Delivered', async () => {
		stage.service.statuses = ['Sent', 'Delivered', 'Read'];
		expect(outcome(await byHand(waiting('Read'), 1))).toEqual([[true, 'Read']]);
	});

	test('a message that has failed is waited for no longer', async () => {
		stage.service.statuses = ['Sent', 'Failed'];
		expect(outcome(await byHand(waiting('Read'), 1))).toEqual([[true, 'Failed']]);
	});

	test('the longest wait ends it', async () => {
		const execution = await byHand(waiting('Delivered', { maxWait: 2 }), 1);
		expect(execution.status).toBe('success');
		expect(outcome(execution)).toEqual([[false, 'Sent']]);
		expect(stage.service.arrivals).toHaveLength(1);
	});

	test('None waits for nothing', async () => {
		const execution = await byHand(waiting('none'), 1);
		expect(execution.json(sender)[0]).not.toHaveProperty('ended');
	});

	test('a media message is waited for too', async () => {
		stage.service.statuses = ['Sent', 'Delivered'];
		const send = messagingService(
			{
				resource: 'chatMessage',
				operation: 'sendMedia',
				phone: '={{ $json.phone }}',
				mediaType: 'image',
				mediaUrl: 'https://host.example/image.png',
				options: { waitForStatus: 'Delivered', maxWait: 20, pollInterval: 1 },
			},
			stage.account.own,
			{ name: sender },
		);
		const execution = await stage.n8n.run(await stage.manual([recipientsNode(phones(2)), send]));
		expect(outcome(execution)).toEqual(Array(2).fill([true, 'Delivered']));
	});

	test('with an item rejected, Retry On Fail sends nothing twice', async () => {
		stage.service.statuses = ['Sent', 'Delivered'];
		stage.service.script(phones(3)[1] ?? '', { does: 'reject' });
		const extra = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const execution = await byHand({ ...waiting('Delivered'), extra });
		expect(outcome(execution)).toEqual(Array(3).fill([true, 'Delivered']));
		expect(stage.service.arrivals).toHaveLength(3);
	});

	test('an item that was sent before is not sent again for its wait', async () => {
		const settings = waiting('Delivered', { maxWait: 1, idempotencyKey: '={{ $json.order }}' });
		const id = await stage.manual([recipientsNode(phones(2)), stage.ours(settings)]);
		await stage.n8n.run(id);
		expect(told(await stage.n8n.run(id))).toEqual(['alreadySent', 'alreadySent']);
		expect(stage.service.arrivals).toHaveLength(2);
	});
});
