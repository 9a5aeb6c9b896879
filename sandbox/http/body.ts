import type { FastifyInstance } from 'fastify';
import { TEXTS } from '../choices';
import { ServiceError } from './serviceError';

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
		if (!this.isJson) throw new ServiceError(400, TEXTS.contentType);
		const parsed = this.parse();
		if (!parsed) throw new ServiceError(400, TEXTS.invalidJson);
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

/** Lets every body through to the endpoints, so that authentication answers first. */
export function acceptAnyBody(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
		done(null, new TextBody(String(text), true)),
	);
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) =>
		done(null, new TextBody(String(text), false)),
	);
}
