import { UnexpectedError, type INodeProperties, type INodePropertyCollection } from 'n8n-workflow';

/**
 * The field of a parameter.
 *
 * @param name parameter name, dotted inside collections, e.g. `options.batching.batch.batchSize`
 * @throws UnexpectedError if there is none: a mistake in this package
 */
export function fieldAt(fields: INodeProperties[], name: string): INodeProperties {
	const [first, ...rest] = name.split('.');
	const field = fields.find((one) => one.name === first);
	if (!field) throw new UnexpectedError(`There is no field ${name}`);
	const [group, ...inGroup] = rest;
	if (group === undefined) return field;
	if (field.type !== 'fixedCollection') {
		return fieldAt((field.options ?? []) as INodeProperties[], rest.join('.'));
	}
	const groups = (field.options ?? []) as INodePropertyCollection[];
	const values = groups.find((one) => one.name === group)?.values ?? [];
	return inGroup.length === 0 ? field : fieldAt(values, inGroup.join('.'));
}
