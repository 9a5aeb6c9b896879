import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';
import { code } from '../../harness';
import { bare } from '../bare';
import {
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

/**
 * A bulk campaign from input items against the Code node that builds the payloads and the HTTP
 * Request node that sends them, and against a bare script that builds and writes the same. What
 * n8n takes for the items alone, and the service for its answers, is taken off.
 */
export async function bulk(stage: Stage): Promise<Row[]> {
	const { sandbox } = stage;
	const body = { success: true, campaignId: randomUUID(), total: 10_000, status: 'processing' };
	const answer = { kind: 'status', path, status: 200, body, count: 'infinite' } as const;
	await sandbox.control.addFault(answer);
	const rows = await measure(stage, stage.quick ? 20_000 : 100_000, stage.rounds);
	rows.push(...(await interleaved(stage, stage.quick ? 50_000 : 100_000)));
	if (!stage.quick) rows.push(...(await measure(stage, 1_000_000, 1)));
	await sandbox.control.clearFaults();
	return rows;
}

async function measure(stage: Stage, count: number, rounds: number): Promise<Row[]> {
	const items = makeItems(count);
	const campaign = campaignOf(stage, 'order_update');
	const base = await publishFlow(stage, items, []);
	const own = await publishFlow(stage, items, [campaign]);
	const withCode = await publishFlow(stage, items, codeAndRequest(stage));
	// A million items do not get through the task runner of the Code node.
	const hasPeer = count <= 100_000;
	const service = {
		url: `${stage.sandbox.baseUrl}${path}`,
		apiKey: stage.sandbox.keys.production,
		count,
	};
	const runs = await alternate<'base' | 'own' | 'peer' | 'answers' | 'bare', FlowRun>(rounds, {
		base,
		own: async () => complete(await own(), count),
		peer: async () => (hasPeer ? complete(await withCode(), count) : outsideN8n(NaN)),
		answers: async () => outsideN8n((await bare<{ ms: number }>('answers', service)).ms),
		bare: async () => {
			const { ms, peak } = await bare<{ ms: number; peak: number }>('bulk', { count });
			return outsideN8n(ms, peak);
		},
	});
	const preparation = (all: FlowRun[]) =>
		nodesAlone(all, runs.base).map((ms, round) => ms - (runs.answers[round]?.ms ?? 0));
	const above = runs.own.map(({ memory }, round) =>
		Math.max(0, memory - (runs.base[round]?.memory ?? 0)),
	);
	const peer = { peer: preparation(runs.peer), peerName: 'Code + HTTP Request', target: 0.7 };
	const label = `${count.toLocaleString('en')} recipients in bulk`;
	return [
		toRow({
			name: `${label}: preparation`,
			unit: 'ms',
			ours: preparation(runs.own),
			...(hasPeer ? peer : {}),
			limit: runs.bare.map(({ ms }) => ms),
			limitTarget: 2,
		}),
		toRow({
			name: `${label}: memory above the items`,
			unit: 'MiB',
			ours: above.map((bytes) => bytes / 2 ** 20),
			limit: runs.bare.map(({ memory }) => memory / 2 ** 20),
			limitTarget: 1.5,
		}),
	];
}

/** The node with one template, or with one per item. */
const campaignOf = (stage: Stage, templateName: string): INode =>
	ours(stage, {
		resource: 'bulkCampaign',
		operation: 'create',
		templateName,
		paramsFields: 'name, time',
		nameField: 'name',
	});

/** Items of five templates in turn against the same items with one template. */
async function interleaved(stage: Stage, count: number): Promise<Row[]> {
	const items = makeItems(count);
	const base = await publishFlow(stage, items, []);
	const one = await publishFlow(stage, items, [campaignOf(stage, 'order_update')]);
	const five = await publishFlow(stage, items, [campaignOf(stage, '={{ $json.template }}')]);
	const runs = await alternate(stage.rounds, {
		base,
		one: async () => complete(await one(), count),
		five: async () => complete(await five(), count),
	});
	const above = (all: FlowRun[]) =>
		all.map(({ memory }, round) => Math.max(0, memory - (runs.base[round]?.memory ?? 0)) / 2 ** 20);
	const name = `${count.toLocaleString('en')} recipients of 5 interleaved templates`;
	const peer = { peerName: 'one template', target: 1.3 };
	return [
		toRow({
			name: `${name}: time`,
			unit: 'ms',
			ours: nodesAlone(runs.five, runs.base),
			peer: nodesAlone(runs.one, runs.base),
			...peer,
		}),
		toRow({
			name: `${name}: memory above the items`,
			unit: 'MiB',
			ours: above(runs.five),
			peer: above(runs.one),
			...peer,
		}),
	];
}

function complete(run: FlowRun, count: number): FlowRun {
	if (run.items !== Math.ceil(count / 10_000)) throw new Error(`${run.items} campaigns`);
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
