import { httpRequest, makeItems, nodesMs, ours, publishFlow, type Stage } from '../stage';
import { alternate, toRow, type Row } from '../row';

const path = '/voice/call-logs';

/** The whole call log against the HTTP Request node's pagination, the service taking 50 ms. */
export async function lists(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const count = stage.sized(10_000, 2_000);
	await sandbox.control.addCalls(count);
	const one = makeItems(1);
	const parameters = { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] };
	const pagination = {
		parameters,
		paginationCompleteWhen: 'other',
		completeExpression: '={{ $response.body.data.length < 100 }}',
	};
	const request = httpRequest(stage, path, {
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'pageSize', value: '100' }] },
		options: { pagination: { pagination } },
	});
	const getMany = { resource: 'voiceCall', operation: 'getMany', returnAll: true };
	const flows = {
		own: await publishFlow(stage, one, ours(stage, getMany), { expected: count }),
		// One item per page; the last one is empty.
		peer: await publishFlow(stage, one, request, { expected: count / 100 + 1 }),
	};
	await sandbox.control.addFault({ kind: 'latency', path, latencyMs: 50, count: 'infinite' });
	const runs = await alternate(rounds, flows);
	await sandbox.control.clearFaults();
	return [
		toRow({
			name: 'all of 10,000 call-log records, latency 50 ms',
			unit: 'ms',
			ours: nodesMs(runs.own),
			peer: nodesMs(runs.peer),
			peerName: 'HTTP Request, pagination',
			target: 0.3,
		}),
	];
}
