import type { INode, INodeParameters } from 'n8n-workflow';
import { messagingService, type NodeExtra } from '../../../harness';
import { playRows, type Row } from '../../support/reliability/rows';
import type { Act } from '../../support/reliability/service';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(300);
const goingOn: NodeExtra = { onError: 'continueRegularOutput' };
const reject: Act = { does: 'reject' };
const cutAfter: Act = { does: 'cut', acts: true };
const cutBefore: Act = { does: 'cut', acts: false };

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

/** Three chunks, then a retry with another chunk size. */
const otherSize = (
	second: Act,
	options: INodeParameters,
	extra: NodeExtra = {},
): Pick<Row, 'hasPeer' | 'play' | 'runs'> => ({
	runs: [recipients],
	hasPeer: false,
	play: async () => {
		const { id, first } = await runThree(second);
		expect(first.status).toBe('error');
		await stage.replace(id, campaign(options, extra));
		return await stage.n8n.retry(first.id, { isCurrent: true });
	},
});

const rows: Row[] = [
	{
		what: 'three chunks of 100, the second unknown (processed), then Retry with chunks of 50 and continue on fail',
		...otherSize(cutAfter, { chunkSize: 50 }, goingOn),
		expected: { arrived: 300, unknown: 100 },
		check: ({ all }) => {
			expect(campaigns()).toEqual([100, 100, 50, 50]);
			expect(all.slice(100, 200).every(({ told }) => told === 'unknown')).toBe(true);
		},
	},
	{
		what: 'three chunks of 100, the second unknown (not processed), then Retry with chunks of 70 and continue on fail',
		...otherSize(cutBefore, { chunkSize: 70 }, goingOn),
		expected: { arrived: 200, unknown: 100 },
		check: () => expect(campaigns()).toEqual([100, 70, 30]),
	},
	{
		what: 'three chunks of 100, the second unknown (not processed), then Retry with chunks of 300 and Send Again If Unsure',
		...otherSize(cutBefore, { chunkSize: 300, resendUnknown: true }),
		expected: { arrived: 300 },
		check: () => expect(campaigns()).toEqual([100, 200]),
	},
	{
		what: 'three chunks of 100, the second rejected, then Retry with chunks of 80',
		...otherSize(reject, { chunkSize: 80 }),
		expected: { arrived: 300 },
		check: () => expect(campaigns()).toEqual([100, 80, 80, 40]),
	},
	{
		what: 'three chunks of 100, the second rejected, Retry On Fail',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const extra = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
			return (await runThree(reject, extra)).first;
		},
		expected: { arrived: 300 },
		check: () => expect(campaigns()).toEqual([100, 100, 100]),
	},
	{
		what: 'three chunks of 100, the second rejected, then Retry after an edit of the template name',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const { id, first } = await runThree(reject);
			const edited = campaign({ chunkSize: 100 });
			await stage.replace(id, {
				...edited,
				parameters: { ...edited.parameters, templateName: 'another_template' },
			});
			return await stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 300 },
	},
	{
		what: 'three chunks of 100, the second rejected, then two retries of the first execution with chunks of 60, the first of them stopped again',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const { id, first } = await runThree(reject);
			stage.service.script(recipients[220] ?? '', reject);
			await stage.replace(id, campaign({ chunkSize: 60 }));
			await stage.n8n.retry(first.id, { isCurrent: true });
			return await stage.n8n.retry(first.id, { isCurrent: true });
		},
		expected: { arrived: 300 },
	},
	{
		what: 'three chunks with a key, the first unknown, the second rejected, run again, then with Send Again If Unsure',
		runs: [recipients],
		hasPeer: false,
		play: async () => {
			const keyed = { chunkSize: 100, idempotencyKey: 'spring sale' };
			stage.service.script(recipients[0] ?? '', cutBefore);
			stage.service.script(recipients[100] ?? '', reject);
			const id = await stage.manual([recipientsNode(recipients), campaign(keyed, goingOn)]);
			await stage.n8n.run(id);
			await stage.n8n.run(id);
			await stage.replace(id, campaign({ ...keyed, resendUnknown: true }, goingOn));
			return await stage.n8n.run(id);
		},
		expected: { arrived: 300 },
		check: () => expect(campaigns()).toEqual([100, 100, 100]),
	},
];

playRows('campaigns', rows, () => stage);

test('an unknown chunk fails a retry without continue on fail with the same message', async () => {
	const { id, first } = await runThree(cutAfter);
	await stage.replace(id, campaign({ chunkSize: 50 }));
	const retried = await stage.n8n.retry(first.id, { isCurrent: true });
	expect(retried.status).toBe('error');
	expect(retried.error?.context?.data?.outcome).toBe('unknown');
	expect(retried.error?.message).toBe(first.error?.message);
	const arrived = stage.service.arrivals.map(({ recipient }) => recipient);
	expect(new Set(arrived).size).toBe(arrived.length);
});

test('recipients that appear twice in the input are sent to as often, also by a retry', async () => {
	const all = [...recipients.slice(0, 150), ...recipients.slice(0, 150)];
	stage.service.script(all[100] ?? '', reject);
	const id = await stage.manual([recipientsNode(all), campaign({ chunkSize: 100 })]);
	const failed = await stage.n8n.run(id);
	await stage.replace(id, campaign({ chunkSize: 130 }));
	expect((await stage.n8n.retry(failed.id, { isCurrent: true })).status).toBe('success');
	const counts = new Map<string, number>();
	for (const { recipient } of stage.service.arrivals) {
		counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
	}
	expect(counts.size).toBe(150);
	expect([...counts.values()].every((count) => count === 2)).toBe(true);
});

test('two campaigns for the same people, the second rejected: a retry creates the second alone', async () => {
	const half = recipients.slice(0, 150);
	stage.service.script(half[0] ?? '', { does: 'accept' }, reject);
	const both = campaign({});
	const templateName = '={{ $itemIndex < 150 ? "first_template" : "second_template" }}';
	const id = await stage.manual([
		recipientsNode([...half, ...half]),
		{ ...both, parameters: { ...both.parameters, templateName } },
	]);
	const failed = await stage.n8n.run(id);
	expect(failed.status).toBe('error');
	expect((await stage.n8n.retry(failed.id)).status).toBe('success');
	for (const template of ['first_template', 'second_template']) {
		const arrived = stage.service.arrivals.filter(({ body }) => body.templateName === template);
		expect(arrived.map(({ recipient }) => recipient)).toEqual(half);
	}
});

test('campaigns with a key are not created again by a fresh execution', async () => {
	const id = await stage.manual([
		recipientsNode(recipients),
		campaign({ chunkSize: 100, idempotencyKey: 'spring sale' }),
	]);
	expect((await stage.n8n.run(id)).status).toBe('success');
	const second = await stage.n8n.run(id);
	expect(second.status).toBe('success');
	expect(second.json(sender).every(({ alreadySent }) => alreadySent === true)).toBe(true);
	expect(stage.service.arrivals).toHaveLength(300);
});

test('two executions of one key at the same moment reach everybody once', async () => {
	stage.service.delayMs = 200;
	const id = await stage.manual([
		recipientsNode(recipients),
		campaign({
			chunkSize: 100,
			idempotencyKey: 'spring sale',
		}),
	]);
	const executionIds = await Promise.all([stage.n8n.start(id), stage.n8n.start(id)]);
	for (const executionId of executionIds) {
		expect((await stage.n8n.waitForExecution(executionId)).status).toBe('success');
	}
	expect(stage.service.arrivals.map(({ recipient }) => recipient).sort()).toEqual(
		[...recipients].sort(),
	);
});

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
