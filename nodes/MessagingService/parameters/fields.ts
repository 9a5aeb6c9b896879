import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * How to read a column of a whole table, as `Excluded Recipients` needs it: n8n pairs `.item` with one row, and Always
 * Output Data puts an empty item in place of an empty table. If the column has another name, the list is not `[]`.
 */
export const wholeColumn =
	"{{ $('Get row(s)').all().filter((row) => row.json.isNotEmpty()).map((row) => row.json.phone) }}";

type Extra = Partial<INodeProperties>;

const fieldMaker =
	(type: INodeProperties['type'], preset: INodeProperties['default']) =>
	(name: string, displayName: string, extra: Extra): INodeProperties => ({
		displayName,
		name,
		type,
		default: preset,
		...extra,
	});

export const textField = fieldMaker('string', '');

export const requiredField = (name: string, displayName: string, extra: Extra): INodeProperties =>
	textField(name, displayName, { required: true, ...extra });

export const flagField = fieldMaker('boolean', false);

export const momentField = fieldMaker('dateTime', '');

/** A text that is always visible, unlike a hint, which n8n hides in Expression mode. */
export const noticeField = (name: string, text: string, extra: Extra = {}): INodeProperties =>
	fieldMaker('notice', '')(name, text, extra);

/** A field for a number, at least 1 by default. */
export const numberField = (
	name: string,
	displayName: string,
	preset: number,
	extra: Extra,
): INodeProperties =>
	fieldMaker('number', preset)(name, displayName, { typeOptions: { minValue: 1 }, ...extra });

/** Choices by value: a label, with a description if it needs one. */
export type Choices<Value extends string = string> = Record<
	Value,
	string | readonly [name: string, description: string]
>;

export const choiceField = <Value extends string>(
	name: string,
	displayName: string,
	choices: Choices<Value>,
	preset: NoInfer<Value>,
	extra: Extra,
): INodeProperties =>
	fieldMaker('options', preset)(name, displayName, { options: optionsOf(choices), ...extra });

export const severalField = <Value extends string>(
	name: string,
	displayName: string,
	choices: Choices<Value>,
	preset: Array<NoInfer<Value>>,
	extra: Extra,
): INodeProperties =>
	fieldMaker('multiOptions', preset)(name, displayName, { options: optionsOf(choices), ...extra });

/** Choices as n8n expects them, sorted by name. */
const optionsOf = (choices: Choices): INodePropertyOptions[] =>
	Object.entries(choices)
		.map(([value, meaning]) => {
			const [name, description] = typeof meaning === 'string' ? [meaning] : meaning;
			return description === undefined ? { name, value } : { name, value, description };
		})
		.sort((a, b) => a.name.localeCompare(b.name));

/** Fields that are shown if other parameters have one of these values. */
export const shownWhere = (
	show: NonNullable<INodeProperties['displayOptions']>['show'],
	fields: INodeProperties[],
): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));

/** A field with another default for a tool, whose parameters an AI model fills. */
export const withToolDefault = (
	field: INodeProperties,
	preset: INodeProperties['default'],
): INodeProperties[] => [
	{ ...field, displayOptions: { hide: { '@tool': [true] } } },
	{ ...field, default: preset, displayOptions: { show: { '@tool': [true] } } },
];
