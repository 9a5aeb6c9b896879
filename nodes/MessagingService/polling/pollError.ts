import { NodeApiError, type IPollFunctions, type JsonObject } from 'n8n-workflow';
import { Failure, failureOr } from '../api/failure';

/**
 * Runs a poll; its failure says what to do in the message itself, because n8n shows nothing else
 * of it where a trigger is published.
 *
 * @throws NodeApiError
 */
export async function explainedPoll<T>(
	context: IPollFunctions,
	step: () => Promise<T>,
): Promise<T> {
	const result = await failureOr(step());
	if (!(result instanceof Failure)) return result;

	const { message, description, statusCode } = result;
	const error = new NodeApiError(context.getNode(), { error: message } as JsonObject, {
		httpCode: statusCode === null ? undefined : String(statusCode),
	});
	error.message = `${message.replace(/\.$/, '')}. ${description}`;
	throw error;
}
