import type { INode, INodeParameters } from 'n8n-workflow';
import { messagingService, type NodeExtra } from '../../../harness';
import { playRows, type Row } from '../../support/reliability/rows';
import type { Act } from '../../support/reliability/service';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(300);

/** Creates campaigns for all input items. */
const campaign = (options: INodeParameters, extra: NodeExtra = {}): INode =>
	messagingService(
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			options: { timeout: 2_000, ...options },
		},
		stage.account.own,
		{ name: sender, ...extra },
	);

/** Numbers of recipients of the requests that the service has seen accepted. */
const campaigns = (): number[] => [
	...new Map(
		stage.service.arrivals.map(({ body }) => [body, (body.recipients as unknown[]).length]),
	).values(),
];

/** Runs three chunks of 100; what happens to the second one is given. */
async function runThree(second: Act, extra: NodeExtra = {}) {
	stage.service.script(recipients[100] ?? '', second);
	const id = await stage.manual([recipientsNode(recipients), campaign({ chunkSize: 100 }, extra)]);
	return { id, first: await stage.n8n.run(id) };
}

const rows: Row[] = [
	{
		what: 'three chunks of 100, the second unknown (processed), then Retry with chunks of 50 and continue on fail',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const { id, first } = await runThree({ does: 'cut', acts: true });
			expect(first.status).toBe('error');
			const extra = { onError: 'continueRegularOutput' as const };
			await stage.replace(id, campaign({ chunkSize: 50 }, extra));
			return await stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 300, unknown: 100 },
		check: ({ all }) => {
			expect(campaigns()).toEqual([100, 100, 50, 50]);
			expect(all.slice(100, 200).every(({ told }) => told === 'unknown')).toBe(true);
		},
	},
	{
		what: 'three chunks of 100, the second rejected, Retry On Fail',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const extra = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
			return (await runThree({ does: 'reject' }, extra)).first;
		},
		expected: { arrived: 300 },
		check: () => expect(campaigns()).toEqual([100, 100, 100]),
	},
];

playRows('campaigns', rows, () => stage);

test('a campaign stopped by the user with its second chunk in flight, and Retry at once: everybody once', async () => {
	stage.service.delayMs = 2_000;
	const { start } = await stage.production([
		recipientsNode(recipients),
		campaign({ chunkSize: 100, timeout: 30_000 }),
	]);
	const executionId = await start();
	await stage.service.acted(200);
	expect((await stage.n8n.stopExecution(executionId)).status).toBe('canceled');
	stage.service.delayMs = 0;
	const retried = await stage.n8n.retry(executionId);
	// n8n runs it to its end and then calls it canceled once more.
	expect(retried.json(sender).every(({ error }) => error === undefined)).toBe(true);
	expect(stage.service.arrivals.map(({ recipient }) => recipient).sort()).toEqual(
		[...recipients].sort(),
	);
});
