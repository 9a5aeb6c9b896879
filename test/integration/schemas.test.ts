import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { rootFolder } from '../../harness/paths';
import { answered } from '../support/core/answer';
import { useSandbox } from '../support/core/useSandbox';
import { filesIn } from '../support/docs/files';
import { schemaOf } from '../support/docs/schema';
import {
	describedOperations,
	goodParameters,
	type DescribedOperation,
} from '../support/operations';

const sandbox = useSandbox();
const { version } = new MessagingService().description;
const folder = `nodes/MessagingService/__schema__/v${String(version)}.0.0`;

const file: INodeExecutionData = {
	json: {},
	binary: { data: { data: 'JVBERg==', mimeType: 'application/pdf', fileName: 'bill.pdf' } },
};

/** What has to be there first, so that a list is not empty. */
const before: Record<string, () => Promise<IDataObject>> = {
	'chatMessage.getMany': async () => await run('chatMessage.sendTemplate'),
	'voiceCall.get': async () => {
		const [callId = ''] = await sandbox.control.addCalls(1, {});
		return { callId };
	},
	'voiceCall.getMany': async () => {
		await sandbox.control.addCalls(1, {});
		return {};
	},
	'webhook.getMany': async () => await run('webhook.create'),
	'webhook.delete': async () => ({ webhookId: (await run('webhook.create')).id }) as IDataObject,
};

/** The first item of an operation that is carried out with good parameters. */
async function run(name: string): Promise<IDataObject> {
	const operation = describedOperations.find((one) => one.name === name);
	if (!operation) throw new Error(`No operation ${name}`);
	return (await outputs(operation))[0] ?? {};
}

/** Everything that an operation gives; a question is approved. */
async function outputs({ name, choice }: DescribedOperation): Promise<IDataObject[]> {
	const needed = (await before[name]?.()) ?? {};
	const parameters = { ...choice, ...goodParameters[name], ...needed };
	const execution = { credential: sandbox.credential(), parameters, items: [file] };
	const items =
		choice.operation === 'sendAndWait'
			? await answered(execution, { query: { approved: 'true' } })
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
