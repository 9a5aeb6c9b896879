import { fates, untrue } from '../../support/reliability/ledger';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(100);

const slow = { options: { batching: { batch: { batchSize: 2 } } } };

const limited = { settings: { executionTimeout: 10 } };

test('a node stops before the time limit of its workflow, and retries send the rest', async () => {
	const { n8n, service } = stage;
	const { start } = await stage.production([recipientsNode(recipients), stage.ours(slow)], limited);
	service.delayMs = 100;
	let execution = await n8n.waitForExecution(await start());
	expect(execution.error?.message).toBe(
		'The time limit of the workflow leaves no time to send this',
	);
	expect(execution.error?.description).toMatch(/Press Retry in the list of executions/);
	expect(service.arrivals.length).toBeGreaterThan(0);
	expect(service.arrivals.length).toBeLessThan(100);
	for (let tries = 0; execution.status === 'error' && tries < 30; tries++) {
		execution = await n8n.retry(execution.id);
	}
	expect(execution.status).toBe('success');
	expect(new Set(service.arrivals.map(({ recipient }) => recipient)).size).toBe(100);
	expect(service.arrivals).toHaveLength(100);
});

test('with continue on fail what there is no time for is told', async () => {
	const { n8n, service } = stage;
	const extra = { onError: 'continueRegularOutput' as const };
	const send = stage.ours({ ...slow, extra });
	const { start } = await stage.production([recipientsNode(recipients), send], limited);
	service.delayMs = 100;
	const execution = await n8n.waitForExecution(await start());
	expect(execution.status).toBe('success');
	expect(execution.json(sender)).toHaveLength(100);
	expect(untrue(fates(service.arrivals, execution, sender, [recipients]))).toEqual([]);
});
