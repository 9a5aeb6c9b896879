import { createHash } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { TEXTS } from '../choices';
import type { JournalFile } from '../journal';
import { ServiceError } from './serviceError';

/** A multipart form; the content of its files is not kept. */
export interface Form {
	fields: Record<string, string>;
	files: JournalFile[];
}

/** Reads a multipart request into `form`. Files are hashed and counted as they pass. */
export async function readForm(
	request: FastifyRequest,
	form: Form,
	maxFileBytes: number,
): Promise<void> {
	let tooLarge = false;
	try {
		for await (const part of request.parts({ limits: { fileSize: maxFileBytes } })) {
			if (part.type === 'field') {
				form.fields[part.fieldname] = String(part.value);
				continue;
			}
			form.files.push(await digest(part));
			tooLarge ||= part.file.truncated;
		}
	} catch {
		throw new ServiceError(400, TEXTS.invalidForm);
	}
	if (tooLarge) throw new ServiceError(400, TEXTS.fileTooLarge(maxFileBytes));
}

async function digest(part: MultipartFile): Promise<JournalFile> {
	const hash = createHash('sha256');
	let size = 0;
	for await (const chunk of part.file as AsyncIterable<Buffer>) {
		hash.update(chunk);
		size += chunk.length;
	}
	return {
		field: part.fieldname,
		filename: part.filename,
		mimeType: part.mimetype,
		size,
		sha256: hash.digest('hex'),
	};
}
