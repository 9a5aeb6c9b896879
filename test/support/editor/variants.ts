import {
	NodeHelpers,
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
	type NodeParameterValue,
} from 'n8n-workflow';

/** Parameters of a node, and the names of the fields that the editor lets a model fill with them. */
export interface Variant {
	parameters: INodeParameters;
	fields: string[];
}

/** Values of other parameters with which a field is shown, by their paths. */
type Conditions = Record<string, NodeParameterValue[]>;

interface Leaf {
	field: INodeProperties;
	/** The group that it is in; empty at the top. */
	path: string;
	conditions: Conditions;
}

/**
 * A switch whose name is that of a choice in other operations has a button in some views of n8n and none
 * in others.
 */
export const isUncertain = (name: string): boolean => name === 'checkBalance';

const isForModel = ({ field }: Leaf): boolean =>
	!['options', 'notice'].includes(field.type) && !isUncertain(field.name);

const isGroup = ({ type }: INodeProperties): boolean => /^(fixedC|c)ollection$/.test(type);

/** Fields that hold a value; a list has one entry. */
function leavesOf(fields: INodeProperties[], path = '', outer: Conditions = {}): Leaf[] {
	return fields.flatMap((field) => {
		const conditions = { ...outer, ...conditionsOf(field, path) };
		const group = within(path, field.name);
		if (field.type === 'collection') {
			return leavesOf(field.options as INodeProperties[], group, conditions);
		}
		if (field.type !== 'fixedCollection') return [{ field, path, conditions }];
		const entry = field.typeOptions?.multipleValues ? '[0]' : '';
		return (field.options as INodePropertyCollection[]).flatMap(({ name, values }) =>
			leavesOf(values, `${group}.${name}${entry}`, conditions),
		);
	});
}

/** What a field asks of others, by their paths; beside it everything has been added. */
function conditionsOf({ displayOptions }: INodeProperties, path: string): Conditions {
	const all = Object.entries(displayOptions?.show ?? {}) as Array<[string, NodeParameterValue[]]>;
	return Object.fromEntries(
		all
			.filter(([name]) => !name.startsWith('@'))
			.map(([name, values]) => [name.startsWith('/') ? name.slice(1) : within(path, name), values]),
	);
}

const within = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Both, if there are values that are good for both. */
function together(one: Conditions, other: Conditions): Conditions | undefined {
	const both = { ...one };
	for (const [name, values] of Object.entries(other)) {
		both[name] = (one[name] ?? values).filter((value) => values.includes(value));
		if (both[name].length === 0) return undefined;
	}
	return both;
}

/** What fields hold once everything in their groups has been added. */
const added = (fields: INodeProperties[]): IDataObject =>
	Object.fromEntries(
		fields.map((field) => [
			field.name,
			isGroup(field) ? filled(field) : (field.default as IDataObject),
		]),
	);

function filled({ type, options = [], typeOptions }: INodeProperties): IDataObject {
	if (type === 'collection') return added(options as INodeProperties[]);
	return Object.fromEntries(
		(options as INodePropertyCollection[]).map(({ name, values }) => [
			name,
			typeOptions?.multipleValues ? [added(values)] : added(values),
		]),
	);
}

/** Sets a value in groups that are there. */
function put(target: IDataObject, path: string, value: IDataObject[string]): void {
	const keys = path.replace(/\[(\d+)\]/g, '.$1').split('.');
	const last = keys.pop() as string;
	let group = target;
	for (const key of keys) group = group[key] as IDataObject;
	group[last] = value;
}

/**
 * Few sets of parameters with which the editor shows every field of an operation that a model may
 * fill: all but choices from a list and notices.
 *
 * @param choice the operation
 * @throws for a field that is never shown
 */
export function variantsOf(choice: INodeParameters, description: INodeTypeDescription): Variant[] {
	const { properties } = description;
	const fields = properties.filter(
		({ displayOptions }) =>
			// Those have another form for tools.
			!displayOptions?.hide?.['@tool'] &&
			Object.entries(choice).every(([name, value]) =>
				displayOptions?.show?.[name]?.includes(value as string),
			),
	);
	const node = { typeVersion: 1 } as INode;
	const variants: Variant[] = [];
	let open = leavesOf(fields).filter(isForModel);
	while (open.length > 0) {
		let conditions: Conditions = {};
		for (const leaf of open) conditions = together(conditions, leaf.conditions) ?? conditions;
		const given = added(fields.filter(isGroup)) as INodeParameters;
		for (const [path, [value]] of Object.entries(conditions))
			put(given as IDataObject, path, value);
		const parameters =
			NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
		const isShown = (field: INodeProperties, path: string) =>
			NodeHelpers.displayParameterPath(parameters, field, path, node, description);
		const shown = leavesOf(fields.filter((field) => isShown(field, '')))
			.filter(isForModel)
			.filter(({ field, path }) => isShown(field, path));
		const left = open.filter(({ field }) => !shown.some((leaf) => leaf.field === field));
		if (left.length === open.length) throw new Error(`Never shown: ${left[0]?.field.name}`);
		open = left;
		variants.push({ parameters, fields: shown.map(({ field }) => field.name) });
	}
	return variants;
}
