import { groupBy, map, sumBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import { triggers } from '../descriptions';
import { describedOperations, type DescribedOperation } from '../operations';
import { fieldRows, fieldTables } from './fieldTable';
import { textOf } from './files';

/** A part of a document that is made from the nodes' descriptions. */
interface Block {
	/** Path in the clone. */
	file: string;
	/** Stands in the two comments around the block: `<!-- name -->` and `<!-- /name -->`. */
	name: string;
	content: string;
}

const operations = 'docs/operations.md';

/** The options of every billable operation; others have some of them. */
const options = fieldRows([optionsField({ billable: true })]);

/** Everything in the documents that is generated. */
export const blocks: Block[] = [
	{ file: 'README.md', name: 'twice', content: twice() },
	{ file: operations, name: 'operations', content: overview() },
	{ file: 'docs/contract.md', name: 'parameters', content: parameterTable() },
	{ file: operations, name: 'fields options', content: fieldTables(options) },
	...describedOperations.map(({ name, fields }) => ({
		file: operations,
		name: `fields ${name}`,
		content: fieldTables(fieldRows(fields), map(options, 'name')),
	})),
	...triggers.map(({ name, properties }) => ({
		file: 'docs/triggers.md',
		name: `fields ${name}`,
		content: fieldTables(fieldRows(properties)),
	})),
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

/** Links to the sections of the operations. */
function overview(): string {
	const linkTo = ({ resourceName, option: { name } }: DescribedOperation): string =>
		`[${name}](#${`${resourceName} ${name}`.toLowerCase().replace(/ /g, '-')})`;
	return [
		'| resource | operations |',
		'|---|---|',
		...map(groupBy(describedOperations, 'resourceName'), (own, resource) => {
			return `| ${resource} | ${own.map(linkTo).join(', ')} |`;
		}),
	].join('\n');
}

/** All names that saved workflows depend on, with an asterisk if they are required. */
function parameterTable(): string {
	const row = (name: string, operation: string, fields: INodeProperties[]): string => {
		const names = fieldRows(fields).map((one) => `\`${one.name}\`${one.field.required ? '*' : ''}`);
		return `| \`${name}\` | ${operation} | ${names.join(', ')} |`;
	};
	return [
		'| resource or trigger | operation | parameters |',
		'|---|---|---|',
		...describedOperations.map(({ choice: { resource, operation }, fields }) =>
			row(resource, `\`${operation}\``, fields),
		),
		...triggers.map(({ name, properties }) => row(name, '', properties)),
	].join('\n');
}
