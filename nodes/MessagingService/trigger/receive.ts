import { castArray, isNil } from 'lodash';
import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { Failure, InputFailure } from '../api/failure';
import { fieldAt } from '../parameters/read';
import { choices, wholeNumber } from '../parameters/schemas';
import { digits, judgeEvent, type Subscription } from './delivery';
import { claim, isTaken } from '../api/duplicates';
import { triggerOptions } from './fields';
import { addressOf, triggerOf, type StoredWebhook } from './registration';
import { acceptedSecrets, secretArrives } from './secrets';
import { isSigned } from './signature';

const signatureHeader = 'x-webhook-signature';

/**
 * Responds to one delivery: starts an execution with its payload, or gives 200, 400 or 401 without
 * one (docs/contract.md, section Trigger). Nothing but the signature is looked at before it is
 * known to be good, so that a forged delivery costs no more than that.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const body = await signedBody(context);
	if (!body) {
		return respond(context, 401, { error: 'The signature is missing or does not match' });
	}
	const subscription = subscriptionOf(context);
	if (subscription instanceof Failure)
		return respond(context, 500, { error: subscription.message });
	const verdict = judgeEvent(body, subscription, Date.now());
	if ('status' in verdict) {
		const { status, reason } = verdict;
		return respond(context, status, status === 200 ? { ignored: reason } : { error: reason });
	}
	const { key, payload } = verdict;
	if (key !== undefined && ignoresDuplicates(context)) {
		const isFirst = await claim(`${triggerOf(context)} ${key}`, isTaken(context));
		if (!isFirst) return respond(context, 200, { ignored: 'Received before' });
	}
	return { workflowData: [[{ json: payload }]] };
}

/** The raw body if it is signed. */
async function signedBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const signature = context.getHeaderData()[signatureHeader];
	if (typeof signature !== 'string') return undefined;
	const request = context.getRequestObject();
	// n8n reads JSON, text, forms and XML only. A body that cannot be read, because it is too large or
	// n8n has taken it for a form with files, has no signature that could be checked.
	if (!request.rawBody) await request.readRawBody().catch(() => {});
	const { rawBody } = request;
	if (!rawBody) return undefined;

	const address = addressOf(context);
	const stored = context.getWorkflowStaticData('node') as StoredWebhook;
	const isGood = () => isSigned(rawBody, signature, acceptedSecrets(address, stored, Date.now()));
	if (isGood() || ((await secretArrives(address)) && isGood())) return rawBody;
	if (!stored.secret) {
		// As when n8n was killed before it had saved the secret: it takes the workflow for published.
		const { name } = context.getNode();
		context.logger.warn(
			`"${name}" refuses all events because it has no secret: unpublish its workflow and publish it again`,
		);
	}
	return undefined;
}

/** n8n sends a status of ours only if we write it ourselves. */
function respond(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

/** What the trigger is set to; a Failure where one of its options cannot be read. */
export function subscriptionOf(
	context: IWebhookFunctions | IHookFunctions,
): Subscription | Failure {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	// Of a filter that would let everything pass.
	const empty = Object.keys(options).find((name) => castArray(options[name]).some(isNil));
	if (empty !== undefined) {
		return new InputFailure(
			`${fieldAt([triggerOptions], `options.${empty}`).displayName} has an expression that gives nothing`,
			'Correct the option, or remove it.',
		);
	}
	const maxAge = wholeNumber(0).safeParse(options.maxAgeSeconds ?? 0);
	if (!maxAge.success) {
		const [issue] = maxAge.error.issues;
		return new InputFailure(
			`Max Age (Seconds) ${issue?.message}`,
			'Correct the option, or remove it to accept events of every age.',
		);
	}
	return {
		events: choices.parse(context.getNodeParameter('events', [])),
		templateNames: choices.parse(options.templateNames).filter((name) => name !== ''),
		fromNumbers: choices
			.parse(options.fromNumbers)
			.filter((number) => number !== '')
			// What is no number passes nothing on, instead of everything.
			.map((number) => digits(number) || number),
		maxAgeSeconds: maxAge.data,
	};
}

/** A person who tests a workflow may send the same event again and again. */
const ignoresDuplicates = (context: IWebhookFunctions): boolean =>
	context.getMode() !== 'manual' &&
	context.getNodeParameter('options.ignoreDuplicates', true) === true;
