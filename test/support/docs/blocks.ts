import { groupBy, map, omit, orderBy, sumBy, uniqBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import { triggers } from '../descriptions';
import { describedOperations } from '../operations';
import { fieldRows, fieldLists, identity, type FieldRow } from './fieldList';
import { textOf } from './files';

/** A part of a document that is made from the nodes' descriptions. */
interface Block {
	/** Path in the clone. */
	file: string;
	/** Stands in the two comments around the block: `<!--name-->` and `<!--/name-->`. */
	name: string;
	content: string;
}

const operations = 'docs/operations.md';

/** The options of every billable operation; others have some of them. */
const options = fieldRows([optionsField({ billable: true })]);

const isOption = new Set(map(options, 'name'));

/** What each operation has besides these options. */
const operationRows = describedOperations.map(({ name, fields }) => ({
	name,
	rows: fieldRows(fields).filter((row) => !isOption.has(row.name)),
}));

/** The fields and options that several operations have, with the same text. */
const shared = sharedRows();

/** Everything in the documents that is generated. */
export const blocks: Block[] = [
	{ file: 'README.md', name: 'twice', content: twice() },
	{ file: 'docs/contract.md', name: 'parameters', content: parameterList() },
	{ file: operations, name: 'fields:options', content: fieldLists(options) },
	{ file: operations, name: 'fields:shared', content: fieldLists(shared) },
	...operationRows
		.filter(({ rows }) => rows.length > 0)
		.map(({ name, rows }) => ({
			file: operations,
			name: `fields:${name}`,
			content: fieldLists(rows, shared),
		})),
	...triggers.map(({ name, properties }) => ({
		file: 'docs/triggers.md',
		name: `fields:${name}`,
		content: fieldLists(fieldRows(properties)),
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

function sharedRows(): FieldRow[] {
	const all = operationRows.flatMap(({ rows }) => uniqBy(rows, identity));
	const groups = orderBy(Object.values(groupBy(all, identity)), 'length', 'desc');
	const repeated = uniqBy(
		groups.filter(({ length }) => length > 1),
		'0.label',
	);
	// When the editor shows them differs from operation to operation.
	return repeated.flatMap(([row]) =>
		row ? [{ ...row, field: omit(row.field, 'displayOptions') }] : [],
	);
}

/** All names that saved workflows depend on, besides the options above, with an asterisk if they are required. */
function parameterList(): string {
	const entry = (name: string, fields: INodeProperties[]): string => {
		const own = fieldRows(fields).filter((one) => !isOption.has(one.name));
		const names = own.map((one) => `\`${one.name}\`${one.field.required ? '\\*' : ''}`);
		return `- \`${name}\`: ${names.join(', ') || 'none'}`;
	};
	return [
		...describedOperations.map(({ name, fields }) => entry(name, fields)),
		...triggers.map(({ name, properties }) => entry(name, properties)),
	].join('\n');
}
