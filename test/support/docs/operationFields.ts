import { groupBy, map, memoize, partition, sortBy, uniqBy } from 'lodash';
import { optionsField } from '../../../nodes/MessagingService/parameters/options';
import { describedOperations, type DescribedOperation } from '../operations';
import { fieldRows, fieldTable, textOf, type FieldRow } from './fieldTable';

/** Names of the options that every operation, or every billable one, has. */
const common = fieldRows([optionsField({ billable: true })]).map(({ name }) => name);

const rowsOf = new Map(describedOperations.map((one) => [one.name, fieldRows(one.fields)]));

/** Equal for the same field of several operations, whatever makes the editor show it. */
const identity = ({ label, field }: FieldRow): string =>
	[label, JSON.stringify(field.default), textOf(field)].join();

/** The operations that have a field. */
const having = memoize(
	(row: FieldRow): DescribedOperation[] =>
		describedOperations.filter(({ name }) =>
			rowsOf.get(name)?.some((other) => identity(other) === identity(row)),
		),
	identity,
);

const isOption = ({ name }: FieldRow): boolean => name.startsWith('options.');

/** Whether Send and Wait for Response of several resources has a field, and nothing else has. */
const isOfQuestions = (row: FieldRow): boolean =>
	having(row).length > 1 && having(row).every(({ name }) => name.endsWith('.sendAndWait'));

/** Whether an option is explained once, because several resources have it. */
const isShared = (row: FieldRow): boolean =>
	isOption(row) &&
	!isOfQuestions(row) &&
	(common.includes(row.name) || uniqBy(having(row), 'resourceName').length > 1);

/** A table of fields and one of options, as far as there are any. */
function tables(rows: FieldRow[], all = rows): string {
	const named = rows.map((row) => ({ ...row, label: withoutPrefix(row) }));
	const [options, fields] = partition(named, isOption);
	return [
		...(fields.length > 0 ? [fieldTable(fields, all)] : []),
		...(options.length > 0 ? [fieldTable(options, all, 'option')] : []),
	].join('\n\n');
}

const withoutPrefix = ({ label }: FieldRow): string => label.replace(/^Options > /, '');

/** All fields that satisfy a condition, each once. */
const onceEach = (condition: (row: FieldRow) => boolean): FieldRow[] =>
	uniqBy([...rowsOf.values()].flat().filter(condition), identity);

/** The options that several resources have. */
export const sharedOptions = (): string => tables(sortBy(onceEach(isShared), 'label'));

/** The fields of Send and Wait for Response, whatever it sends. */
export const questionFields = (): string => tables(onceEach(isOfQuestions));

/** A link to the section of an operation in docs/operations.md. */
export const linkTo = ({ resourceName, option: { name } }: DescribedOperation): string =>
	`[${name}](#${`${resourceName} ${name}`.toLowerCase().replace(/ /g, '-')})`;

const isQuestion = ({ name }: DescribedOperation): boolean => name.endsWith('.sendAndWait');

/** The other operation of the resource that explains a field: the first one that is not a question. */
const explainedBy = (operation: DescribedOperation, row: FieldRow) => {
	const alike = having(row).filter(({ resourceName }) => resourceName === operation.resourceName);
	const first = alike.find((other) => !isQuestion(other));
	return first === operation ? undefined : first;
};

const namesOf = (rows: FieldRow[]): string =>
	rows.map((row) => `**${withoutPrefix(row)}**`).join(', ');

/** The fields of an operation, and the names of those that are explained elsewhere. */
export function ownFields(operation: DescribedOperation): string {
	const rows = rowsOf.get(operation.name) ?? [];
	const [once, others] = partition(rows, (row) => isShared(row) || isOfQuestions(row));
	const [alike, own] = partition(others, (row) => explainedBy(operation, row) !== undefined);
	const options = once.filter((row) => isShared(row) && !common.includes(row.name));
	const paragraphs = [
		tables(own, rows),
		...map(
			groupBy(alike, (row) => explainedBy(operation, row)?.name),
			(same, name) => {
				const [other] = describedOperations.filter((one) => one.name === name);
				return other && `As in ${linkTo(other)}: ${namesOf(same)}.`;
			},
		),
		once.some(isOfQuestions) &&
			'The rest: [Send and Wait for Response](#send-and-wait-for-response).',
		options.length > 0 && `Also under [Options](#options): ${namesOf(options)}.`,
	].filter(Boolean);
	return paragraphs.length > 0 ? paragraphs.join('\n\n') : 'No fields.';
}
