import type { IHookFunctions } from 'n8n-workflow';
import { withAdvice } from '../api/withAdvice';

/**
 * Runs a step of publishing or unpublishing on the trigger's registration.
 *
 * @throws NodeApiError whose message says what to do
 */
export async function publishing<T>(context: IHookFunctions, step: () => Promise<T>): Promise<T> {
	return await withAdvice(context, step, ({ statusCode, description }) => {
		const url = context.getNodeWebhookUrl('default') ?? '';
		return statusCode === 400 && !url.startsWith('https://')
			? `The service accepts only HTTPS URLs, but n8n's webhook URL is ${url}. Set the environment variable WEBHOOK_URL of n8n to its public https:// address and publish again.`
			: description;
	});
}
