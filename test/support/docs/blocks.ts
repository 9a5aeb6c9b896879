import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../../nodes/MessagingService/MessagingService.node';
import { MessagingServicePollingTrigger } from '../../../nodes/MessagingService/MessagingServicePollingTrigger.node';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import type { Row } from '../../../bench/row';
import { table } from '../../../bench/table';
import { ROOT } from '../../../harness/paths';
import { fieldRows, fieldTable } from './fieldTable';

/** A part of a document that is made from the nodes' descriptions. */
export interface Block {
	/** Path in the clone. */
	file: string;
	/** Stands in the two comments around the block: `<!-- name -->` and `<!-- /name -->`. */
	name: string;
	content: string;
}

const OPERATIONS = 'docs/operations.md';
const TRIGGERS = 'docs/triggers.md';

const { properties } = new MessagingService().description;
/** Options that are explained once. */
const common = [optionsField({ billable: true })];
const commonNames = new Set(fieldRows(common).map(({ name }) => name));

const shownFor = (field: INodeProperties, key: string): unknown =>
	field.displayOptions?.show?.[key]?.[0];

/** Every operation with the names that the editor shows. */
const operations = properties
	.filter(({ name }) => name === 'operation')
	.flatMap((field) => {
		const resource = String(shownFor(field, 'resource'));
		return ((field.options ?? []) as INodePropertyOptions[]).map(
			({ name, value, description }) => ({
				resource,
				resourceName: nameOf('resource', resource),
				operation: String(value),
				operationName: name,
				description: description ?? '',
			}),
		);
	});

function nameOf(parameter: string, value: string): string {
	const field = properties.find(({ name }) => name === parameter);
	const options = (field?.options ?? []) as INodePropertyOptions[];
	return options.find((option) => option.value === value)?.name ?? value;
}

/** The versions that a host of the tests is made of. */
function compatibilityRow(folder: string, tested: string): string {
	const manifest = readFileSync(path.join(ROOT, 'test/e2e', folder, 'package.json'), 'utf8');
	const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
	return `| ${dependencies.n8n} | ${dependencies.node} | ${tested} |`;
}

const compatibility = [
	'| n8n | Node.js | what was tested |',
	'|---|---|---|',
	compatibilityRow('host', 'everything: `npm test`'),
	compatibilityRow(
		'oldestHost',
		'everything that runs in n8n without its editor: `npm run test:compat`',
	),
].join('\n');

/** What `npm run bench` measured last. */
const benchResults = (): Row[] =>
	JSON.parse(readFileSync(path.join(ROOT, 'bench/results.json'), 'utf8')) as Row[];

/** Everything in the documents that is generated. */
export const blocks: Block[] = [
	{ file: 'README.md', name: 'operations', content: overview() },
	{ file: 'README.md', name: 'compatibility', content: compatibility },
	{ file: 'README.md', name: 'bench', content: table(benchResults()) },
	{ file: OPERATIONS, name: 'fields options', content: fieldTable(fieldRows(common), common) },
	...operations.map(({ resource, operation }) => ({
		file: OPERATIONS,
		name: `fields ${resource}.${operation}`,
		content: ownFields(resource, operation),
	})),
	...[new MessagingServiceTrigger(), new MessagingServicePollingTrigger()].map(
		({ description }) => ({
			file: TRIGGERS,
			name: `fields ${description.name}`,
			content: fieldTable(fieldRows(description.properties), description.properties),
		}),
	),
];

function overview(): string {
	return [
		'| resource | operation | what it does |',
		'|---|---|---|',
		...operations.map(({ resourceName, operationName, description }) => {
			const anchor = `${resourceName} ${operationName}`.toLowerCase().replace(/ /g, '-');
			return `| ${resourceName} | [${operationName}](${OPERATIONS}#${anchor}) | ${description} |`;
		}),
	].join('\n');
}

/** The fields of an operation without those that all have. */
function ownFields(resource: string, operation: string): string {
	const own = properties.filter(
		(field) =>
			shownFor(field, 'resource') === resource && shownFor(field, 'operation') === operation,
	);
	const rows = fieldRows(own).filter(({ name }) => !commonNames.has(name));
	return rows.length === 0 ? 'No fields of its own.' : fieldTable(rows, own);
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
