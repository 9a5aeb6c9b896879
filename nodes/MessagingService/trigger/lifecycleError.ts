import { NodeApiError, type IHookFunctions, type JsonObject } from 'n8n-workflow';
import { Failure, failureOr } from '../api/failure';

/**
 * Runs a step of publishing or unpublishing; its failure says what to do in the message itself,
 * because n8n shows nothing else there.
 *
 * @throws NodeApiError
 */
export async function explained<T>(context: IHookFunctions, step: () => Promise<T>): Promise<T> {
	const result = await failureOr(step());
	if (!(result instanceof Failure)) return result;

	const { message, description, statusCode } = result;
	const url = context.getNodeWebhookUrl('default') ?? '';
	const advice =
		statusCode === 400 && !url.startsWith('https://')
			? `The service accepts only HTTPS URLs, but n8n's webhook URL is ${url}. Set the environment variable WEBHOOK_URL of n8n to its public https:// address and publish again.`
			: description;
	const error = new NodeApiError(context.getNode(), { error: message } as JsonObject, {
		httpCode: statusCode === null ? undefined : String(statusCode),
	});
	error.message = `${message}. ${advice}`;
	throw error;
}
