import type { INode, INodeParameters } from 'n8n-workflow';
import { makeItems, memory, time, type FlowRun, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const path = '/chat/send-template';

const request = (stage: Stage, options?: INodeParameters): INode => {
	const body = '{ phone: $json.phone.slice(1), templateName: "order_update", language: "en" }';
	return stage.posting(path, `={{ ${body} }}`, options);
};

/** Template messages against the HTTP Request node, 50 at once, the service taking 50 ms. */
export async function paced(stage: Stage): Promise<Row[]> {
	const count = stage.sized(1_000, 300);
	const atOnce = 50;
	const batching = (batchInterval: number) => ({
		batching: { batch: { batchSize: atOnce, batchInterval } },
	});
	await stage.always({ kind: 'latency', path, latencyMs: 50 });
	const runs = await alternate(stage.rounds, {
		own: await sending(stage, count, stage.sendTemplate(batching(0))),
		// Its pause between batches cannot be left out; the service's latency is the best choice.
		peer: await sending(stage, count, request(stage, batching(50))),
	});
	const name = '1,000 template sends, 50 at once, latency 50 ms';
	return compare(name, time, runs.own, ['HTTP Request, batches of 50', runs.peer, 0.85]);
}

/** The same as a user would leave it. */
export async function unpaced(stage: Stage): Promise<Row[]> {
	const count = stage.sized(5_000, 500);
	const runs = await alternate(1, {
		own: await sending(stage, count, stage.sendTemplate()),
		peer: await sending(stage, count, request(stage)),
	});
	const connections = { unit: '', of: (run: Sent) => run.connections };
	const peerName = 'HTTP Request';
	const name = '5,000 template sends, default settings';
	return [
		...compare(`${name}: connections at once`, connections, runs.own, [peerName, runs.peer, 0.01]),
		...compare(`${name}: memory`, memory, runs.own, [peerName, runs.peer, 0.6]),
	];
}

interface Sent extends FlowRun {
	/** Connections open at the same time, at most. */
	connections: number;
}

/** Publishes a workflow that sends; gives what runs it. Every item must arrive at the service once. */
async function sending(stage: Stage, count: number, send: INode): Promise<() => Promise<Sent>> {
	const { control } = stage.sandbox;
	const flow = await stage.publishFlow(makeItems(count), send, count);
	return async () => {
		await control.resetStats();
		const run = await flow();
		const { requests, peakConnections } = await control.stats();
		if (requests !== count) throw new Error(`${requests} of ${count} requests arrived`);
		return { ...run, connections: peakConnections };
	};
}
