import type { INode, INodeParameters } from 'n8n-workflow';
import { node } from '../../harness';
import { bench, makeItems, time, type Stage } from '../stage';
import { alternate, compare, type Row } from '../row';

/**
 * What reading and checking costs: an email is simulated, so that nothing is sent, against the Edit Fields node
 * with the same expressions, and against a node that only reads the parameters.
 */
export async function checks(stage: Stage): Promise<Row[]> {
	const source = bench('items').name;
	const bodies = bench('bodies', { count: stage.sized(30, 5) });
	const items = makeItems(stage.sized(10_000, 1_000));
	const { name, time: visit } = { name: `$node["${source}"].json.name`, time: `$json.time` };
	return [
		...(await against(stage, bodies, 'bodies of 1 MB with 10,000 fields and 20,000 braces', {
			to: '={{ $json.body.to }}',
			text: '=Dear {{ $json.body.name }}, you wrote: {{ $json.body.text }}',
		})),
		...(await against(stage, items, '10,000 items with $node["X"].json in a text', {
			to: '=anna@{{ $json.phone.slice(1) }}.example',
			text: `=Dear {{ ${name} }}, your order ${'{{'} $json.key }} comes at {{ ${visit} }}.`,
		})),
	];
}

async function against(
	stage: Stage,
	source: INode,
	name: string,
	fields: { to: string; text: string },
): Promise<Row[]> {
	const email = stage.ours({
		...{ resource: 'email', operation: 'send', subject: 'Your order', emailFormat: 'text' },
		...fields,
		options: { simulate: 'always' },
	});
	const runs = await alternate(stage.rounds, {
		own: await stage.publishFlow(source, email),
		fields: await stage.publishFlow(source, editFields({ ...fields, subject: 'Your order' })),
		reading: await stage.publishFlow(source, {
			...email,
			name: 'Reading',
			type: 'n8n-nodes-bench.benchReading',
		}),
	});
	return compare(
		name,
		time,
		runs.own,
		['Edit Fields', runs.fields, 1],
		['reading the parameters', runs.reading, 1.2],
	);
}

function editFields(values: Record<string, string>): INode {
	const assignments = Object.entries(values).map(([name, value]): INodeParameters => ({
		id: name,
		name,
		type: 'string',
		value,
	}));
	const parameters = { assignments: { assignments }, options: {} };
	return node('Edit Fields', 'n8n-nodes-base.set', parameters, { typeVersion: 3.4 });
}
