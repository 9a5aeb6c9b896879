import { NodeApiError, type IAllExecuteFunctions, type JsonObject } from 'n8n-workflow';
import { Failure, failureOr } from './failure';

/**
 * Runs a step whose failure n8n shows by its message alone (publishing, polling, lists): the
 * message says what to do, too.
 *
 * @param adviceFor what to do, where it is not the failure's own description
 * @throws NodeApiError
 */
export async function withAdvice<T>(
	context: Pick<IAllExecuteFunctions, 'getNode'>,
	step: () => Promise<T>,
	adviceFor: (failure: Failure) => string = ({ description }) => description,
): Promise<T> {
	const result = await failureOr(step());
	if (!(result instanceof Failure)) return result;

	const { message, statusCode } = result;
	const error = new NodeApiError(context.getNode(), { error: message } as JsonObject, {
		httpCode: statusCode === null ? undefined : String(statusCode),
	});
	error.message = `${message.replace(/\.$/, '')}. ${adviceFor(result)}`;
	throw error;
}
