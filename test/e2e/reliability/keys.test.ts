import type { IDataObject } from 'n8n-workflow';
import type { Execution } from '../../../harness';
import { toldBy } from '../../support/reliability/ledger';
import type { Act } from '../../support/reliability/service';
import {
	phones,
	recipientsNode,
	sender,
	useStage,
	type SendSettings,
} from '../../support/reliability/stage';

const stage = useStage();

const goingOn = { onError: 'continueRegularOutput' as const };
const reject: Act = { does: 'reject' };

/** Each item's key is its order. */
const keyed: SendSettings = { own: { idempotencyKey: '={{ $json.order }}' }, extra: goingOn };

/** A workflow that sends to so many recipients, the first with the key o0 and so on. */
const workflow = async (count: number, settings: SendSettings = {}) =>
	await stage.manual([recipientsNode(phones(count)), stage.ours({ ...keyed, ...settings })]);

const told = (execution: Execution) => execution.json(sender).map(toldBy);

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const arrivals = () => stage.service.arrivals.map(({ recipient }) => recipient).sort();

test('a key that was accepted in an earlier execution is not sent, and its item says so', async () => {
	const id = await workflow(10);
	expect(told(await stage.n8n.run(id))).toEqual(times(10, 'sent'));
	const second = await stage.n8n.run(id);
	expect(second.status).toBe('success');
	expect(told(second)).toEqual(times(10, 'alreadySent'));
	expect(second.json(sender)[3]).toMatchObject({ alreadySent: true, idempotencyKey: 'o3' });
	expect(second.output(sender).map(({ pairedItem }) => pairedItem)).toEqual(
		Array.from({ length: 10 }, (_, item) => ({ item })),
	);
	expect(arrivals()).toEqual(phones(10));
});

test('another key is another send, also to the same number', async () => {
	const id = await workflow(5);
	await stage.n8n.run(id);
	const idempotencyKey = '={{ $json.order + "-2" }}';
	await stage.replace(id, stage.ours({ ...keyed, own: { idempotencyKey } }));
	expect(told(await stage.n8n.run(id))).toEqual(times(5, 'sent'));
	expect(stage.service.arrivals).toHaveLength(10);
});

test('the same key with another content is not sent either', async () => {
	const id = await workflow(5);
	await stage.n8n.run(id);
	await stage.replace(id, stage.ours({ ...keyed, template: 'another_template' }));
	expect(told(await stage.n8n.run(id))).toEqual(times(5, 'alreadySent'));
	expect(arrivals()).toEqual(phones(5));
});

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

test('of two executions at the same moment, one whose key is rejected leaves it to the other', async () => {
	const id = await workflow(20);
	stage.service.delayMs = 20;
	for (const phone of phones(20)) stage.service.script(phone, reject);
	const executionIds = await Promise.all([stage.n8n.start(id), stage.n8n.start(id)]);
	for (const one of executionIds) await stage.n8n.waitForExecution(one);
	const last = await stage.n8n.run(id);
	expect(told(last).every((one) => one === 'sent' || one === 'alreadySent')).toBe(true);
	expect(arrivals()).toEqual(phones(20));
});

test('a rejected key is free again, in a fresh execution and in a retry', async () => {
	stage.service.script(phones(1)[0] ?? '', reject, reject);
	const id = await workflow(3, { extra: {} });
	const first = await stage.n8n.run(id);
	expect(first.status).toBe('error');
	const second = await stage.n8n.run(id);
	expect(second.status).toBe('error');
	const third = await stage.n8n.retry(second.id);
	expect(third.status).toBe('success');
	expect(arrivals()).toEqual(phones(3));
	// Two of the three were accepted by the first execution itself: it gives their responses again.
	expect(told(await stage.n8n.retry(first.id))).toEqual(['alreadySent', 'sent', 'sent']);
	expect(arrivals()).toEqual(phones(3));
});

test('a key that was never sent, because the run stopped before it, is free', async () => {
	stage.service.script(phones(1)[0] ?? '', reject);
	const id = await workflow(60, { extra: {} });
	expect((await stage.n8n.run(id)).status).toBe('error');
	expect(stage.service.arrivals.length).toBeLessThan(30);
	const second = await stage.n8n.run(id);
	expect(second.status).toBe('success');
	expect(arrivals()).toEqual(phones(60));
});

