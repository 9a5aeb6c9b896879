import { createHash } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JournalFile } from '../journal';
import type { Service } from '../service';
import { ServiceError } from './endpoint';

/** A body that is no form: read whole, parsed only when an endpoint or the journal asks. */
export class TextBody {
	private parsed: { value: unknown } | null | undefined;

	constructor(
		readonly text: string,
		private readonly isJson: boolean,
	) {}

	/** The parsed JSON; 400 when it is none. No text is an empty object: what is missing gets named. */
	json(): unknown {
		if (this.text === '') return {};
		if (!this.isJson) throw new ServiceError(400, 'Unsupported content type');
		const parsed = this.parse();
		if (!parsed) throw new ServiceError(400, 'Request body is not valid JSON');
		return parsed.value;
	}

	/** The parsed JSON, or the text when it is none. */
	shown(): unknown {
		return this.parse()?.value ?? this.text;
	}

	private parse(): { value: unknown } | null {
		if (this.parsed !== undefined) return this.parsed;
		try {
			this.parsed = { value: JSON.parse(this.text) };
		} catch {
			this.parsed = null;
		}
		return this.parsed;
	}
}

/** Lets every body through to the endpoints, so that authentication comes first. */
export function acceptAnyBody(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	for (const type of ['application/json', '*']) {
		app.addContentTypeParser(type, { parseAs: 'string' }, (_request, text, done) =>
			done(null, new TextBody(String(text), type !== '*')),
		);
	}
}

/** A multipart form; the content of its files is not kept. */
export interface Form {
	fields: Record<string, string>;
	files: JournalFile[];
}

/** What an endpoint may use of a request. */
export class Context {
	constructor(
		readonly service: Service,
		private readonly request: FastifyRequest,
	) {}

	/** The path parameters by name, decoded. */
	get params(): Record<string, string> {
		return this.request.params as Record<string, string>;
	}

	/** The query parameters as strings; a repeated one is an array. */
	get query(): Record<string, unknown> {
		return { ...(this.request.query as Record<string, unknown>) };
	}

	get isForm(): boolean {
		return this.request.isMultipart();
	}

	/** The JSON body; an absent one is an empty object. */
	json(): unknown {
		if (this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const { body } = this.request;
		return body instanceof TextBody ? body.json() : {};
	}

	/** The multipart form, which goes to the journal as far as it is read. */
	async form(): Promise<Form> {
		if (!this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const form: Form = { fields: {}, files: [] };
		const { journal, assumptions } = this.service;
		if (this.request.entry) journal.describe(this.request.entry, () => form);
		await readForm(this.request, form, assumptions.maxFileBytes);
		return form;
	}
}

/** Reads a multipart request into `form`. Files are hashed and counted as they pass. */
async function readForm(request: FastifyRequest, form: Form, maxFileBytes: number): Promise<void> {
	let isTooLarge = false;
	try {
		for await (const part of request.parts({ limits: { fileSize: maxFileBytes } })) {
			if (part.type === 'field') {
				form.fields[part.fieldname] = String(part.value);
				continue;
			}
			form.files.push(await digest(part));
			isTooLarge ||= part.file.truncated;
		}
	} catch {
		throw new ServiceError(400, 'Request body is not a valid multipart form');
	}
	if (isTooLarge) {
		throw new ServiceError(400, `File exceeds the size limit of ${maxFileBytes} bytes`);
	}
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
