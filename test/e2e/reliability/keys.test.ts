import type { Execution } from '../../../harness';
import { toldBy } from '../../support/reliability/ledger';
import {
	phones,
	recipientsNode,
	sender,
	useStage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const goingOn = { onError: 'continueRegularOutput' as const };

/** Each item's key is its order. */
const keyed: SendSettings = { own: { idempotencyKey: '={{ $json.order }}' }, extra: goingOn };

/** A workflow that sends to so many recipients, the first with the key o0 and so on. */
const workflow = async (count: number, settings: SendSettings = {}) =>
	await stage.manual([recipientsNode(phones(count)), stage.ours({ ...keyed, ...settings })]);

const told = (execution: Execution) => execution.json(sender).map(toldBy);

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const arrivals = () => stage.service.arrivals.map(({ recipient }) => recipient).sort();

test('two executions of the same keys at the same moment send each once', async () => {
	const id = await workflow(60);
	stage.service.delayMs = 20;
	const executionIds = await Promise.all([stage.n8n.start(id), stage.n8n.start(id)]);
	const executions = await Promise.all(
		executionIds.map(async (one) => await stage.n8n.waitForExecution(one)),
	);
	expect(arrivals()).toEqual(phones(60));
	const all = executions.map(told);
	phones(60).forEach((_, item) => {
		const pair = all.map((one) => one[item]).sort();
		expect(pair).toEqual(['alreadySent', 'sent']);
	});
});

test('the keys of two nodes of a workflow are apart, and those of two workflows', async () => {
	const second = { ...stage.ours(keyed), id: 'second', name: 'Second' };
	const start = async () =>
		await stage.manual([
			recipientsNode(phones(5)),
			stage.ours(keyed),
			recipientsNode(phones(5), 'Again'),
			second,
		]);
	// Again runs once for all items, so that the second node gets the same five.
	const executions = [await stage.n8n.run(await start()), await stage.n8n.run(await start())];
	for (const execution of executions) {
		expect(told(execution)).toEqual(times(5, 'sent'));
		expect(execution.json('Second').map(toldBy)).toEqual(times(5, 'sent'));
	}
	expect(stage.service.arrivals).toHaveLength(20);
});

test('keys survive the rename of the node', async () => {
	const id = await workflow(5);
	await stage.n8n.run(id);
	const { nodes, connections } = await stage.n8n.getWorkflow(id);
	await stage.n8n.updateWorkflow(id, {
		nodes: nodes.map((one) => (one.name === sender ? { ...one, name: 'Renamed' } : one)),
		connections: {
			...connections,
			Recipients: { main: [[{ node: 'Renamed', type: 'main', index: 0 }]] },
		},
	});
	const execution = await stage.n8n.run(id);
	expect(execution.json('Renamed').map(toldBy)).toEqual(times(5, 'alreadySent'));
	expect(arrivals()).toEqual(phones(5));
});
