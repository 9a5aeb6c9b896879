/** An error response. */
export class ServiceError extends Error {
	constructor(
		/** As fastify reads it. */
		readonly statusCode: number,
		message: string,
	) {
		super(message);
	}
}
