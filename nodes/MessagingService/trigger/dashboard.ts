import { findKey, isString, map, mapValues, pickBy } from 'lodash';
import type {
	IDataObject,
	INodeProperties,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { redacted, redactor } from '../api/redact';
import { isJsonObject, textOf } from '../api/response';
import { bodyOf } from '../n8n';
import { choiceField, noticeField } from '../parameters/fields';
import { subtitleOf } from '../parameters/sharedFields';
import { respond, warnOnceAMinute } from './receive';
import { digestsIn, isHmac, isSecret } from './signature';

export const dashboardCredential = {
	name: 'messagingServiceDashboard',
	displayName: 'Messaging Service Dashboard',
};

/** The kinds of dashboard webhooks (docs/service.md, section 6.3). */
const kinds = {
	emailStatus: { name: 'Email Status Changed', action: 'On email status changed' },
	messageReceived: { name: 'Message Received', action: 'On message received' },
	statusUpdate: { name: 'Message Status Changed', action: 'On message status changed' },
	several: { name: 'Several of These', action: 'On any dashboard event' },
};

export const dashboardSubtitle = subtitleOf(mapValues(kinds, 'name'), '$parameter["webhook"]');

export const dashboardFields: INodeProperties[] = [
	{
		// n8n lists the choices of a field with the label "Trigger On" as the events of the node.
		displayName: 'Trigger On',
		name: 'webhook',
		type: 'options',
		noDataExpression: true,
		options: map(kinds, (kind, value) => ({ ...kind, value })),
		default: 'messageReceived',
		description: 'What this address receives, as you choose it on the dashboard',
		hint: 'Only a label: everything that arrives starts the workflow.',
	},
	noticeField(
		'addressNotice',
		'On the dashboard, create a webhook with the production URL from <b>Webhook URLs</b> above, or the test URL while you build, and with the verification token.',
	),
	choiceField(
		'authentication',
		'Authentication',
		{ none: 'None', token: 'Verification Token' },
		'token',
		{ noDataExpression: true },
	),
	noticeField(
		'openNotice',
		'The address is the only secret: anyone who has it can start this workflow.',
		{ displayOptions: { show: { authentication: ['none'] } } },
	),
];

/** A value without "Bearer" in front; an empty text for anything but a text. */
const bare = (value: unknown): string =>
	isString(value) ? value.trim().replace(/^Bearer\s+/i, '') : '';

/** The usable token of a credential; undefined for any other, which lets nothing in. */
export const tokenIn = ({ verificationToken }: IDataObject): string | undefined =>
	bare(verificationToken).length >= 8 ? bare(verificationToken) : undefined;

/** Starts an execution with a delivery as it is, or only responds (docs/contract.md, section 6.6). */
export async function receiveFromDashboard(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData> {
	const { rawBody, body } = await bodyOf(context);
	const query = context.getQueryData() as IDataObject;
	const headers = context.getHeaderData() as IDataObject;
	// n8n has taken apart a form with files, whose bytes are no longer there.
	const content = rawBody ? (body ?? rawBody.toString()) : body?.data;
	const delivery = { headers, query, body: content, rawBody };
	let token: string | undefined;
	if (context.getNodeParameter('authentication') !== 'none') {
		const reading = context.getCredentials(dashboardCredential.name);
		token = tokenIn(await reading.catch(() => ({})));
		if (token === undefined) {
			const advice = 'enter a verification token of at least 8 characters in its credential';
			warnOnceAMinute(context, `rejects all deliveries: ${advice}`);
		}
		if (token === undefined || !isAuthentic(delivery, token))
			return respond(context, 401, {
				error: 'The verification token is missing or does not match',
			});
	}
	if (context.getRequestObject().method !== 'POST') {
		// The challenge comes from outside, so no browser may take it for a page.
		const response = context.getResponseObject().status(200).type('text/plain');
		response.set('X-Content-Type-Options', 'nosniff').send(challengeIn(query));
		return { noWebhookResponse: true };
	}
	if (content === undefined) return respond(context, 400, { error: 'The body cannot be read' });
	const registeredFor = context.getNodeParameter('webhook');
	const receivedAt = new Date().toISOString();
	const json = { registeredFor, receivedAt, ...passedOn(delivery, token) } as IDataObject;
	return { workflowData: [[{ json }]] };
}

/** A delivery as n8n has read it. */
interface Delivery {
	headers: IDataObject;
	query: IDataObject;
	body: unknown;
	rawBody?: Buffer | undefined;
}

/** Maximum number of values that are compared, so that no delivery is a list of guesses. */
const maxValues = 100;

const textsIn = (part: unknown): string[] =>
	isJsonObject(part) ? Object.values(part).filter(isString) : [];

/** Whether a value of a delivery is the token, or a header or parameter the HMAC-SHA256 of its body. */
export function isAuthentic({ headers, query, body, rawBody }: Delivery, token: string): boolean {
	const outside = [headers, query].flatMap(textsIn);
	const values = [...outside, ...textsIn(body)];
	if (values.length > maxValues) return false;
	if (values.some((value) => isSecret(bare(value), token))) return true;
	return rawBody !== undefined && rawBody.length > 0
		? isHmac(outside.flatMap(digestsIn), rawBody, [token])
		: false;
}

/** What comes out: the delivery with the token masked, and of its headers those that describe it. */
export function passedOn({ headers, query, body }: Delivery, token?: string): IDataObject {
	const own = pickBy(headers, (_, name) => /^(content-type|user-agent|x-.*)$/.test(name));
	const all = { body, headers: own, query } as IDataObject;
	if (token === undefined) return all;
	return redacted(all, redactor(token, '[verification token]')) as IDataObject;
}

/** The text that a check of the address may want back; empty if there is none, or a long one. */
export function challengeIn(query: IDataObject): string {
	const name = findKey(query, (_, one) => /challenge/i.test(one));
	const challenge = textOf(query[name ?? '']);
	return challenge.length <= 200 ? challenge : '';
}
