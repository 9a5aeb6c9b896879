import { get } from 'lodash';
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import {
	checkedValue,
	fieldAt,
	type Read,
	type Reader,
} from '../../../nodes/MessagingService/parameters/read';
import type { BinaryFile } from '../../../nodes/MessagingService/api/binaryFile';
import { pathOf } from '../../../nodes/MessagingService/api/client';
import { findOperation } from '../../../nodes/MessagingService/actions';
import type { Plan } from '../../../nodes/MessagingService/operation';
import type { Schema } from '../../../nodes/MessagingService/parameters/schemas';

/** Parameters as an operation with these fields reads them, from a plain object instead of a workflow. */
export function fakeRead(
	fields: INodeProperties[],
	parameters: Record<string, unknown>,
	{ file, timeZone = 'Asia/Kolkata' }: { file?: BinaryFile; timeZone?: string } = {},
): Read {
	const read = <T>(name: string, schema: Schema<T>): T => {
		const field = fieldAt(fields, name);
		return checkedValue(field, schema, get(parameters, name) ?? field.default, 0);
	};
	return Object.assign(read, {
		has: (name: string) => get(parameters, name) !== undefined,
		file: async () => {
			if (!file) throw new Error('The test gave no file');
			return await Promise.resolve(file);
		},
		timeZone,
		account: { countryCodes: [], isPrivate: false },
		context: {
			getMode: () => 'trigger',
			getExecutionContext: () => undefined,
			getNode: () => ({ type: 'messagingService' }),
			getNodeParameter: (name: string) => get(parameters, name),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getSignedResumeUrl: (query: Record<string, string>) =>
				`https://n8n.example/1?${new URLSearchParams(query).toString()}&signature=s`,
			evaluateExpression: () => 'https://n8n.example/webhook-waiting/1',
		} as unknown as IExecuteFunctions,
	});
}

/** A reader that gives each of so many items the same parameters. */
export const fakeReader = (read: Read, count = 1): Reader =>
	Object.assign(() => read, {
		each: <T>(name: string, schema: Schema<T>) =>
			Array.from({ length: count }, () => read(name, schema)),
		same: read,
	});

/** A file held in memory. */
export function fakeFile(content = 'content', fileName = 'invoice.pdf'): BinaryFile {
	const bytes = Buffer.from(content);
	return {
		fileName,
		mimeType: 'application/pdf',
		size: bytes.length,
		open: async () => await Promise.resolve(bytes),
	};
}

/** The plan that an operation makes of these parameters. */
export async function planOf(
	name: string,
	parameters: Record<string, unknown>,
	options: Parameters<typeof fakeRead>[2] = {},
): Promise<Plan> {
	const [resource = '', value = ''] = name.split('.');
	const operation = findOperation(resource, value);
	if (operation?.kind !== 'item') throw new Error(`No item operation ${name}`);
	return await operation.plan(fakeRead(operation.fields, parameters, options));
}

/** The first request that an operation makes, without what belongs to its endpoint. */
export async function firstRequest(...operation: Parameters<typeof planOf>) {
	const plan = await planOf(...operation);
	let first = plan.request;
	await plan.readAll?.(async (request) => {
		first = request;
		return await Promise.resolve({ records: [] });
	});
	const { endpoint, params, ...rest } = first;
	return { method: endpoint.method, path: pathOf({ endpoint, params }), ...rest };
}
