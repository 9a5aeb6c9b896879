import type { INode, INodeParameters } from 'n8n-workflow';
import {
	always,
	bench,
	helperName,
	httpRequest,
	makeItems,
	MiB,
	nodesMs,
	posting,
	publishFlow,
	sendTemplate,
	type FlowRun,
	type Stage,
} from '../stage';
import { alternate, compare, type Row } from '../row';

const path = '/chat/send-template';

/** Template messages against the HTTP Request node, paced and with default settings. */
export async function sends(stage: Stage): Promise<Row[]> {
	return [...(await paced(stage)), ...(await unpaced(stage))];
}

const request = (stage: Stage, options: INodeParameters = {}): INode =>
	httpRequest(stage, path, {
		...posting(
			'={{ { phone: $json.phone.slice(1), templateName: "order_update", language: "en" } }}',
		),
		options,
	});

/** 50 at once, the service taking 50 ms. */
async function paced(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const count = stage.sized(1_000, 300);
	const atOnce = 50;
	const batching = (batchInterval: number) => ({
		batching: { batch: { batchSize: atOnce, batchInterval } },
	});
	const flows = {
		own: await sending(stage, count, sendTemplate(stage, batching(0))),
		// Its pause between batches cannot be left out; the service's latency is the best choice.
		peer: await sending(stage, count, request(stage, batching(50))),
		helper: await sending(stage, count, bench('send', { atOnce }, stage)),
	};
	await always(stage, { kind: 'latency', path, latencyMs: 50 });
	const runs = await alternate(rounds, flows);
	await sandbox.control.clearFaults();
	const name = '1,000 template sends, 50 at once, latency 50 ms';
	return compare(
		{ name, ours: nodesMs(runs.own) },
		['HTTP Request, batches of 50', nodesMs(runs.peer), 0.75],
		[helperName, nodesMs(runs.helper), 1.1],
	);
}

/** As a user would leave it. */
async function unpaced(stage: Stage): Promise<Row[]> {
	const count = stage.sized(5_000, 500);
	const runs = await alternate(1, {
		own: await sending(stage, count, sendTemplate(stage)),
		peer: await sending(stage, count, request(stage)),
	});
	const connections = (all: Sent[]) => all.map((run) => run.connections);
	const peerName = 'HTTP Request';
	const name = '5,000 template sends, default settings';
	return [
		...compare({ name: `${name}: connections at once`, unit: '', ours: connections(runs.own) }, [
			peerName,
			connections(runs.peer),
			0.01,
		]),
		...compare({ name: `${name}: memory`, unit: 'MiB', ours: MiB(runs.own) }, [
			peerName,
			MiB(runs.peer),
			0.3,
		]),
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
