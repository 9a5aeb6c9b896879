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

test('a successful execution keeps little beside its output, and failed items among others add little', async () => {
	const { n8n, service, manual, ours } = stage;
	const run = async (all: string[]): Promise<Execution> => {
		const send = ours({ extra: { onError: 'continueRegularOutput' } });
		return await n8n.run(await manual([recipientsNode(all), send]));
	};
	const first = await run(phones(1));
	const good = await run(recipients);
	expect(good.json(sender)).toHaveLength(200);
	// What went to whom, for a later round.
	const kept = bytesOf(contextOf(good)) - bytesOf(contextOf(first));
	expect(kept / (recipients.length - 1)).toBeLessThanOrEqual(90);
	expect(JSON.stringify(contextOf(good))).not.toContain('providerMessageId');

	service.script(recipients[50] ?? '', { does: 'reject' });
	service.script(recipients[60] ?? '', { does: 'cut', acts: true });
	const failing = await run(recipients);
	expect(failing.json(sender).filter(({ error }) => error !== undefined)).toHaveLength(2);
	expect((bytesOf(failing.raw.data) - bytesOf(good.raw.data)) / 2).toBeLessThan(1_500);
});
