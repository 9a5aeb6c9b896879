import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { rootFolder } from '../../harness/paths';
import { asked } from '../support/core/answer';
import { useSandbox } from '../support/core/useSandbox';
import { filesIn } from '../support/docs/files';
import {
	describedOperations,
	goodParameters,
	type DescribedOperation,
} from '../support/operations';

const sandbox = useSandbox();
const { version } = new MessagingService().description;
const folder = `nodes/MessagingService/__schema__/v${String(version)}.0.0`;

const file: INodeExecutionData = {
	json: { phone: '447700900210' },
	binary: { data: { data: 'JVBERg==', mimeType: 'application/pdf', fileName: 'bill.pdf' } },
};

/** A JSON schema as far as n8n's preview of an output reads it. */
type Schema =
	| { type: 'object'; properties: Record<string, Schema> }
	| { type: 'array'; items?: Schema }
	| { type: 'string' | 'number' | 'boolean' | 'null' };

/**
 * The schema of everything that the values have, all of them or only some.
 *
 * @throws when they cannot be told by one schema
 */
const schemaOf = (values: unknown[]): Schema => values.map(schemaOfOne).reduce(merged);

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

/**
 * Makes what an operation finds then: whatever else there is of a resource with a Create works with what
 * that has made.
 * @returns the parameter that names it
 */
async function prepare({ name, choice, fields }: DescribedOperation): Promise<IDataObject> {
	if (name === 'chatMessage.getMany') await sandbox.control.addMessages(1, {});
	const create = describedOperations.find((one) => one.name === `${choice.resource}.create`);
	if (!create || choice.operation === 'create') return {};
	const [made = {}] = await outputs(create);
	const id = fields.find(({ required, name }) => required && name.endsWith('Id'))?.name;
	return id === undefined ? {} : { [id]: made[id] ?? made.id };
}

/** Everything that an operation gives; a question is approved. */
async function outputs(operation: DescribedOperation): Promise<IDataObject[]> {
	const { name, choice } = operation;
	const needed = await prepare(operation);
	const parameters = { ...choice, ...goodParameters[name], ...needed };
	const items =
		choice.operation === 'sendAndWait'
			? (await (await asked(sandbox, { parameters, items: [file] }))('POST', 0)).items
			: await sandbox.run(parameters, { items: [file] });
	return items.map(({ json }) => json);
}

// If this fails: npm run schemas
test.each(describedOperations)('the preview of $name shows what comes out', async (operation) => {
	const { resource, operation: value } = operation.choice;
	const schema = { ...schemaOf(await outputs(operation)), version: 1 };
	expect(Object.keys('properties' in schema ? schema.properties : {})).not.toEqual([]);
	const target = path.join(rootFolder, folder, resource, `${value}.json`);
	const shown: unknown = existsSync(target) ? JSON.parse(readFileSync(target, 'utf8')) : undefined;
	if (process.env.UPDATE_DOCS === '1' && !isDeepStrictEqual(shown, schema)) {
		mkdirSync(path.dirname(target), { recursive: true });
		writeFileSync(target, `${JSON.stringify(schema, null, '\t')}\n`);
		return;
	}
	expect(shown).toEqual(schema);
});

test('there are previews of operations only', () => {
	const wanted = describedOperations.map(
		({ choice }) => `${folder}/${choice.resource}/${choice.operation}.json`,
	);
	expect(filesIn('nodes/MessagingService/__schema__', /./).sort()).toEqual(wanted.sort());
});
