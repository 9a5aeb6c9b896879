import { randomUUID } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { Failure, InputFailure, itemName } from './failure';

/** The content of a file: a buffer in memory mode, a stream in all other modes. */
type FileContent = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>> | Buffer;

/** A file of an input item. It is read when it is sent. */
export interface BinaryFile {
	fileName: string;
	mimeType: string;
	/** Bytes. */
	size: number;
	open(): Promise<FileContent>;
}

const anyType = 'application/octet-stream';

const shownLength = 100;

/**
 * n8n's data of the file that a name or, with n8n's binary mode "combined", a path leads to; undefined if there is
 * none.
 */
export function binaryDataOf(
	{ helpers }: IExecuteFunctions,
	itemIndex: number,
	name: string,
): IBinaryData | undefined {
	try {
		return helpers.assertBinaryData(itemIndex, name);
	} catch {
		return undefined;
	}
}

/**
 * Finds the file of an input item. `property` is the name of its binary property, or the binary data itself.
 * Throws NodeOperationError if the item has no such property, InputFailure if the file is empty.
 */
export async function binaryFile(
	{ helpers }: IExecuteFunctions,
	itemIndex: number,
	property: unknown,
): Promise<BinaryFile> {
	const data = helpers.assertBinaryData(itemIndex, property as string) as IBinaryData | undefined;
	// A Code node can set anything here. For a field named "constructor", n8n returns a function.
	if (typeof data?.data !== 'string') {
		throw new InputFailure(
			`The binary field of the input item contains no file (${itemName(itemIndex)})`,
			"Enter the name of the file's field, e.g. data. If it is correct, check the node that fills this field.",
		);
	}
	const { id, fileExtension } = data;
	const mimeType = textOr(data.mimeType, anyType);
	const preset = typeof fileExtension === 'string' ? `file.${fileExtension}` : 'file';
	const fileName = textOr(data.fileName, preset);
	// Buffer.byteLength would also count line breaks and other characters outside base64.
	const inMemory = () => Buffer.from(data.data, 'base64');
	const size =
		id === undefined ? inMemory().length : (await helpers.getBinaryMetadata(id)).fileSize;
	if (size === 0) {
		throw new InputFailure(
			`The file "${fileName.slice(0, shownLength)}" is empty (${itemName(itemIndex)})`,
			'Check the node that created the file.',
		);
	}
	const open = async () => (id === undefined ? inMemory() : await helpers.getBinaryStream(id));
	return { fileName, mimeType, size, open };
}

const textOr = (value: unknown, preset: string): string =>
	typeof value === 'string' && value !== '' ? value : preset;

export interface Form {
	fields: Record<string, string>;
	file: BinaryFile;
}

/** A multipart body of known length and its headers. */
export interface MultipartBody {
	body: FileContent;
	headers: { 'Content-Type': string; 'Content-Length'?: number };
	/** Closes the file, even if the body was not sent completely. */
	close(): void;
}

/**
 * Builds a multipart/form-data body without copying the file: while the file's stream is read, the other
 * parts are added around it. Throws Failure if the file cannot be opened.
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
	// Runs when the stream is read.
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

/** Escapes quotes and line breaks as browsers do, so that a name cannot add a header or a part. */
const quoted = (value: string) =>
	`"${value.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22').replace(/\0/g, '')}"`;

function disposition(name: string, fileName?: string): string {
	const file = fileName === undefined ? '' : `; filename=${quoted(fileName)}`;
	return `Content-Disposition: form-data; name=${quoted(name)}${file}`;
}

const contentType = (mimeType: string) =>
	/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\t\x20-\x7e]*)?$/.test(mimeType) ? mimeType : anyType;
