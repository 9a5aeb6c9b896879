import { pause } from '../../../harness';
import { fates, untrue } from '../../support/reliability/ledger';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const recipients = phones(100);

// n8n keeps nothing of the node that a timeout has stopped: docs/reliability.md says so, too.
test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'a workflow timeout in the middle of the sends ends them, and Retry tells nothing untrue (%s)',
	async (onError) => {
		const { n8n, service } = stage;
		const options = { batching: { batch: { batchSize: 2 } } };
		const { start } = await stage.production(
			[recipientsNode(recipients), stage.ours({ options, extra: { onError } })],
			{ settings: { executionTimeout: 3 } },
		);
		service.delayMs = 100;
		const ended = await n8n.waitForExecution(await start());
		expect(ended.status).toBe('canceled');
		// What was in flight arrives.
		await pause(1_000);
		const sent = service.arrivals.length;
		expect(sent).toBeGreaterThan(0);
		expect(sent).toBeLessThan(100);

		service.delayMs = 0;
		const retried = await n8n.retry(ended.id);
		expect(retried.runs(sender)).toEqual([]);
		expect(service.arrivals).toHaveLength(sent);
		expect(untrue(fates(service.arrivals, retried, sender, [recipients]))).toEqual([]);
	},
);
