import { connect, type Execution } from '../../../harness';
import { toldBy } from '../../support/reliability/ledger';
import { phones, recipientsNode, sender, useStage } from '../../support/reliability/stage';

const stage = useStage();

const told = (execution: Execution, name: string) => execution.json(name).map(toldBy);

// What they are known by in one node is tested in test/unit/sending.
test('keys are those of one node of one workflow, whatever it is called', async () => {
	const { n8n, ours, manual, service } = stage;
	const send = ours({ own: { idempotencyKey: '={{ $json.order }}' } });
	// Again runs once for all items, so that the second node gets the same five.
	const nodes = [
		recipientsNode(phones(5)),
		send,
		recipientsNode(phones(5), 'Again'),
		{ ...send, id: 'second', name: 'Second' },
	];
	const [id, other] = [await manual(nodes), await manual(nodes)];
	for (const workflow of [id, other]) {
		const execution = await n8n.run(workflow);
		for (const name of [sender, 'Second'])
			expect(told(execution, name)).toEqual(Array(5).fill('sent'));
	}
	const saved = await n8n.getWorkflow(id);
	const renamed = saved.nodes.map((one) => ({
		...one,
		name: one.name.replace('Sec', 'Another Sec'),
	}));
	await n8n.updateWorkflow(id, { nodes: renamed, connections: connect(renamed) });
	expect(told(await n8n.run(id), 'Another Second')).toEqual(Array(5).fill('alreadySent'));
	expect(service.arrivals).toHaveLength(20);
});
