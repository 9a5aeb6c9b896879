import {
	benchNode,
	helper,
	helperName,
	httpRequest,
	makeItems,
	nodesAlone,
	ours,
	publishFlow,
	type FlowRun,
} from '../flow';
import { alternate, toRow, type Row } from '../row';
import type { Stage } from '../stage';

/**
 * What a node adds to each item, the service answering at once: against the HTTP Request node, a
 * declarative node and n8n's bare request helper.
 */
export async function overhead(stage: Stage): Promise<Row[]> {
	const { rounds } = stage;
	const count = stage.sized(1_000, 200);
	const items = makeItems(count);
	const phone = '={{ $json.digits }}';
	const template = { templateName: 'order_update', language: 'en' };
	const flows = {
		base: await publishFlow(stage, items, []),
		own: await publishFlow(stage, items, [
			ours(stage, { resource: 'chatMessage', operation: 'sendTemplate', phone, ...template }),
		]),
		request: await publishFlow(stage, items, [
			httpRequest(stage, '/chat/send-template', {
				method: 'POST',
				sendBody: true,
				specifyBody: 'keypair',
				bodyParameters: {
					parameters: [
						{ name: 'phone', value: phone },
						{ name: 'templateName', value: template.templateName },
						{ name: 'language', value: template.language },
					],
				},
				options: {},
			}),
		]),
		declarative: await publishFlow(stage, items, [
			benchNode(stage, 'benchDeclarative', { operation: 'send', phone, ...template }),
		]),
		helper: await publishFlow(stage, items, [helper(stage, 5)]),
	};
	const runs = await alternate(rounds, flows);
	const perItem = (all: FlowRun[]) => nodesAlone(all, runs.base).map((ms) => ms / count);
	const busyPerItem = (all: FlowRun[]) =>
		all.map(({ busyMs }, round) => (busyMs - (runs.base[round]?.busyMs ?? 0)) / count);
	const common = { unit: 'ms', ours: perItem(runs.own) };
	const limit = perItem(runs.helper);
	const name = 'overhead per item, 1,000 sends';
	return [
		toRow({
			...common,
			name,
			peer: perItem(runs.request),
			peerName: 'HTTP Request',
			target: 0.8,
			limit,
			limitName: helperName,
			limitTarget: 1.2,
		}),
		toRow({
			name: `${name}: n8n's main thread busy`,
			unit: 'ms',
			ours: busyPerItem(runs.own),
			peer: busyPerItem(runs.request),
			peerName: 'HTTP Request',
			target: 0.8,
			limit: busyPerItem(runs.helper),
			limitName: helperName,
			limitTarget: 1.2,
		}),
		toRow({
			...common,
			name: `${name} (declarative)`,
			peer: perItem(runs.declarative),
			peerName: 'declarative node',
		}),
	];
}
