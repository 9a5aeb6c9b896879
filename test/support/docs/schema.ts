import { isDeepStrictEqual } from 'node:util';

/** A JSON schema as far as n8n's preview of an output reads it. */
export type Schema =
	| { type: 'object'; properties: Record<string, Schema> }
	| { type: 'array'; items?: Schema }
	| { type: 'string' | 'number' | 'boolean' | 'null' };

/**
 * The schema of everything that the values have, all of them or only some.
 *
 * @throws when they cannot be told by one schema
 */
export const schemaOf = (values: unknown[]): Schema => values.map(schemaOfOne).reduce(merged);

function schemaOfOne(value: unknown): Schema {
	if (value === null) return { type: 'null' };
	if (Array.isArray(value)) {
		return value.length === 0 ? { type: 'array' } : { type: 'array', items: schemaOf(value) };
	}
	if (typeof value !== 'object') return { type: typeof value as 'string' | 'number' | 'boolean' };
	const entries = Object.entries(value).map(([key, one]) => [key, schemaOfOne(one)] as const);
	return { type: 'object', properties: Object.fromEntries(entries) };
}

/** Null counts for nothing: the other value shows what can be there. */
function merged(one: Schema, other: Schema): Schema {
	if (one.type === 'null') return other;
	if (other.type === 'null' || isDeepStrictEqual(one, other)) return one;
	if (one.type === 'object' && other.type === 'object') {
		const properties = { ...one.properties };
		for (const [key, added] of Object.entries(other.properties)) {
			const own = properties[key];
			properties[key] = own ? merged(own, added) : added;
		}
		return { type: 'object', properties };
	}
	if (one.type === 'array' && other.type === 'array') {
		const items = [one.items, other.items].filter((found) => found !== undefined);
		return items.length === 0 ? one : { type: 'array', items: items.reduce(merged) };
	}
	throw new Error(`A value is ${one.type} and ${other.type}`);
}
