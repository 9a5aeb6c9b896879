import { randomUUID } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { Failure, InputFailure, itemName } from './failure';

/** Bytes that can be sent: a stream in filesystem and object-storage mode, a buffer in memory mode. */
type FileContent = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>> | Buffer;

/** A file of an input item, read only when it is sent. */
export interface BinaryFile {
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	open(): Promise<FileContent>;
}

const anyType = 'application/octet-stream';

/** Characters of a file name that a message shows. */
const shownLength = 100;

/**
 * Finds the file of an input item without reading it, by the name of its property or by the binary data
 * itself. Throws InputFailure when it is no file or empty, NodeOperationError when there is none.
 */
export async function binaryFile(
	{ helpers }: IExecuteFunctions,
	itemIndex: number,
	property: unknown,
): Promise<BinaryFile> {
	const data = helpers.assertBinaryData(itemIndex, property as string) as IBinaryData | undefined;
	// A Code node can put anything there, and names such as "constructor" lead to no file either.
	if (typeof data?.data !== 'string') {
		throw new InputFailure(
			`The binary field of the input item contains no file (${itemName(itemIndex)})`,
			'Check the node that created the file.',
		);
	}
	const { id, fileExtension, mimeType } = data;
	const preset = typeof fileExtension === 'string' ? `file.${fileExtension}` : 'file';
	const fileName = textOr(data.fileName, preset);
	// Buffer.byteLength would count line breaks and other characters that are no base64.
	const inMemory = () => Buffer.from(data.data, 'base64');
	const size =
		id === undefined ? inMemory().length : (await helpers.getBinaryMetadata(id)).fileSize;
	if (size === 0) {
		throw new InputFailure(
			`The file "${fileName.slice(0, shownLength)}" is empty (${itemName(itemIndex)})`,
			'Check the node that created the file.',
		);
	}
	return {
		fileName,
		mimeType: textOr(mimeType, anyType),
		size,
		open: async () => (id === undefined ? inMemory() : await helpers.getBinaryStream(id)),
	};
}

const textOr = (value: unknown, preset: string): string =>
	typeof value === 'string' && value !== '' ? value : preset;

/** What is sent as multipart/form-data instead of JSON. */
export interface Form {
	fields: Record<string, string>;
	file: BinaryFile;
}

/** A multipart body of known length and the headers that announce it. */
export interface MultipartBody {
	body: FileContent;
	headers: { 'Content-Type': string; 'Content-Length'?: number };
	/** Closes the file, also of a body that was not sent to its end. */
	close(): void;
}

/**
 * Builds a multipart/form-data body around a file without a second copy of it: the file's own stream is
 * framed by the other parts as it is read. Throws Failure when the file cannot be opened.
 */
export async function multipart({ fields, file }: Form): Promise<MultipartBody> {
	const boundary = `n8n-${randomUUID()}`;
	const head = Buffer.from(
		Object.entries(fields)
			.map(([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`)
			.join('') +
			`--${boundary}\r\n${disposition('file', file.fileName)}\r\nContent-Type: ${contentType(file.mimeType)}\r\n\r\n`,
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const content = await file.open().catch((error: Error) => {
		throw new Failure(`The file "${file.fileName.slice(0, shownLength)}" could not be opened`, {
			outcome: 'notSent',
			description: `Check the node that created the file. n8n reports: ${error.message.slice(0, 500)}`,
		});
	});
	let read = 0;
	// A stream is not touched before it is read.
	const framed = (chunk: Buffer) => {
		const start = read === 0 ? [head] : [];
		read += chunk.length;
		return [...start, chunk, ...(read === file.size ? [tail] : [])];
	};
	const body = Buffer.isBuffer(content)
		? Buffer.concat([head, content, tail])
		: (content.flatMap(framed) as FileContent);
	return {
		body,
		close: () => void (Buffer.isBuffer(content) || content.destroy()),
		headers: {
			'Content-Type': `multipart/form-data; boundary=${boundary}`,
			'Content-Length': head.length + file.size + tail.length,
		},
	};
}

/** Quotes and line breaks are escaped as browsers do, so that no name can add a header or a part. */
const quoted = (value: string) =>
	`"${value.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22').replace(/\0/g, '')}"`;

function disposition(name: string, fileName?: string): string {
	const file = fileName === undefined ? '' : `; filename=${quoted(fileName)}`;
	return `Content-Disposition: form-data; name=${quoted(name)}${file}`;
}

const contentType = (mimeType: string) =>
	/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\t\x20-\x7e]*)?$/.test(mimeType) ? mimeType : anyType;
