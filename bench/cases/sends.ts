import type { INode, INodeParameters } from 'n8n-workflow';
import { bare } from '../bare';
import {
	besideHelper,
	helper,
	helperName,
	httpRequest,
	makeItems,
	ours,
	publishFlow,
	type Flow,
	type FlowRun,
} from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const path = '/chat/send-template';

/** Template messages against the HTTP Request node, paced and with default settings. */
export async function sends(stage: Stage): Promise<Row[]> {
	return [...(await paced(stage)), ...(await unpaced(stage))];
}

const own = (stage: Stage, options: INodeParameters = {}): INode =>
	ours(stage, {
		resource: 'chatMessage',
		operation: 'sendTemplate',
		phone: '={{ $json.phone }}',
		templateName: 'order_update',
		options,
	});

const peer = (stage: Stage, options: INodeParameters = {}): INode =>
	httpRequest(stage, path, {
		method: 'POST',
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={{ { phone: $json.phone.slice(1), templateName: "order_update", language: "en" } }}',
		options,
	});

/** 50 at once, the service taking 50 ms. */
async function paced(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const count = stage.sized(1_000, 300);
	const atOnce = 50;
	const items = makeItems(count);
	const batching = (batchInterval: number) => ({
		batching: { batch: { batchSize: atOnce, batchInterval } },
	});
	const flows = {
		own: await publishFlow(stage, items, [own(stage, batching(0))]),
		// Its pause between batches cannot be left out; the service's latency is the best choice.
		peer: await publishFlow(stage, items, [peer(stage, batching(50))]),
		helper: await publishFlow(stage, items, [helper(stage, atOnce)]),
	};
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 50, count: 'infinite' });
	const url = `${sandbox.baseUrl}${path}`;
	const apiKey = sandbox.keys.production;
	const runs = await alternate(rounds, {
		own: async () => (await arrived(stage, flows.own, count)).ms,
		peer: async () => (await arrived(stage, flows.peer, count)).ms,
		helper: async () => (await arrived(stage, flows.helper, count)).ms,
		bare: async () => (await bare<{ ms: number }>('sends', { url, apiKey, count, atOnce })).ms,
	});
	await sandbox.control.clearFaults();
	const name = '1,000 template sends, 50 at once, latency 50 ms';
	return [
		toRow({
			name,
			unit: 'ms',
			ours: runs.own,
			peer: runs.peer,
			peerName: 'HTTP Request, batches of 50',
			target: 0.65,
			limit: runs.bare,
			limitTarget: 1.1,
		}),
		...besideHelper(name, runs.own, runs),
	];
}

/** As a user would leave it. */
async function unpaced(stage: Stage): Promise<Row[]> {
	const rounds = Math.min(stage.rounds, 2);
	const count = stage.sized(10_000, 500);
	const items = makeItems(count);
	const flows = {
		own: await publishFlow(stage, items, [own(stage)]),
		peer: await publishFlow(stage, items, [peer(stage)]),
		helper: await publishFlow(stage, items, [helper(stage, 5)]),
	};
	const runs = await alternate(rounds, {
		own: async () => await arrived(stage, flows.own, count),
		peer: async () => await arrived(stage, flows.peer, count),
		helper: async () => await arrived(stage, flows.helper, count),
	});
	const of = (all: Sent[], value: (one: Sent) => number) => all.map(value);
	const label = '10,000 template sends, default settings';
	const peerName = 'HTTP Request';
	return [
		toRow({
			name: `${label}: connections at once`,
			unit: '',
			ours: of(runs.own, ({ connections }) => connections),
			peer: of(runs.peer, ({ connections }) => connections),
			peerName,
			limit: runs.own.map(() => 5),
			limitName: 'Batching',
			limitTarget: 1,
		}),
		toRow({
			name: `${label}: memory`,
			unit: 'MiB',
			ours: of(runs.own, ({ memory }) => memory / 2 ** 20),
			peer: of(runs.peer, ({ memory }) => memory / 2 ** 20),
			peerName,
			target: 0.3,
			limit: of(runs.helper, ({ memory }) => memory / 2 ** 20),
			limitName: helperName,
		}),
		toRow({
			name: `${label}: time`,
			unit: 'ms',
			ours: of(runs.own, ({ ms }) => ms),
			peer: of(runs.peer, ({ ms }) => ms),
			peerName,
			limit: of(runs.helper, ({ ms }) => ms),
			limitName: helperName,
		}),
	];
}

interface Sent extends FlowRun {
	/** Connections open at the same time, at most. */
	connections: number;
}

/** Runs a workflow; every item must arrive at the service once. */
async function arrived({ sandbox }: Stage, flow: Flow, count: number): Promise<Sent> {
	await sandbox.control.resetStats();
	const run = await flow();
	const { requests, peakConnections } = await sandbox.control.stats();
	if (requests !== count || run.items !== count) {
		throw new Error(`${requests} of ${count} requests arrived, ${run.items} items came out`);
	}
	return { ...run, connections: peakConnections };
}
