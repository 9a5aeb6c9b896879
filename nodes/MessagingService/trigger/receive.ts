import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { claim } from '../remembered/duplicates';
import { Failure } from '../api/failure';
import { isOwnMessage } from '../remembered/ownMessages';
import { bodyOf, whenResponded } from '../n8n';
import { inputFailureOr } from '../parameters/read';
import { judgeEvent, subscriptionOf } from './delivery';
import { acceptedSecrets, secretsKeyOf, ownerOf, secretArrives, triggerOf } from './secrets';
import { digestsIn, isSigned } from './signature';

/** When each trigger last logged a warning, in milliseconds since 1970. */
const warnedAt = new Map<string, number>();

/**
 * Starts an execution with the payload of a delivery, or only responds (docs/contract.md, section 6.4). The signature
 * is verified before anything else is read, so that a forged delivery costs only this check.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const body = await signedBody(context);
	if (!body) {
		return respond(context, 401, { error: 'The signature is missing or does not match' });
	}
	const subscription = await inputFailureOr(undefined, () => subscriptionOf(context));
	if (subscription instanceof Failure) {
		return respond(context, 500, { error: subscription.message });
	}
	const judgement = judgeEvent(body, subscription, Date.now());
	if ('status' in judgement) return respond(context, judgement.status, judgement.body);
	const { messageId, payload } = judgement;
	const { ignoreDuplicates, ignoreOwnMessages } = subscription;
	if (ignoreOwnMessages && isOwnMessage(context, messageId)) {
		return respond(context, 200, { ignored: 'Sent by this workflow because of an event' });
	}
	// While testing, a user may send the same event several times.
	if (messageId !== '' && ignoreDuplicates && context.getMode() !== 'manual') {
		const key = `${triggerOf(context)} ${String(payload.event)} ${messageId}`;
		if (!(await claim(key, whenResponded(context))))
			return respond(context, 200, { ignored: 'Received before' });
	}
	return { workflowData: [[{ json: payload }]] };
}

async function signedBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const signature = context.getHeaderData()['x-webhook-signature'];
	// The form of the signature is checked before the body is read.
	if (typeof signature !== 'string' || digestsIn(signature).length === 0) return undefined;
	const { rawBody } = await bodyOf(context);
	if (!rawBody) return undefined;

	const secretsKey = secretsKeyOf(context);
	await secretArrives(secretsKey);
	const stored = context.getWorkflowStaticData('node');
	const secrets = acceptedSecrets(secretsKey, stored.owner === ownerOf(context) ? stored : {});
	if (isSigned(rawBody, signature, secrets)) return rawBody;
	if (secrets.length === 0) {
		// A possible cause: n8n was killed before it saved the secret, but still shows the workflow as published.
		warnOnceAMinute(
			context,
			'rejects all events because it has no secret: unpublish its workflow and publish it again',
		);
	}
	return undefined;
}

/** Logs a warning about a trigger, at most once a minute. */
export function warnOnceAMinute(context: IWebhookFunctions, problem: string): void {
	const trigger = triggerOf(context);
	if (Date.now() < (warnedAt.get(trigger) ?? 0) + 60_000) return;
	warnedAt.set(trigger, Date.now());
	context.logger.warn(`"${context.getNode().name}" ${problem}`);
}

/** Uses the response object, because n8n has no other way for a node to set the status. */
export function respond(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}
