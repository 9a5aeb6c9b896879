import type { IExecuteFunctions } from 'n8n-workflow';
import { InputFailure, itemName } from './failure';

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

/** Characters of a file name that a message shows. */
const shownLength = 100;

/**
 * Finds the file of an input item without reading it.
 *
 * @param property name of the binary property, or the binary data itself from an expression
 * @throws InputFailure when there is no such file or it is empty
 */
export async function binaryFile(
	context: IExecuteFunctions,
	itemIndex: number,
	property: unknown,
): Promise<BinaryFile> {
	const { helpers } = context;
	const data = isFound(context, itemIndex, property)
		? helpers.assertBinaryData(itemIndex, property as string)
		: undefined;
	// A Code node can put anything there, and names such as "constructor" lead to no file either.
	if (typeof data?.data !== 'string') {
		throw new InputFailure(
			`The binary field of the input item holds no file (${itemName(itemIndex)})`,
			'Check the node that made the file.',
		);
	}
	const { id, fileExtension, mimeType } = data;
	const preset = typeof fileExtension === 'string' ? `file.${fileExtension}` : 'file';
	const fileName = textOr(data.fileName, preset);
	const size =
		id === undefined
			? // Not Buffer.byteLength: it counts line breaks and other characters that are no base64.
				Buffer.from(data.data, 'base64').length
			: (await helpers.getBinaryMetadata(id)).fileSize;
	if (size === 0) {
		throw new InputFailure(
			`The file "${fileName.slice(0, shownLength)}" is empty (${itemName(itemIndex)})`,
			'Check the node that made the file.',
		);
	}
	return {
		fileName,
		mimeType: textOr(mimeType, 'application/octet-stream'),
		size,
		identity: id ?? data.data,
		open: async () =>
			id === undefined ? Buffer.from(data.data, 'base64') : await helpers.getBinaryStream(id),
	};
}

/**
 * Whether the item has the file, or the property is one itself.
 *
 * @throws InputFailure that names the files of the item
 */
function isFound(context: IExecuteFunctions, itemIndex: number, property: unknown): boolean {
	if (typeof property === 'object' && property !== null) return true;
	const files = context.getInputData()[itemIndex]?.binary ?? {};
	const name = String(property ?? '');
	if (Object.hasOwn(files, name)) return true;
	const known = Object.keys(files).join(', ').slice(0, shownLength) || 'none';
	const isDragged = name.includes('[object Object]');
	throw new InputFailure(
		isDragged
			? `Input Data Field Name holds a file where the name of one is needed; the item has: ${known} (${itemName(itemIndex)})`
			: `The item has no file "${name.slice(0, shownLength)}"; it has: ${known} (${itemName(itemIndex)})`,
		'Enter the name of a file that the item has, without quotes, or check the node that makes it.',
	);
}

const textOr = (value: unknown, preset: string): string =>
	typeof value === 'string' && value !== '' ? value : preset;
