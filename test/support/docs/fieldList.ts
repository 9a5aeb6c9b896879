import { camelCase, compact, get, groupBy, omit, partition, uniqBy } from 'lodash';
import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodeParameterValue,
} from 'n8n-workflow';

type Show = NonNullable<IDisplayOptions['show']>;

/** A parameter as an entry of a list: one leaf of what the editor shows. */
export interface FieldRow {
	/** What the editor shows, with the collection it is in. */
	label: string;
	/** Name in the workflow's JSON, dotted inside collections. */
	name: string;
	field: INodeProperties;
}

/**
 * All leaves of a list of parameters, in the order of the editor.
 *
 * @param within the collection that the list is in: its names, when the editor shows it, and the
 * values that the editor gives it when it is added
 */
export function fieldRows(
	fields: INodeProperties[],
	within: { label: string; name: string; show?: Show; preset?: unknown } = { label: '', name: '' },
): FieldRow[] {
	return fields.flatMap((field) => {
		// A notice sets nothing, and a field of tools is the same again, with another default.
		if (field.type === 'notice' || field.displayOptions?.show?.['@tool']) return [];
		const label = `${within.label}${field.displayName}`;
		const name = `${within.name}${field.name}`;
		const show = { ...within.show, ...field.displayOptions?.show };
		const inside = { label: `${label} > `, name: `${name}.`, show };
		if (field.type === 'collection') {
			return fieldRows((field.options ?? []) as INodeProperties[], inside);
		}
		if (field.type === 'fixedCollection') {
			return ((field.options ?? []) as INodePropertyCollection[]).flatMap((group) =>
				fieldRows(group.values, {
					...inside,
					name: `${inside.name}${group.name}.`,
					preset: get(field.default, group.name) as unknown,
				}),
			);
		}
		const preset = (get(within.preset, field.name) ?? field.default) as NodeParameterValue;
		const displayOptions = { ...field.displayOptions, show };
		return [{ label, name, field: { ...field, default: preset, displayOptions } }];
	});
}

/**
 * All rows as Markdown lists, one for each collection. An asterisk marks a required field.
 *
 * @param shared rows that another list explains: these are only named
 */
export function fieldLists(all: FieldRow[], shared: FieldRow[] = []): string {
	const known = new Map(all.map(({ field }) => [field.name, field]));
	const elsewhere = new Set(shared.map(identity));
	const [others, rows] = partition(all, (row) => elsewhere.has(identity(row)));
	const lists = groupBy(rows, ({ label }) => collection.exec(label)?.[1] ?? 'Fields');
	const list = (heading: string): string[] => {
		const own = lists[heading] ?? [];
		const lines = own.map((row) =>
			escaped(`- ${compact([identity(row), conditions(row.field, known)]).join(' ')}`),
		);
		return own.length > 0 ? [`${heading}:`, lines.join('\n')] : [];
	};
	const names = uniqBy(others, inShort).map((row) => `${inShort(row)}${star(row.field)}`);
	const line = names.length > 0 ? [`[Shared](#shared-fields): ${escaped(names.join(', '))}.`] : [];
	return (
		[...['Fields', 'Additional Fields', 'Filters', 'Options'].flatMap(list), ...line].join(
			'\n\n',
		) || 'No fields.'
	);
}

/** The collection of a field, in front of its own label. */
const collection = /^(Options|Additional Fields|Filters) > /;

/** A field of an optional collection by its own name, and any other collection as a whole. */
const inShort = ({ label }: FieldRow): string => label.replace(collection, '').replace(/ > .*/, '');

const star = ({ required }: INodeProperties): string => (required ? '\\*' : '');

/** Everything that a list shows of a row, except when the editor shows the field. */
export function identity({ label, field }: FieldRow): string {
	const preset = presetOf(field) && ` (${presetOf(field)})`;
	return `${label.replace(collection, '')}${star(field)}${preset}: ${textOf(field)}`;
}

const escaped = (text: string): string =>
	text
		.replace(/<\/?code>/g, '`')
		.replace(/</g, '&lt;')
		.replace(/\s*\n\s*/g, ' ');

/** Empty where nothing is preset. */
function presetOf({ default: preset, type }: INodeProperties): string {
	if (Array.isArray(preset)) return preset.map((value) => `\`${String(value)}\``).join(', ');
	if (preset === '' || preset === null || typeof preset === 'object') return '';
	return type === 'boolean' ? (preset ? 'yes' : 'no') : `\`${String(preset)}\``;
}

/** What the editor says about a field: description, hint, limits and choices. */
function textOf(field: INodeProperties): string {
	const { description = '', hint = '', type, typeOptions = {}, options = [] } = field;
	const sentences = [description, hint].map((text) => text.replace(/([^.])$/, '$1.'));
	const { minValue, maxValue } = typeOptions;
	if (maxValue !== undefined) sentences.push(`From ${minValue ?? 0} to ${maxValue}.`);
	else if (minValue !== undefined && minValue > 1) sentences.push(`At least ${minValue}.`);
	if (type === 'options' || type === 'multiOptions') {
		sentences.push(`${(options as INodePropertyOptions[]).map(choice).join('; ')}.`);
	}
	return sentences.filter(Boolean).join(' ');
}

/** A choice, with its value in JSON unless that is its label, as it is or in camel case. */
function choice({ name, value, description }: INodePropertyOptions): string {
	const isPlain = [name, camelCase(name)].includes(String(value));
	const label = isPlain ? name : `${name} (${value === '' ? 'empty' : `\`${String(value)}\``})`;
	return description ? `${label}: ${description.replace(/\.$/, '')}` : label;
}

/** The choices with which the editor shows the field; resource and operation are the table's heading. */
function conditions(
	{ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties,
	known: Map<string, INodeProperties>,
): string {
	const choices = (rules: Record<string, unknown>): string[] =>
		Object.entries(omit(rules, 'resource', 'operation', '@tool')).map(([name, values]) => {
			// A name with a slash is one outside of the collection.
			const field = known.get(name.replace(/^\//, ''));
			if (!field) return '';
			return (values as NodeParameterValue[]).map((value) => labelOf(field, value)).join(' or ');
		});
	const all = compact([...choices(show), ...compact(choices(hide)).map((one) => `not ${one}`)]);
	return all.length > 0 ? `*(${all.join(', ')})*` : '';
}

/** What stands for a choice, e.g. "Input Items" or "Return All off". */
function labelOf(field: INodeProperties, value: NodeParameterValue): string {
	if (typeof value === 'boolean') return `${field.displayName} ${value ? 'on' : 'off'}`;
	const options = (field.options ?? []) as INodePropertyOptions[];
	return options.find((option) => option.value === value)?.name ?? String(value);
}
