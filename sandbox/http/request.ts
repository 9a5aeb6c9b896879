import { createHash } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { attempt, isError } from 'lodash';
import type { JournalFile } from '../journal';
import type { Service } from '../service';
import { shortOf, type Resource } from '../state/account';
import type { State } from '../state/state';
import { ServiceError } from './endpoint';
import { validate, type Schema } from './validate';

/** A body that is no form, as text, and parsed if it is JSON. */
export class TextBody {
	private readonly parsed: unknown;

	constructor(
		readonly text: string,
		readonly isJson: boolean,
	) {
		this.parsed = attempt(JSON.parse, text);
	}

	/** The parsed JSON; 400 when it is none. No text is an empty object: what is missing gets named. */
	json(): unknown {
		if (this.text === '') return {};
		if (!this.isJson) throw new ServiceError(400, 'Unsupported content type');
		if (isError(this.parsed)) throw new ServiceError(400, 'Request body is not valid JSON');
		return this.parsed;
	}

	/** The parsed JSON, or the text when it is none. */
	shown(): unknown {
		return isError(this.parsed) ? this.text : this.parsed;
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
interface Form {
	fields: Record<string, string>;
	files: JournalFile[];
}

/** What an endpoint may use of a request. */
export class Context {
	readonly state: State;

	constructor(
		readonly service: Service,
		private readonly request: FastifyRequest,
	) {
		this.state = service.state;
	}

	/** The path parameters by name, decoded. */
	get params(): Record<string, string> {
		return this.request.params as Record<string, string>;
	}

	get isForm(): boolean {
		return this.request.isMultipart();
	}

	/** The query parameters as `schema` wants them; a repeated one is an array. */
	query<Output>(schema: Schema<Output>): Output {
		return validate(schema, { ...(this.request.query as object) });
	}

	/** The JSON body as `schema` wants it; an absent one is an empty object. */
	body<Output>(schema: Schema<Output>): Output {
		return validate(schema, this.json());
	}

	/** The JSON body, whatever it holds. */
	json(): unknown {
		if (this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const { body } = this.request;
		return body instanceof TextBody ? body.json() : {};
	}

	/** The multipart form, which goes to the journal as far as it is read. Files are hashed as they pass. */
	async form(): Promise<Form> {
		if (!this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const form: Form = { fields: {}, files: [] };
		if (this.request.entry) this.service.journal.describe(this.request.entry, form);
		try {
			for await (const part of this.request.parts({ limits: { fileSize: Infinity } })) {
				if (part.type === 'field') form.fields[part.fieldname] = String(part.value);
				else form.files.push(await digest(part));
			}
		} catch {
			throw new ServiceError(400, 'Request body is not a valid multipart form');
		}
		return form;
	}

	/** Takes `cost` off a balance, or 402 (docs/service.md, section 7.2); returns its part of the response. */
	charge(resource: Resource, cost: number): { cost: number; remainingBalance: number } {
		const { account } = this.state;
		if (account[resource] < cost) throw new ServiceError(402, shortOf[resource]);
		account[resource] -= cost;
		return { cost, remainingBalance: account[resource] };
	}
}

async function digest(part: MultipartFile): Promise<JournalFile> {
	const hash = createHash('sha256');
	for await (const chunk of part.file) hash.update(chunk as Buffer);
	return {
		field: part.fieldname,
		filename: part.filename,
		mimeType: part.mimetype,
		size: part.file.bytesRead,
		sha256: hash.digest('hex'),
	};
}
