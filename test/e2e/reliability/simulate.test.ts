import type { INode } from 'n8n-workflow';
import { connect, node, type Execution } from '../../../harness';
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

test('a retry after a simulated run that failed sends everything once it may', async () => {
	const send = stage.ours({ own: { simulate: 'always' } });
	const id = await stage.manual([recipientsNode(['0170', ...phones(2)]), send]);
	const failed = await stage.n8n.run(id);
	const real = stage.ours();
	const phone = '={{ $json.phone.length > 5 ? $json.phone : "919812345678" }}';
	await stage.replace(id, { ...real, parameters: { ...real.parameters, phone } });
	const retried = await stage.n8n.retry(failed.id, { isCurrent: true });
	expect(told(retried)).toEqual(Array(3).fill('sent'));
	expect(stage.service.arrivals).toHaveLength(3);
});

describe('in a sub-workflow of a run by hand', () => {
	const item = { simulate: 'always' };

	/** What the sub-workflow that sends makes of one item. */
	async function called(send: INode): Promise<Execution> {
		const { n8n } = stage;
		const type = 'n8n-nodes-base.executeWorkflowTrigger';
		const trigger = node('Called', type, { inputSource: 'passthrough' }, { typeVersion: 1.1 });
		const nodes = [trigger, send];
		const id = await n8n.createWorkflow({ name: 'Called', nodes, connections: connect(nodes) });
		await n8n.publish(id);
		const workflowId = { __rl: true, mode: 'id', value: id };
		const call = node(
			'Call',
			'n8n-nodes-base.executeWorkflow',
			{ workflowId, mode: 'once', options: {} },
			{ typeVersion: 1.2 },
		);
		const code = `return [{ json: ${JSON.stringify({ phone: phones(1)[0], ...item })} }];`;
		const list = { ...recipientsNode([]), parameters: { jsCode: code } };
		await n8n.run(await stage.manual([list, call]));
		const [execution] = await n8n.waitForExecutions(id, 1);
		await n8n.unpublish(id);
		if (!execution) throw new Error('The sub-workflow did not run');
		return execution;
	}

	test('Not in Production is refused, because nobody knows who started it', async () => {
		const execution = await called(stage.ours({ own: { simulate: 'notInProduction' } }));
		expect(execution.error?.message).toMatch(/cannot be Not in Production in a sub-workflow/);
		expect(stage.service.requests).toBe(0);
	});

	test('what the calling workflow hands over counts', async () => {
		const execution = await called(stage.ours({ own: { simulate: '={{ $json.simulate }}' } }));
		expect(told(execution)).toEqual(['simulated']);
		expect(stage.service.requests).toBe(0);
	});
});
