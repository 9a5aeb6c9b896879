import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { attempt, isError } from 'lodash';
import type { JournalFile } from '../journal';
import type { Service } from '../service';
import { shortOf, type Resource } from '../state/account';
import type { State } from '../state/state';
import { ServiceError } from './error';
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

	/** The parsed JSON, or 400. No text is an empty object, so that the missing field is named. */
	json(): unknown {
		if (this.text === '') return {};
		if (!this.isJson) throw new ServiceError(400, 'Unsupported content type');
		if (isError(this.parsed)) throw new ServiceError(400, 'Request body is not valid JSON');
		return this.parsed;
	}

	/** The parsed JSON, or the text if it is none. */
	shown(): unknown {
		return isError(this.parsed) ? this.text : this.parsed;
	}
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

	/** The JSON body, whatever it contains. */
	json(): unknown {
		if (this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const { body } = this.request;
		return body instanceof TextBody ? body.json() : {};
	}

	/** The multipart form, which goes to the journal as far as it is read. Files are hashed and not kept. */
	async form() {
		if (!this.isForm) throw new ServiceError(400, 'Unsupported content type');
		const form = { fields: {} as Record<string, string>, files: [] as JournalFile[] };
		if (this.request.entry) this.service.journal.describe(this.request.entry, form);
		try {
			for await (const part of this.request.parts({ limits: { fileSize: Infinity } })) {
				if (part.type === 'field') {
					form.fields[part.fieldname] = String(part.value);
					continue;
				}
				const { fieldname: field, filename, mimetype: mimeType, file } = part;
				const hash = createHash('sha256');
				for await (const chunk of file) hash.update(chunk as Buffer);
				const facts = { size: file.bytesRead, sha256: hash.digest('hex') };
				form.files.push({ field, filename, mimeType, ...facts });
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