describe('a key whose fate is unknown', () => {
	const cut: Act = { does: 'cut', acts: true };
	const [phone = ''] = phones(1);

	test('fails in a fresh execution with a way to find out, and is not sent', async () => {
		stage.service.script(phone, cut);
		const id = await workflow(3);
		expect(told(await stage.n8n.run(id))).toEqual(['unknown', 'sent', 'sent']);
		const second = await stage.n8n.run(id);
		expect(told(second)).toEqual(['unknown', 'alreadySent', 'alreadySent']);
		const { description } = second.json(sender)[0]?.details as IDataObject;
		expect(String(description)).toMatch(/Send Again If Unsure/);
		expect(arrivals()).toEqual(phones(3));
	});

	test('is sent with Send Again If Unsure, and known from then on', async () => {
		stage.service.script(phone, { does: 'cut', acts: false });
		const id = await workflow(3);
		await stage.n8n.run(id);
		const own = { ...keyed.own, resendUnknown: true };
		await stage.replace(id, stage.ours({ ...keyed, own }));
		expect(told(await stage.n8n.run(id))).toEqual(['sent', 'alreadySent', 'alreadySent']);
		expect(told(await stage.n8n.run(id))).toEqual(times(3, 'alreadySent'));
		expect(arrivals()).toEqual(phones(3));
	});

	test('is not sent by a second item of the same run', async () => {
		stage.service.script(phone, cut);
		const own = { idempotencyKey: 'one order', batching: { batch: { batchSize: 1 } } };
		const id = await workflow(3, { own });
		expect(told(await stage.n8n.run(id))).toEqual(times(3, 'unknown'));
		expect(arrivals()).toEqual([phone]);
	});
});

test('a key twice in one run is sent once, however many requests are in flight', async () => {
	stage.service.delayMs = 50;
	const id = await workflow(20, { own: { idempotencyKey: '={{ "k" + $itemIndex % 4 }}' } });
	const execution = await stage.n8n.run(id);
	expect(told(execution).sort()).toEqual([...times(16, 'alreadySent'), ...times(4, 'sent')]);
	expect(new Set(execution.json(sender).slice(4).map(toldBy))).toEqual(new Set(['alreadySent']));
	expect(arrivals()).toEqual(phones(4));
});

test('a key twice in one run, the first rejected: the second is sent', async () => {
	const [first = '', second = ''] = phones(2);
	stage.service.script(first, reject);
	const id = await workflow(2, { own: { idempotencyKey: 'one order' } });
	expect(told(await stage.n8n.run(id))).toEqual(['rejected', 'sent']);
	expect(arrivals()).toEqual([second]);
});

describe('an empty key', () => {
	const own = { idempotencyKey: '={{ $itemIndex === 2 ? "" : $json.order }}' };

	test('is a mistake of the item, found before anything is sent', async () => {
		const execution = await stage.n8n.run(await workflow(5, { own, extra: {} }));
		expect(execution.status).toBe('error');
		expect(execution.error?.context?.itemIndex).toBe(2);
		expect(execution.error?.context?.data?.outcome).toBe('notSent');
		expect(stage.service.requests).toBe(0);
	});

	test('fails its item alone with continue on fail', async () => {
		const execution = await stage.n8n.run(await workflow(5, { own }));
		expect(told(execution)).toEqual(['sent', 'sent', 'notSent', 'sent', 'sent']);
		expect(stage.service.arrivals).toHaveLength(4);
	});

	test.each(['={{ undefined }}', '={{ null }}', '={{ "  " }}', '={{ $json.missing }}'])(
		'%s is one too',
		async (idempotencyKey) => {
			const execution = await stage.n8n.run(await workflow(2, { own: { idempotencyKey } }));
			expect(told(execution)).toEqual(['notSent', 'notSent']);
			expect(stage.service.requests).toBe(0);
		},
	);
});

test('a key of a number is the same as its text', async () => {
	const id = await workflow(1, { own: { idempotencyKey: '={{ 4711 }}' } });
	await stage.n8n.run(id);
	await stage.replace(id, stage.ours({ ...keyed, own: { idempotencyKey: '4711' } }));
	expect(told(await stage.n8n.run(id))).toEqual(['alreadySent']);
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

test('a retry of an execution with keys returns its answers and sends the rest', async () => {
	stage.service.script(phones(20)[10] ?? '', reject);
	const id = await workflow(20, { extra: {}, varying: '$now.toMillis()' });
	const failed = await stage.n8n.run(id);
	expect(failed.status).toBe('error');
	const retried = await stage.n8n.retry(failed.id);
	expect(told(retried)).toEqual(times(20, 'sent'));
	expect(arrivals()).toEqual(phones(20));
});
