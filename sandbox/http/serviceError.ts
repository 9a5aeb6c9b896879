/** An answer with an error status; `fields` are added for the one documented exception (docs/service.md, section 7.1). */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly fields: Record<string, unknown> = {},
	) {
		super(message);
	}
}
