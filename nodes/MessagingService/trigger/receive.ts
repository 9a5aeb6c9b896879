import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { choices } from '../parameters/schemas';
import { digits, judgeDelivery, type Subscription } from './delivery';
import { claim } from './duplicates';
import type { StoredWebhook } from './registration';

const signatureHeader = 'x-webhook-signature';

/**
 * Answers one delivery: starts an execution with its payload, or answers 200, 400 or 401 without
 * one (docs/contract.md, section 6.4).
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { rawBody } = context.getRequestObject();
	const signature = context.getHeaderData()[signatureHeader];
	const verdict = judgeDelivery(
		{ rawBody: rawBody ?? new Uint8Array(), signature },
		subscriptionOf(context),
		Date.now(),
	);

	if ('status' in verdict) {
		return answer(
			context,
			verdict.status,
			verdict.status === 200 ? { ignored: verdict.reason } : { error: verdict.reason },
		);
	}
	if (
		ignoresDuplicates(context) &&
		!(await claim(placeOf(context) + verdict.key, isTaken(context)))
	) {
		return answer(context, 200, { ignored: 'Received before' });
	}
	return { workflowData: [[{ json: verdict.payload }]] };
}

/** n8n sends a status of ours only if we write it ourselves. */
function answer(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

function subscriptionOf(context: IWebhookFunctions): Subscription {
	const { secret } = context.getWorkflowStaticData('node') as StoredWebhook;
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return {
		secret: secret ?? '',
		events: choices.parse(context.getNodeParameter('events', [])),
		templateNames: choices.parse(options.templateNames).filter((name) => name !== ''),
		fromNumbers: choices
			.parse(options.fromNumbers)
			.map(digits)
			.filter((number) => number !== ''),
		maxAgeSeconds: Number(options.maxAgeSeconds ?? 0),
	};
}

/** A person who tests a workflow may send the same event again and again. */
const ignoresDuplicates = (context: IWebhookFunctions): boolean =>
	context.getMode() !== 'manual' &&
	context.getNodeParameter('options.ignoreDuplicates', true) === true;

const placeOf = (context: IWebhookFunctions): string =>
	`${context.getWorkflow().id} ${context.getNode().id} `;

/** Resolves once n8n has answered: an event that it could not take must be free for another try. */
async function isTaken(context: IWebhookFunctions): Promise<boolean> {
	const response = context.getResponseObject();
	return await new Promise((resolve) => {
		response.once('close', () => resolve(response.writableFinished && response.statusCode < 400));
	});
}
