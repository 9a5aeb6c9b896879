import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** What a field has besides its name in workflows and its label. */
type Own = Partial<INodeProperties>;

const fieldsOf =
	(type: INodeProperties['type'], preset: INodeProperties['default']) =>
	(name: string, displayName: string, own: Own): INodeProperties => ({
		displayName,
		name,
		type,
		default: preset,
		...own,
	});

/** A field for a text, empty at first. */
export const textField = fieldsOf('string', '');

/** A field for a text that may not be empty. */
export const requiredField = (name: string, displayName: string, own: Own): INodeProperties =>
	textField(name, displayName, { required: true, ...own });

/** A switch, off at first. */
export const flagField = fieldsOf('boolean', false);

/** A field for a moment, empty at first. */
export const momentField = fieldsOf('dateTime', '');

/** A field for a number, at least 1 if nothing else is said. */
export const numberField = (
	name: string,
	displayName: string,
	preset: number,
	own: Own,
): INodeProperties =>
	fieldsOf('number', preset)(name, displayName, { typeOptions: { minValue: 1 }, ...own });

/** Choices by value: what each is called, and what it means if that does not say it. */
export type Choices<Value extends string = string> = Record<
	Value,
	string | readonly [name: string, description: string]
>;

/** A field to choose one value; by name, as n8n sorts all choices. */
export const choiceField = <Value extends string>(
	name: string,
	displayName: string,
	choices: Choices<Value>,
	preset: NoInfer<Value>,
	own: Own,
): INodeProperties =>
	fieldsOf('options', preset)(name, displayName, { options: optionsOf(choices), ...own });

/** A field to choose any number of values. */
export const severalField = <Value extends string>(
	name: string,
	displayName: string,
	choices: Choices<Value>,
	preset: Array<NoInfer<Value>>,
	own: Own,
): INodeProperties =>
	fieldsOf('multiOptions', preset)(name, displayName, { options: optionsOf(choices), ...own });

/** Choices as a field has them, sorted by name. */
const optionsOf = (choices: Choices): INodePropertyOptions[] =>
	Object.entries(choices)
		.map(([value, meaning]) => {
			const [name, description] = typeof meaning === 'string' ? [meaning] : meaning;
			return description === undefined ? { name, value } : { name, value, description };
		})
		.sort((a, b) => a.name.localeCompare(b.name));

/** Fields that are shown where other parameters have one of these values. */
export const shownWhere = (
	show: NonNullable<INodeProperties['displayOptions']>['show'],
	fields: INodeProperties[],
): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));

/** A field with another default where a model fills the parameters, as for a tool. */
export const withToolDefault = (
	field: INodeProperties,
	preset: INodeProperties['default'],
): INodeProperties[] => [
	{ ...field, displayOptions: { hide: { '@tool': [true] } } },
	{ ...field, default: preset, displayOptions: { show: { '@tool': [true] } } },
];
