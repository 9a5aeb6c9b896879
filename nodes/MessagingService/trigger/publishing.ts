import type { IHookFunctions } from 'n8n-workflow';
import { publicUrlAdvice } from '../actions/account/checkSetup.operation';
import { withAdvice, type Failure } from '../api/failure';

/**
 * Runs a step of publishing or unpublishing on the trigger's registration.
 *
 * @throws NodeApiError whose message says what to do
 */
export async function publishing<T>(context: IHookFunctions, step: () => Promise<T>): Promise<T> {
	return await withAdvice(context, step, (failure) => adviceFor(context, failure));
}

function adviceFor(context: IHookFunctions, { statusCode, description }: Failure): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const advice =
		statusCode === 400 && !url.startsWith('https://')
			? `The service accepts only HTTPS URLs, but n8n's webhook URL is ${url}. ${publicUrlAdvice}`
			: description;
	// A test listens for one event; n8n says itself that it does not.
	if (context.getMode() === 'manual') return advice;
	// n8n has removed what was there before, so also a workflow shown as published is deaf now.
	return `${advice} Until this is done this trigger receives no events: then press Publish again.`;
}
