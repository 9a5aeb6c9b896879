import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import { code } from '../../harness';
import { bare } from '../bare';
import {
	benchNode,
	httpRequest,
	makeItems,
	nodesAlone,
	ours,
	outsideN8n,
	publishFlow,
	type FlowRun,
} from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

const path = '/chat/bulk-send';

const MiB = 2 ** 20;

/**
 * Bulk campaigns from input items: against the Code node that builds the payloads and the HTTP
 * Request node that sends them, and against a bare script that builds and writes the same. What n8n
 * takes for the items alone is taken off.
 */
export async function bulk(stage: Stage): Promise<Row[]> {
	const { sandbox, rounds } = stage;
	const body = { success: true, campaignId: randomUUID(), total: 10_000, status: 'processing' };
	const answer = { kind: 'status', path, status: 200, body, count: 'infinite' } as const;
	await sandbox.control.addFault(answer);
	const size = { label: '100,000', count: stage.sized(100_000, 10_000) };
	const rows = [
		await againstCode(stage, size, rounds),
		...(await againstScript(stage, size, rounds)),
	];
	await sandbox.control.clearFaults();
	return rows;
}

/** Milliseconds of CPU of a bare script, and bytes of memory above the items. */
interface Bare {
	busyMs: number;
	memory: number;
}

interface Size {
	/** The number of recipients in the name of a row. */
	label: string;
	count: number;
}

async function againstCode(stage: Stage, { label, count }: Size, rounds: number): Promise<Row> {
	const items = makeItems(count);
	const flows = {
		base: await publishFlow(stage, items, []),
		own: await publishFlow(stage, items, [ours(stage, campaign)]),
		peer: await publishFlow(stage, items, codeAndRequest(stage)),
	};
	const runs = await alternate(rounds, {
		base: flows.base,
		own: async () => complete(await flows.own(), count),
		peer: async () => complete(await flows.peer(), count),
	});
	return toRow({
		name: `${label} recipients in bulk: time`,
		unit: 'ms',
		ours: nodesAlone(runs.own, runs.base),
		peer: nodesAlone(runs.peer, runs.base),
		peerName: 'Code + HTTP Request',
		target: 0.7,
	});
}

/** Up to the first request n8n's main thread does the work of the script and nothing else. */
async function againstScript(stage: Stage, { label, count }: Size, rounds: number) {
	const items = makeItems(count);
	const flows = {
		base: await publishFlow(stage, items, []),
		own: await publishFlow(stage, items, [benchNode(stage, 'benchDepart', campaign)]),
		script: await publishFlow(stage, items, [benchNode(stage, 'benchPrepare')]),
	};
	const runs = await alternate<'base' | 'own' | 'script' | 'bare', FlowRun>(rounds, {
		base: flows.base,
		own: async () => complete(await flows.own(), count),
		script: async () => complete(await flows.script(), count),
		bare: async () => {
			const { busyMs, memory } = await bare<Bare>('bulk', { count });
			return outsideN8n(busyMs, memory);
		},
	});
	const prepared = (all: FlowRun[]): number[] =>
		all.map(({ preparedMs }, round) => preparedMs - (runs.base[round]?.preparedMs ?? 0));
	const name = `${label} recipients in bulk: preparation`;
	return [
		toRow({
			name,
			unit: 'ms',
			ours: prepared(runs.own),
			limit: runs.bare.map(({ busyMs }) => busyMs),
			limitTarget: 1,
		}),
		toRow({
			name: `${name}, changed items known again`,
			unit: 'ms',
			ours: prepared(runs.own),
			limit: prepared(runs.script),
			limitName: 'the script in n8n, with a fingerprint of the items',
			limitTarget: 1,
		}),
		toRow({
			name: `${label} recipients in bulk: memory above the items`,
			unit: 'MiB',
			ours: above(runs.own, runs.base),
			limit: runs.bare.map(({ memory }) => memory / MiB),
			limitTarget: 1.5,
		}),
	];
}

const above = (runs: FlowRun[], base: FlowRun[]): number[] =>
	runs.map(({ memory }, round) => Math.max(0, memory - (base[round]?.memory ?? 0)) / MiB);

const campaign: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
	paramsFields: 'name, time',
	nameField: 'name',
};

function complete(run: FlowRun, count: number): FlowRun {
	const expected = Math.ceil(count / 10_000);
	if (run.items !== expected) throw new Error(`${run.items} campaigns, not ${expected}`);
	return run;
}

const codeAndRequest = (stage: Stage): INode[] => [
	code(
		`const recipients = $input.all().map(({ json }) => ({
			phone: json.phone.replace(/[\\s+.()-]/g, ''), params: [json.name, json.time], name: json.name }));
		const chunks = [];
		for (let i = 0; i < recipients.length; i += 10000) chunks.push({ json: {
			templateName: 'order_update', language: 'en', recipients: recipients.slice(i, i + 10000) } });
		return chunks;`,
		'Payloads',
	),
	httpRequest(stage, path, {
		method: 'POST',
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ $json }}',
		options: {},
	}),
];
