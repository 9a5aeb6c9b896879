import type { IDataObject } from 'n8n-workflow';
import { attachN8n, type Execution } from '../../../harness';
import { phones, recipientsNode, SENDER, Stage } from '../../support/reliability/stage';

let stage: Stage;

beforeAll(async () => {
	stage = await Stage.open(attachN8n());
});

afterAll(async () => await stage.close());

/** Bytes that an execution may keep of an accepted item beyond the service's answer to it. */
const MOST_BYTES = 120;

const recipients = phones(200);

/** What n8n has saved of a node beside its output. */
const contextOf = (execution: Execution): IDataObject => {
	const { executionData } = execution.raw.data as { executionData?: IDataObject };
	return ((executionData?.contextData as IDataObject | undefined)?.[`node:${SENDER}`] ??
		{}) as IDataObject;
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test('a failed execution keeps little of an accepted item beyond its answer', async () => {
	const { n8n, service, manual, ours } = stage;
	service.reset();
	service.script(recipients.at(-1) ?? '', { does: 'reject' });
	const failed = await n8n.run(await manual([recipientsNode(recipients), ours()]));
	expect(failed.status).toBe('error');

	const retried = await n8n.retry(failed.id);
	const accepted = retried.json(SENDER).slice(0, -1);
	expect(accepted).toHaveLength(199);
	const answers = accepted.reduce((sum, answer) => sum + bytesOf(answer), 0);
	const kept = bytesOf(contextOf(failed));
	// The answers themselves are there, which a retry gives again.
	expect(kept).toBeGreaterThan(answers);
	expect((kept - answers) / accepted.length).toBeLessThanOrEqual(MOST_BYTES);
});

test('a successful execution keeps nothing beside its output', async () => {
	const { n8n, service, manual, ours } = stage;
	service.reset();
	const first = await n8n.run(await manual([recipientsNode(phones(1)), ours()]));
	const more = await n8n.run(await manual([recipientsNode(recipients), ours()]));
	expect(more.json(SENDER)).toHaveLength(200);
	expect(bytesOf(contextOf(more))).toBe(bytesOf(contextOf(first)));
});
