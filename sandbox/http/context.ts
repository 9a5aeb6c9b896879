import type { FastifyRequest } from 'fastify';
import { TEXTS } from '../choices';
import type { World } from '../world';
import { TextBody } from './body';
import { readForm, type Form } from './form';
import { ServiceError } from './serviceError';

/** What an endpoint may use of a request. */
export class Context {
	constructor(
		readonly world: World,
		private readonly request: FastifyRequest,
	) {}

	/** The query parameters as strings; a repeated one is an array. */
	get query(): Record<string, unknown> {
		return { ...(this.request.query as Record<string, unknown>) };
	}

	get isForm(): boolean {
		return this.request.isMultipart();
	}

	/** The JSON body; an absent one is an empty object. */
	json(): unknown {
		if (this.isForm) throw new ServiceError(400, TEXTS.contentType);
		const { body } = this.request;
		return body instanceof TextBody ? body.json() : {};
	}

	/** The multipart form, which goes to the journal as far as it is read. */
	async form(): Promise<Form> {
		if (!this.isForm) throw new ServiceError(400, TEXTS.contentType);
		const form: Form = { fields: {}, files: [] };
		if (this.request.entry) this.world.journal.describe(this.request.entry, () => form);
		await readForm(this.request, form, this.world.variants.maxFileBytes);
		return form;
	}
}
