import type { Execution } from '../../../harness';
import { toldBy } from '../../support/reliability/ledger';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const told = (execution: Execution) => execution.json(sender).map(toldBy);

// Only n8n knows whether a run was begun by hand.
test('a run by hand and its retry are simulated where production is not', async () => {
	const send = stage.ours({ own: { simulate: 'notInProduction' } });
	const id = await stage.manual([recipientsNode(['0170', ...phones(2)]), send]);
	const failed = await stage.n8n.run(id);
	expect(failed.status).toBe('error');
	await stage.replace(id, recipientsNode(phones(3)));
	expect(told(await stage.n8n.run(id))).toEqual(Array(3).fill('simulated'));
	const parameters = { ...send.parameters, phone: phones(1)[0] };
	await stage.replace(id, { ...send, parameters });
	const retried = await stage.n8n.retry(failed.id, { isCurrent: true });
	expect(told(retried)).toEqual(Array(3).fill('simulated'));
	expect(stage.service.requests).toBe(0);

	const { start } = await stage.production([recipientsNode(phones(3)), send]);
	expect(told(await stage.n8n.waitForExecution(await start()))).toEqual(Array(3).fill('sent'));
});
