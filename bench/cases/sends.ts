import type { INode, INodeParameters } from 'n8n-workflow';
import {
	httpRequest,
	makeItems,
	MiB,
	nodesMs,
	publishFlow,
	sendTemplate,
	type FlowRun,
	type Stage,
} from '../stage';
import { alternate, toRow, type Row } from '../row';

const path = '/chat/send-template';

/** Template messages against the HTTP Request node, paced and with default settings. */
export async function sends(stage: Stage): Promise<Row[]> {
	return [await paced(stage), ...(await unpaced(stage))];
}

const request = (stage: Stage, options: INodeParameters = {}): INode =>
	httpRequest(stage, path, {
		method: 'POST',
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={{ { phone: $json.phone.slice(1), templateName: "order_update", language: "en" } }}',
		options,
	});

/** 50 at once, the service taking 50 ms. */
async function paced(stage: Stage): Promise<Row> {
	const { sandbox, rounds } = stage;
	const count = stage.sized(1_000, 300);
	const batching = (batchInterval: number) => ({
		batching: { batch: { batchSize: 50, batchInterval } },
	});
	const flows = {
		own: await sending(stage, count, sendTemplate(stage, batching(0))),
		// Its pause between batches cannot be left out; the service's latency is the best choice.
		peer: await sending(stage, count, request(stage, batching(50))),
	};
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 50, count: 'infinite' });
	const runs = await alternate(rounds, flows);
	await sandbox.control.clearFaults();
	return toRow({
		name: '1,000 template sends, 50 at once, latency 50 ms',
		unit: 'ms',
		ours: nodesMs(runs.own),
		peer: nodesMs(runs.peer),
		peerName: 'HTTP Request, batches of 50',
		target: 0.75,
	});
}

/** As a user would leave it. */
async function unpaced(stage: Stage): Promise<Row[]> {
	const count = stage.sized(5_000, 500);
	const runs = await alternate(stage.sized(2, 1), {
		own: await sending(stage, count, sendTemplate(stage)),
		peer: await sending(stage, count, request(stage)),
	});
	const connections = (all: Sent[]) => all.map((run) => run.connections);
	const row = { peerName: 'HTTP Request' };
	const name = '5,000 template sends, default settings';
	return [
		toRow({
			...row,
			name: `${name}: connections at once`,
			unit: '',
			ours: connections(runs.own),
			peer: connections(runs.peer),
			target: 0.01,
		}),
		toRow({
			...row,
			name: `${name}: memory`,
			unit: 'MiB',
			ours: MiB(runs.own),
			peer: MiB(runs.peer),
			target: 0.3,
		}),
	];
}

interface Sent extends FlowRun {
	/** Connections open at the same time, at most. */
	connections: number;
}

/** Publishes a workflow that sends; gives what runs it. Every item must arrive at the service once. */
async function sending(stage: Stage, count: number, send: INode): Promise<() => Promise<Sent>> {
	const { control } = stage.sandbox;
	const flow = await publishFlow(stage, makeItems(count), send, { expected: count });
	return async () => {
		await control.resetStats();
		const run = await flow();
		const { requests, peakConnections } = await control.stats();
		if (requests !== count) throw new Error(`${requests} of ${count} requests arrived`);
		return { ...run, connections: peakConnections };
	};
}
