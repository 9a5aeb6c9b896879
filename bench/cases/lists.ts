import { helperName, makeItems, time, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const path = '/voice/call-logs';

/** The whole call log against the HTTP Request node's pagination, the service taking 50 ms. */
export async function callLogs(stage: Stage): Promise<Row[]> {
	const count = stage.sized(10_000, 2_000);
	await stage.sandbox.control.addCalls(count);
	const one = makeItems(1);
	const parameters = { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] };
	const pagination = {
		parameters,
		paginationCompleteWhen: 'other',
		completeExpression: '={{ $response.body.data.length < 100 }}',
	};
	const request = stage.httpRequest(path, {
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'pageSize', value: '100' }] },
		options: { pagination: { pagination } },
	});
	const getMany = { resource: 'voiceCall', operation: 'getMany', returnAll: true };
	await stage.always({ kind: 'latency', path, latencyMs: 50 });
	const runs = await alternate(stage.rounds, {
		own: await stage.publishFlow(one, stage.ours(getMany), { expected: count }),
		// One item per page; the last one is empty.
		peer: await stage.publishFlow(one, request, { expected: count / 100 + 1 }),
		helper: await stage.publishFlow(one, stage.helper('pages'), { expected: count }),
	});
	return compare(
		'all of 10,000 call-log records, latency 50 ms',
		time,
		runs.own,
		['HTTP Request, pagination', runs.peer, 0.3],
		[helperName, runs.helper, 1.1],
	);
}

/** Get Outcome for all rows of a campaign against Get Many, which reads the same list and no more. */
export async function outcome(stage: Stage): Promise<Row[]> {
	const count = stage.sized(20_000, 5_000);
	const items = makeItems(count);
	const sentAfter = new Date().toISOString();
	const create = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
	const campaign = await stage.publishFlow(items, stage.ours(create));
	await campaign();

	const getOutcome = { resource: 'bulkCampaign', operation: 'getOutcome', sentAfter };
	const filters = { sentAfter };
	const getMany = { resource: 'chatMessage', operation: 'getMany', returnAll: true, filters };
	const runs = await alternate(stage.rounds, {
		own: await stage.publishFlow(items, stage.ours(getOutcome), { expected: count }),
		peer: await stage.publishFlow(makeItems(1), stage.ours(getMany), { expected: count }),
	});
	const name = 'the outcome of a campaign of 20,000 rows';
	return compare(name, time, runs.own, ['Get Many alone', runs.peer, 1.2]);
}
