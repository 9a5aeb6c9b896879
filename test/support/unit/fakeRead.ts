import { checked, type Read } from '../../../nodes/MessagingService/parameters/read';
import type { BinaryFile } from '../../../nodes/MessagingService/api/binaryFile';
import type { Schema } from '../../../nodes/MessagingService/parameters/schemas';

/** Parameters as an item operation reads them, from a plain object instead of a workflow. */
export function fakeRead(
	parameters: Record<string, unknown>,
	{ file, timeZone = 'Asia/Kolkata' }: { file?: BinaryFile; timeZone?: string } = {},
): Read {
	const read = <T>(name: string, label: string, schema: Schema<T>): T =>
		checked(label, 0, schema, valueAt(parameters, name) ?? undefined);
	return Object.assign(read, {
		file: async () => {
			if (!file) throw new Error('The test gave no file');
			return await Promise.resolve(file);
		},
		timeZone,
		resumeUrl: (query: Record<string, string>) =>
			`https://n8n.example/1?${new URLSearchParams(query).toString()}&signature=s`,
	});
}

/** The value at a dotted path; undefined where there is none. */
export const valueAt = (parameters: unknown, name: string): unknown =>
	name
		.split('.')
		.reduce<unknown>(
			(value, key) => (value as Record<string, unknown> | undefined)?.[key],
			parameters,
		);

/** A file held in memory. */
export function fakeFile(content = 'content', fileName = 'invoice.pdf'): BinaryFile {
	const bytes = Buffer.from(content);
	return {
		fileName,
		mimeType: 'application/pdf',
		size: bytes.length,
		identity: content,
		open: async () => await Promise.resolve(bytes),
	};
}
