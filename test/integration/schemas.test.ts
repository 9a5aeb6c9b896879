import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { rootFolder } from '../../harness/paths';
import { asked } from '../support/core/answer';
import { useSandbox } from '../support/core/useSandbox';
import { filesIn } from '../support/docs/files';
import { schemaOf } from '../support/docs/schema';
import {
	describedOperations,
	goodParameters,
	idFor,
	neededBy,
	type DescribedOperation,
} from '../support/operations';

const sandbox = useSandbox();
const { version } = new MessagingService().description;
const folder = `nodes/MessagingService/__schema__/v${String(version)}.0.0`;

const file: INodeExecutionData = {
	json: { phone: '919876543210' },
	binary: { data: { data: 'JVBERg==', mimeType: 'application/pdf', fileName: 'bill.pdf' } },
};

/** Makes what an operation finds then. @returns the parameters that name it */
async function prepare(operation: DescribedOperation): Promise<IDataObject> {
	if (operation.name === 'chatMessage.getMany') await sandbox.control.addMessages(1, {});
	const needed = neededBy(operation);
	if (!needed) return {};
	const [made = {}] = await outputs(needed.create);
	return needed.parameter === undefined ? {} : idFor(needed.parameter, made);
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
