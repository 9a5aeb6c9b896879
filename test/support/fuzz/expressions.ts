import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	NodeParameterValueType,
} from 'n8n-workflow';

/** A parameter below the node's, e.g. `options.timeout`. */
type Path = string[];

/**
 * Parameters in which every value is an expression that takes it from the input item, under the
 * parameter's own path: so odd values reach a node in a workflow.
 */
export function expressionParameters(fields: INodeProperties[]): INodeParameters {
	const parameters: INodeParameters = {};
	for (const field of fields) parameters[field.name] = expressionOf(field, []);
	return parameters;
}

function expressionOf(field: INodeProperties, above: Path): NodeParameterValueType {
	const { name, type, options = [], typeOptions } = field;
	// n8n evaluates no expression there.
	if (field.noDataExpression) return field.default;
	// A default that is an expression itself cannot stand in another one.
	const preset = String(field.default).startsWith('=') ? '' : field.default;
	// An empty filter would give the records of everybody, and is refused.
	const filled = type === 'dateTime' ? '2026-01-31' : '919876543210';
	const isFilter = above[0] === 'filters' && preset === '' && type !== 'options';
	const path = [...above, name];
	const nested = (own: INodeProperties[], below: Path): INodeParameters =>
		Object.fromEntries(own.map((child) => [child.name, expressionOf(child, below)]));
	if (type === 'collection') return nested(options as INodeProperties[], path);
	if (type === 'fixedCollection' && !typeOptions?.multipleValues) {
		return Object.fromEntries(
			(options as INodePropertyCollection[]).map((group) => [
				group.name,
				nested(group.values, [...path, group.name]),
			]),
		);
	}
	if (type === 'fixedCollection') {
		const [group] = options as INodePropertyCollection[];
		return { [group?.name ?? '']: taken([...path, group?.name ?? ''], []) };
	}
	if (type === 'resourceLocator')
		return { __rl: true, mode: 'id', value: taken([...path, 'value'], '') };
	return taken(path, isFilter ? filled : preset);
}

/** Optional chaining: a collection of the item may be anything but an object. */
const taken = (path: Path, preset: unknown): string =>
	`={{ $json.${path
		.map((name) => JSON.stringify(name))
		.join('?.')
		.replace(/"/g, '')} ?? ${JSON.stringify(preset)} }}`;

/** The values as an item brings them: what JSON cannot hold is gone. */
export const asItemJson = (values: unknown): IDataObject =>
	JSON.parse(JSON.stringify(values)) as IDataObject;
