import {
	always,
	bench,
	helperName,
	httpRequest,
	makeItems,
	nodesMs,
	ours,
	publishFlow,
	type Stage,
} from '../stage';
import { alternate, compare, type Row } from '../row';

const path = '/voice/call-logs';

/** What reads whole lists, beside what n8n has for it. */
export async function lists(stage: Stage): Promise<Row[]> {
	return [...(await callLogs(stage)), ...(await outcome(stage))];
}

/** The whole call log against the HTTP Request node's pagination, the service taking 50 ms. */
async function callLogs(stage: Stage): Promise<Row[]> {
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
		helper: await publishFlow(stage, one, bench('pages', {}, stage), { expected: count }),
	};
	await always(stage, { kind: 'latency', path, latencyMs: 50 });
	const runs = await alternate(rounds, flows);
	await sandbox.control.clearFaults();
	const name = 'all of 10,000 call-log records, latency 50 ms';
	return compare(
		{ name, ours: nodesMs(runs.own) },
		['HTTP Request, pagination', nodesMs(runs.peer), 0.3],
		[helperName, nodesMs(runs.helper), 1.1],
	);
}

/** Get Outcome for all rows of a campaign against Get Many, which reads the same list and no more. */
async function outcome(stage: Stage): Promise<Row[]> {
	const count = stage.sized(20_000, 5_000);
	const items = makeItems(count);
	const sentAfter = new Date().toISOString();
	const create = { resource: 'bulkCampaign', operation: 'create', templateName: 'order_update' };
	await (
		await publishFlow(stage, items, ours(stage, create))
	)();

	const getOutcome = { resource: 'bulkCampaign', operation: 'getOutcome', sentAfter };
	const filters = { sentAfter };
	const getMany = { resource: 'chatMessage', operation: 'getMany', returnAll: true, filters };
	const runs = await alternate(stage.rounds, {
		own: await publishFlow(stage, items, ours(stage, getOutcome), { expected: count }),
		peer: await publishFlow(stage, makeItems(1), ours(stage, getMany), { expected: count }),
	});
	const name = 'the outcome of a campaign of 20,000 rows';
	const beside = nodesMs(runs.peer);
	return compare({ name, ours: nodesMs(runs.own) }, ['Get Many alone', beside, 1.2]);
}
