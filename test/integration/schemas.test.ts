import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isEqual, mapValues, mergeWith } from 'lodash';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
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

/** One value that has everything of all of them; null counts for nothing, as another shows what can be there. */
const sampleOf = (values: unknown[]): unknown =>
	values.reduce((one, other) => {
		const both = mergeWith({}, { value: one }, { value: other }, (own: unknown, added: unknown) => {
			if (added === null) return own;
			return Array.isArray(own) && Array.isArray(added) ? [...own, ...added] : undefined;
		});
		return both.value;
	});

/** The JSON schema of a value, as far as n8n's preview of an output reads it. */
function schemaOf(value: unknown): object {
	if (value === null) return { type: 'null' };
	if (Array.isArray(value)) {
		return value.length === 0
			? { type: 'array' }
			: { type: 'array', items: schemaOf(sampleOf(value)) };
	}
	if (typeof value !== 'object') return { type: typeof value };
	return { type: 'object', properties: mapValues(value, schemaOf) };
}

/**
 * Makes what an operation finds then: whatever else there is of a resource with a Create works with what
 * that has made.
 * @returns the parameter that names it
 */
async function prepare({ name, choice, fields }: DescribedOperation): Promise<IDataObject> {
	if (name === 'chatMessage.getMany') await sandbox.control.addMessages(1, {});
	if (name === 'chatMessage.get') {
		await sandbox.control.addMessages(1, {});
		const [message] = await sandbox.control.messages();
		return { providerMessageId: message?.providerMessageId };
	}
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
	const awaited = await awaitedOutputs(operation, parameters);
	// They lack `success`, which the preview must not offer: nobody should branch on it.
	return awaited.length > 0 ? awaited : items.map(({ json }) => json);
}

/** The output after a wait, if the operation can wait. */
async function awaitedOutputs(
	{ fields }: DescribedOperation,
	parameters: INodeParameters,
): Promise<IDataObject[]> {
	const all = JSON.stringify(fields);
	const option = ['waitForStatus', 'waitForCompletion'].find((one) => all.includes(`"${one}"`));
	if (option === undefined) return [];
	const options = { [option]: { wait: { maxWait: 20, pollInterval: 1 } } };
	const atOnce = { deliveredAfterMs: 0, answeredAfterMs: 0, endedAfterMs: 0 };
	await sandbox.control.setLifecycle({ enabled: true, ...atOnce });
	return await sandbox.json({ ...parameters, options }, { items: [file] });
}

// If this fails: npm run schemas
test.each(describedOperations)('the preview of $name shows what comes out', async (operation) => {
	const { resource, operation: value } = operation.choice;
	const sample = sampleOf(await outputs(operation));
	expect(sample).not.toEqual({});
	const schema = { ...schemaOf(sample), version: 1 };
	const target = path.join(rootFolder, folder, resource, `${value}.json`);
	const shown: unknown = existsSync(target) ? JSON.parse(readFileSync(target, 'utf8')) : undefined;
	if (process.env.UPDATE_DOCS === '1' && !isEqual(shown, schema)) {
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
