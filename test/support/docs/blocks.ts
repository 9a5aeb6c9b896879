import { groupBy, map, sumBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { describedOperations } from '../operations';
import { parameterTable } from './contract';
import { endpointOf } from './endpoints';
import { fieldRows, fieldTable } from './fieldTable';
import { textOf } from './files';
import { linkTo, ownFields, questionFields, sharedOptions } from './operationFields';
import { documentedEndpoints, documentedScopes } from './service';

/** A part of a document that is made from the nodes' descriptions. */
interface Block {
	/** Path in the clone. */
	file: string;
	/** Stands in the two comments around the block: `<!-- name -->` and `<!-- /name -->`. */
	name: string;
	content(): string | Promise<string>;
}

const operations = 'docs/operations.md';
const triggers = 'docs/triggers.md';
const installation = 'docs/installation.md';

const fieldsBlock = (operation: string): string => `fields ${operation}`;

/** The versions that the hosts of the tests are made of. */
const compatibility = () =>
	[
		'| n8n | Node.js | what was tested |',
		'|---|---|---|',
		...[
			['host', 'everything: `npm test`'],
			[
				'oldestHost',
				'everything that runs in n8n without its editor: `npm run test:compat`, also with the newest n8n',
			],
		].map(([folder, tested]) => {
			const manifest = textOf(`test/e2e/${folder}/package.json`);
			const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
			return `| ${dependencies.n8n} | ${dependencies.node} | ${tested} |`;
		}),
	].join('\n');

/** Everything in the documents that is generated. */
export const blocks: Block[] = [
	{ file: 'README.md', name: 'twice', content: twice },
	{ file: operations, name: 'operations', content: overview },
	{ file: installation, name: 'scopes', content: scopeTable },
	{ file: installation, name: 'compatibility', content: compatibility },
	{ file: 'docs/contract.md', name: 'parameters', content: parameterTable },
	{ file: operations, name: fieldsBlock('options'), content: sharedOptions },
	{ file: operations, name: fieldsBlock('sendAndWait'), content: questionFields },
	...describedOperations.map((operation) => ({
		file: operations,
		name: fieldsBlock(operation.name),
		content: () => ownFields(operation),
	})),
	...[new MessagingServiceTrigger(), new MessagingServicePollingTrigger()].map(
		({ description: { name, properties } }) => ({
			file: triggers,
			name: fieldsBlock(name),
			content: () => fieldTable(fieldRows(properties), fieldRows(properties)),
		}),
	),
];

/** What the histories of docs/reliability.md come to that n8n's HTTP Request node can play, too. */
function twice(): string {
	// What was played, items, arrived, twice, missing, unknown, and what HTTP Request sent twice.
	const row = /^\| .+ \| (\d+) \| \d+ \| (\d+) \| \d+ \| \d+ \| (\d+) \|$/gm;
	const rows = [...textOf('docs/reliability.md').matchAll(row)];
	const sum = (column: number): string =>
		sumBy(rows, (cells) => Number(cells[column])).toLocaleString('en');
	const own = sum(2);
	return `In ${rows.length} failure scenarios, n8n's HTTP Request node sent ${sum(3)} of ${sum(1)} items at least twice. This package sent ${own === '0' ? 'none' : own} twice.`;
}

function overview(): string {
	const resources = groupBy(describedOperations, 'resourceName');
	return [
		'| resource | operations |',
		'|---|---|',
		...map(resources, (own, resource) => `| ${resource} | ${own.map(linkTo).join(', ')} |`),
	].join('\n');
}

/** What the nodes need a scope for, besides the operations. */
const furtherUses: Partial<Record<string, string[]>> = {
	'balance:read': [
		'the option **Check Balance** †',
		'**Messaging Service Polling Trigger** for balances †',
	],
	'chat:send': [
		'the list of **Sending Number** ‡',
		'**Messaging Service Trigger**',
		'**Messaging Service Polling Trigger** for webhooks, and for phone numbers ‡',
	],
	'chat:campaigns': ['**Messaging Service Polling Trigger** for messages'],
	'voice:calls': ['**Messaging Service Polling Trigger** for voice calls'],
};

/** Scopes that operations need besides their own, if somebody chooses something. */
const conditions: Array<[scope: string, operation: string, condition: string]> = [
	['chat:send', 'bulkCampaign.create', 'if **Header** is File ‡'],
	['chat:send-template', 'chatMessage.sendAndWait', 'if **Send As** is Template'],
	['chat:campaigns', 'chatMessage.sendMedia', 'with **Await Status**'],
	['chat:campaigns', 'chatMessage.sendTemplate', 'with **Await Status**'],
];

/** The operations by the scope that they need; see the signs below the table in the document. */
async function scopeTable(): Promise<string> {
	const documented = documentedEndpoints();
	const uses = await Promise.all(
		describedOperations.map(async (operation) => {
			const used = await endpointOf(operation);
			const { scope, isChecked } =
				documented.find(({ method, path: at }) => method === used.method && at === used.path) ?? {};
			const sign = isChecked ? '' : isChecked === false ? '†' : '‡';
			const others = conditions.filter(([, name]) => name === operation.name);
			return [[scope, '', sign], ...others].map(([of, , condition]) => ({
				scope: of,
				name: [operation.option.name, condition].filter(Boolean).join(' '),
				resource: operation.resourceName,
			}));
		}),
	);
	const byScope = groupBy(uses.flat(), 'scope');
	const rows = documentedScopes().map((scope) => {
		const operations = map(
			groupBy(byScope[scope], 'resource'),
			(own, resource) => `${resource}: ${map(own, 'name').join(', ')}`,
		);
		return `| \`${scope}\` | ${[...operations, ...(furtherUses[scope] ?? [])].join('; ')} |`;
	});
	return ['| scope | what needs it |', '|---|---|', ...rows].join('\n');
}

/** Every name that the editor shows for the nodes and the credential. */
export const uiNames: string[] = [
	new MessagingService().description,
	new MessagingServiceTrigger().description,
	new MessagingServicePollingTrigger().description,
	new MessagingServiceApi(),
].flatMap(({ displayName, properties: fields }) => [displayName, ...namesIn(fields)]);

/** Display names of fields and of their choices, down to the last. */
function namesIn(entries: NonNullable<INodeProperties['options']>): string[] {
	return entries.flatMap((entry) => {
		if ('values' in entry) return namesIn(entry.values);
		const inside = 'options' in entry ? namesIn(entry.options ?? []) : [];
		return ['displayName' in entry ? entry.displayName : entry.name, ...inside];
	});
}
