import type { IExecuteFunctions } from 'n8n-workflow';
import { InputFailure } from './failure';

/** Bytes that can be sent: a stream in filesystem and object-storage mode, a buffer in memory mode. */
export type FileContent =
	| Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>
	| Buffer;

/** A file of an input item, read only when it is sent. */
export interface BinaryFile {
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	/** Where n8n keeps the file, or the content itself in memory mode; equal for equal files only. */
	identity: string;
	open(): Promise<FileContent>;
}

/**
 * Finds the file of an input item without reading it.
 *
 * @param property name of the binary property, or the binary data itself from an expression
 * @throws NodeOperationError when the property is missing, InputFailure when the file is empty
 */
export async function binaryFile(
	context: IExecuteFunctions,
	itemIndex: number,
	property: unknown,
): Promise<BinaryFile> {
	const { helpers } = context;
	const data = helpers.assertBinaryData(itemIndex, property as string);
	const { id } = data;
	const size =
		id === undefined
			? Buffer.byteLength(data.data, 'base64')
			: (await helpers.getBinaryMetadata(id)).fileSize;
	if (size === 0) {
		throw new InputFailure(
			`The file "${data.fileName ?? String(property)}" is empty [item ${itemIndex}]`,
			'Check the node that made the file.',
		);
	}
	return {
		fileName: data.fileName ?? (data.fileExtension ? `file.${data.fileExtension}` : 'file'),
		mimeType: data.mimeType,
		size,
		identity: id ?? data.data,
		open: async () =>
			id === undefined ? Buffer.from(data.data, 'base64') : await helpers.getBinaryStream(id),
	};
}
