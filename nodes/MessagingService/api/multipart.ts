import { randomUUID } from 'node:crypto';
import type { BinaryFile, FileContent } from './binaryFile';

/** A multipart body of known length and the headers that announce it. */
interface MultipartBody {
	body: FileContent;
	headers: { 'Content-Type': string; 'Content-Length': number };
	/** Closes the file, also of a body that was not sent to its end. */
	close(): void;
}

/**
 * Builds a multipart/form-data body around a file without a second copy of it: the file's own
 * stream is framed by the other parts as it is read.
 */
export async function multipart({
	fields,
	file,
}: {
	fields: Record<string, string>;
	file: BinaryFile;
}): Promise<MultipartBody> {
	const boundary = `n8n-${randomUUID()}`;
	const head = Buffer.from(
		Object.entries(fields)
			.map(([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`)
			.join('') +
			`--${boundary}\r\n${disposition('file', file.fileName)}\r\nContent-Type: ${contentType(file.mimeType)}\r\n\r\n`,
	);
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const content = await file.open();
	return {
		body: frame(head, content, tail, file.size),
		close: () => void (Buffer.isBuffer(content) || content.destroy()),
		headers: {
			'Content-Type': `multipart/form-data; boundary=${boundary}`,
			'Content-Length': head.length + file.size + tail.length,
		},
	};
}

/** Puts the other parts around a file of that size; a stream is not touched before it is read. */
function frame(head: Buffer, content: FileContent, tail: Buffer, size: number): FileContent {
	if (Buffer.isBuffer(content)) return Buffer.concat([head, content, tail]);
	let read = 0;
	return content.flatMap((chunk: Buffer) => {
		const parts = read === 0 ? [head, chunk] : [chunk];
		read += chunk.length;
		return read === size ? [...parts, tail] : parts;
	}) as FileContent;
}

/** Quotes and line breaks are escaped as browsers do, so that no name can add a header or a part. */
const quoted = (value: string) =>
	`"${value.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22').replace(/\0/g, '')}"`;

function disposition(name: string, fileName?: string): string {
	const file = fileName === undefined ? '' : `; filename=${quoted(fileName)}`;
	return `Content-Disposition: form-data; name=${quoted(name)}${file}`;
}

const contentType = (mimeType: string) =>
	/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\t\x20-\x7e]*)?$/.test(mimeType)
		? mimeType
		: 'application/octet-stream';
