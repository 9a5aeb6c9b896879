/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- runs on the developer's machine, never inside n8n */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import axios from 'axios';
import type { INode } from 'n8n-workflow';
import { chain, messagingService, node, ROOT } from '../../test/support/n8n';
import { median, type Row } from '../row';
import { peakMemory, resetPeakMemory, type Stage } from '../stage';

const path_ = '/chat/bulk-send';

/**
 * A bulk campaign from input items in n8n against a bare script that builds and writes the same
 * payloads. The service answers at once; what its answers take is measured apart and taken off.
 */
export async function bulk(stage: Stage): Promise<Row[]> {
	const { sandbox } = stage;
	const body = { success: true, campaignId: randomUUID(), total: 10_000, status: 'processing' };
	await sandbox.control.addFault({
		kind: 'status',
		path: path_,
		status: 200,
		body,
		count: 'infinite',
	});
	const rows = [...(await measure(stage, 100_000, stage.quick ? 3 : 5))];
	if (!stage.quick) rows.push(...(await measure(stage, 1_000_000, 1)));
	await sandbox.control.clearFaults();
	return rows;
}

async function measure(stage: Stage, count: number, rounds: number): Promise<Row[]> {
	const campaign = messagingService(
		{
			resource: 'bulkCampaign',
			operation: 'create',
			templateName: 'order_update',
			paramsFields: 'name, time',
			nameField: 'name',
		},
		stage.credential,
		{ name: 'Campaign' },
	);
	const withCampaign = await publish(stage, count, [campaign]);
	const itemsOnly = await publish(stage, count, []);
	const times: number[] = [];
	const memories: number[] = [];
	const bareTimes: number[] = [];
	const bareMemories: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const base = await run(stage, itemsOnly);
		const full = await run(stage, withCampaign);
		if (full.items !== Math.ceil(count / 10_000)) throw new Error(`${full.items} campaigns`);
		const answers = await answerTime(stage, count);
		times.push(full.ms - base.ms - answers);
		memories.push(Math.max(0, full.peak - base.peak));
		const bare = bareScript(count);
		bareTimes.push(bare.ms);
		bareMemories.push(bare.peak);
	}
	const row = (name: string, unit: string, ours: number, limit: number, target: number): Row => ({
		name,
		unit,
		ours,
		peer: null,
		peerName: 'bare Node script (limit)',
		ratio: null,
		target,
		limit,
		limitRatio: ours / limit,
	});
	const label = `${count.toLocaleString('en')} recipients from input items`;
	return [
		row(`${label}: preparation`, 'ms', median(times), median(bareTimes), 2),
		row(
			`${label}: memory above the items`,
			'MiB',
			median(memories) / 2 ** 20,
			median(bareMemories) / 2 ** 20,
			1.5,
		),
	];
}

/** A published workflow that answers its webhook with the number of items at its end. */
async function publish({ n8n }: Stage, count: number, nodes: INode[]): Promise<string> {
	const webhookPath = randomUUID();
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{ path: webhookPath, httpMethod: 'POST', responseMode: 'lastNode', options: {} },
		{ typeVersion: 2, webhookId: webhookPath },
	);
	const make = node('Items', 'n8n-nodes-bench.benchItems', { count });
	const report = node('Report', 'n8n-nodes-bench.benchReport');
	const id = await n8n.createWorkflow(chain(`Bulk ${count}`, [webhook, make, ...nodes, report]));
	await n8n.publish(id);
	return `${n8n.url}/webhook/${webhookPath}`;
}

async function run(
	{ n8n }: Stage,
	url: string,
): Promise<{ ms: number; peak: number; items: number }> {
	resetPeakMemory(n8n.pid);
	const start = performance.now();
	const { data } = await axios.post<{ items: number; failed: number }>(url, {}, { proxy: false });
	const ms = performance.now() - start;
	if (data.failed > 0) throw new Error(`${data.failed} items failed`);
	return { ms, peak: peakMemory(n8n.pid), items: data.items };
}

/** Milliseconds that the service takes for the same payloads, sent one after another. */
async function answerTime({ sandbox }: Stage, count: number): Promise<number> {
	const recipients = Array.from({ length: 10_000 }, (_, index) => ({
		phone: String(919_000_000_000 + index),
		params: [`Name ${index}`, '12:30'],
		name: `Name ${index}`,
	}));
	const body = Buffer.from(
		JSON.stringify({ templateName: 'order_update', language: 'en', recipients }),
	);
	const headers = { 'x-api-key': sandbox.keys.production, 'Content-Type': 'application/json' };
	const start = performance.now();
	for (let sent = 0; sent < count; sent += 10_000) {
		await axios.post(`${sandbox.baseUrl}${path_}`, body, {
			headers,
			proxy: false,
			maxBodyLength: Infinity,
		});
	}
	return performance.now() - start;
}

function bareScript(count: number): { ms: number; peak: number } {
	const script = path.join(ROOT, 'bench/bareBulk.mjs');
	const output = execFileSync(process.execPath, [
		'--max-old-space-size=16384',
		script,
		String(count),
	]);
	return JSON.parse(output.toString()) as { ms: number; peak: number };
}
