import type { IDataObject } from 'n8n-workflow';
import type { Execution } from '../../../harness';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

/** Bytes that an execution may keep of an accepted item beyond the service's answer to it. */
const mostBytes = 120;

const recipients = phones(200);

/** What n8n has saved of a node beside its output. */
const contextOf = (execution: Execution): IDataObject => {
	const { executionData } = execution.raw.data as { executionData?: IDataObject };
	return ((executionData?.contextData as IDataObject | undefined)?.[`node:${sender}`] ??
		{}) as IDataObject;
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test('a failed execution keeps little of an accepted item beyond its answer', async () => {
	const { n8n, service, manual, ours } = stage;
	service.script(recipients.at(-1) ?? '', { does: 'reject' });
	const failed = await n8n.run(await manual([recipientsNode(recipients), ours()]));
	expect(failed.status).toBe('error');

	const retried = await n8n.retry(failed.id);
	const accepted = retried.json(sender).slice(0, -1);
	expect(accepted).toHaveLength(199);
	const answers = accepted.reduce((sum, answer) => sum + bytesOf(answer), 0);
	const kept = bytesOf(contextOf(failed));
	// The answers themselves are there, which a retry gives again.
	expect(kept).toBeGreaterThan(answers);
	expect((kept - answers) / accepted.length).toBeLessThanOrEqual(mostBytes);
});

test('a refusal and a lost response among 1,000 sends hardly change what is saved', async () => {
	const { n8n, service, manual, ours } = stage;
	const everyone = phones(1_000);
	const run = async (): Promise<Execution> => {
		const options = { batching: { batch: { batchSize: 50 } } };
		const extra = { onError: 'continueRegularOutput' as const };
		const id = await manual([recipientsNode(everyone), ours({ options, extra })]);
		return await n8n.run(id);
	};
	const good = await run();
	expect(good.json(sender)).toHaveLength(1_000);

	service.script(everyone[500] ?? '', { does: 'reject' });
	service.script(everyone[600] ?? '', { does: 'cut', acts: true });
	const failing = await run();
	expect(failing.json(sender).filter(({ error }) => error !== undefined)).toHaveLength(2);
	expect(bytesOf(failing.raw.data) / bytesOf(good.raw.data)).toBeLessThan(1.05);
});

test('a successful execution keeps little beside its output: what went to whom, for a later round', async () => {
	const { n8n, manual, ours } = stage;
	const first = await n8n.run(await manual([recipientsNode(phones(1)), ours()]));
	const more = await n8n.run(await manual([recipientsNode(recipients), ours()]));
	expect(more.json(sender)).toHaveLength(200);
	const kept = bytesOf(contextOf(more)) - bytesOf(contextOf(first));
	expect(kept / (recipients.length - 1)).toBeLessThanOrEqual(90);
	expect(JSON.stringify(contextOf(more))).not.toContain('providerMessageId');
});
