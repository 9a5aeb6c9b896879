import { bare } from '../bare';
import {
	benchNode,
	besideHelper,
	httpRequest,
	makeItems,
	ours,
	publishFlow,
	type Flow,
} from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const path = '/voice/call-logs';

/** The whole call log against the HTTP Request node's pagination, the service taking 50 ms. */
export async function lists(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const count = stage.sized(10_000, 2_000);
	await sandbox.control.addCalls(count);
	const own = await publishFlow(stage, makeItems(1), [
		ours(stage, { resource: 'voiceCall', operation: 'getMany', returnAll: true }),
	]);
	const peer = await publishFlow(stage, makeItems(1), [
		httpRequest(stage, path, {
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'pageSize', value: '100' }] },
			options: {
				pagination: {
					pagination: {
						parameters: {
							parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
						},
						paginationCompleteWhen: 'other',
						completeExpression: '={{ $response.body.data.length < 100 }}',
					},
				},
			},
		}),
	]);
	const helper = await publishFlow(stage, makeItems(1), [benchNode(stage, 'benchPages')]);
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 50, count: 'infinite' });
	const url = `${sandbox.baseUrl}${path}`;
	const apiKey = sandbox.keys.production;
	const complete = async (flow: Flow, items: number) => {
		const run = await flow();
		if (run.items !== items) throw new Error(`${run.items} items of ${items}`);
		return run.ms;
	};
	const runs = await alternate(rounds, {
		own: async () => await complete(own, count),
		// One item per page; the last one is empty.
		peer: async () => await complete(peer, count / 100 + 1),
		helper: async () => await complete(helper, count),
		bare: async () => {
			const { ms, records } = await bare<{ ms: number; records: number }>('callLogs', {
				url,
				apiKey,
			});
			if (records !== count) throw new Error(`${records} records of ${count}`);
			return ms;
		},
	});
	await sandbox.control.clearFaults();
	const name = 'all of 10,000 call-log records, latency 50 ms';
	return [
		toRow({
			name,
			unit: 'ms',
			ours: runs.own,
			peer: runs.peer,
			peerName: 'HTTP Request, pagination',
			target: 0.3,
			limit: runs.bare,
			limitTarget: 1.05,
		}),
		...besideHelper(name, runs.own, runs),
	];
}
