import { randomUUID } from 'node:crypto';
import { mapValues } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { code } from '../../harness';
import { beyond, makeItems, memory, time, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

const path = '/chat/bulk-send';

/**
 * Bulk campaigns from input items: against the Code node that builds the payloads and the HTTP
 * Request node that sends them. What n8n takes for the items alone is taken off.
 */
export async function bulk(stage: Stage): Promise<Row[]> {
	const body = { success: true, campaignId: randomUUID(), total: 10_000, status: 'processing' };
	await stage.always({ kind: 'status', path, status: 200, body });
	const count = stage.sized(100_000, 10_000);
	const items = makeItems(count);
	const expected = count / 10_000;
	const nodes = [payloads, stage.posting(path, '={{ $json }}')];
	const runs = await alternate(stage.rounds, {
		base: await stage.publishFlow(items),
		own: await stage.publishFlow(items, stage.ours(campaign), expected),
		peer: await stage.publishFlow(items, nodes, expected),
	});
	const { own, peer } = mapValues(runs, (all) => beyond(all, runs.base));
	const name = '100,000 recipients in bulk';
	const peerName = 'Code + HTTP Request';
	return [
		...compare(`${name}: time`, time, own, [peerName, peer, 0.7]),
		...compare(`${name}: memory`, memory, own, [peerName, peer, 0.7]),
	];
}

const campaign: INodeParameters = {
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
	paramsFields: 'name, time',
	additionalFields: { nameField: 'name' },
};

const payloads = code(
	`const recipients = $input.all().map(({ json }) => ({
		phone: json.phone.replace(/[\\s+.()-]/g, ''), params: [json.name, json.time], name: json.name }));
	const chunks = [];
	for (let i = 0; i < recipients.length; i += 10000) chunks.push({ json: {
		templateName: 'order_update', language: 'en', recipients: recipients.slice(i, i + 10000) } });
	return chunks;`,
	'Payloads',
);
