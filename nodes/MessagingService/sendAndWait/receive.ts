import {
	type IDataObject,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { fieldAt, type ReadValue } from '../parameters/read';
import { trimmed } from '../parameters/schemas';
import { recallAsked } from './asked';
import { answerFields, asksForText, readPage } from './fields';
import { answeredPage, confirmationPage, pageHeaders, recordedPage, textPage } from './page';

/** Addresses of a waiting execution; n8n checks their signature before it calls the node. */
export const answerWebhooks = (['GET', 'POST'] as const).map(
	(httpMethod): IWebhookDescription => ({
		name: 'default',
		httpMethod,
		responseMode: 'onReceived',
		responseData: '',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	}),
);

/**
 * Answers the opening of a link with a page, and continues the execution when its form is sent.
 * Mail scanners and link previews open links, but they send no forms.
 */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { question, ...asked } = recallAsked(context);
	const query = context.getQueryData() as IDataObject;
	// n8n's signature holds for the node in whatever round of a loop.
	if (question === undefined || query.question !== question) {
		return show(context, 409, answeredPage());
	}
	const read = tolerantRead(context);
	const approved = query.approved === 'true';
	const isText = asksForText(read);
	const page = readPage(read, approved);

	if (context.getRequestObject().method !== 'POST') {
		return show(context, 200, isText ? textPage(page) : confirmationPage(page));
	}
	if (!isText) return resume(context, asked, { approved });
	// A request without a body has none, whatever the type says.
	const body = context.getBodyData() as IDataObject | undefined;
	const text = trimmed.catch('').parse(body?.text).replace(/\r\n/g, '\n');
	return text === ''
		? show(context, 400, textPage(page, 'Please write a response first.'))
		: resume(context, asked, { text });
}

/** An expression that gives nothing any more must not make the link useless. */
const tolerantRead =
	(context: IWebhookFunctions): ReadValue =>
	(name, schema) => {
		const { default: missing } = fieldAt(answerFields, name);
		try {
			return schema.parse(context.getNodeParameter(name, null) ?? missing);
		} catch {
			return schema.parse(missing);
		}
	};

/** A page without a consequence: the execution waits on. */
function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	context.getResponseObject().status(status).set(pageHeaders).send(page);
	return { noWebhookResponse: true };
}

/** The page goes out once n8n has taken the answer, with a sandbox policy of n8n's own. */
function resume(
	context: IWebhookFunctions,
	asked: IDataObject,
	answer: IDataObject,
): IWebhookResponseData {
	context.getResponseObject().set(pageHeaders);
	const data = { ...answer, respondedAt: new Date().toISOString() };
	const json = { data, ...asked };
	return { webhookResponse: recordedPage(), workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}
