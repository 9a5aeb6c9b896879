import { phones, recipientsNode, useStage } from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(100);

test('a node stops before the time limit of its workflow, and retries send the rest', async () => {
	const { n8n, service } = stage;
	const send = stage.ours({ options: { batching: { batch: { batchSize: 2 } } } });
	const settings = { executionTimeout: 10 };
	const { start } = await stage.production([recipientsNode(recipients), send], { settings });
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
