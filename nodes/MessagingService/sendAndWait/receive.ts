import {
	type IDataObject,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { claim, isTaken } from '../api/duplicates';
import { trimmed } from '../parameters/schemas';
import { recallAsked, type Asked } from './asked';
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
	const open = recallAsked(context);
	const query = context.getQueryData() as IDataObject;
	const answer = open?.answers.find(({ approved }) => approved === query.approved);
	// n8n's signature holds for the node in whatever round of a loop.
	if (!open || !answer || query.question !== open.question) {
		return show(context, 409, answeredPage());
	}
	const isText = answer.approved === undefined;
	const page = { title: open.title, text: open.text, button: answer.button };

	if (context.getRequestObject().method !== 'POST') {
		return show(context, 200, isText ? textPage(page) : confirmationPage(page));
	}
	if (!isText) return await resume(context, open, { approved: answer.approved === 'true' });
	// A request without a body has none, whatever the type says.
	const body = context.getBodyData() as IDataObject | undefined;
	const text = trimmed.catch('').parse(body?.text).replace(/\r\n/g, '\n');
	return text === ''
		? show(context, 400, textPage(page, 'Please write a response first.'))
		: await resume(context, open, { text });
}

/** A page without a consequence: the execution waits on. */
function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	context.getResponseObject().status(status).set(pageHeaders).send(page);
	return { noWebhookResponse: true };
}

/** The page goes out once n8n has taken the answer, with a sandbox policy of n8n's own. */
async function resume(
	context: IWebhookFunctions,
	{ asked, question }: Asked,
	answer: IDataObject,
): Promise<IWebhookResponseData> {
	// Of a double click n8n would answer the second one with an error.
	const own = [context.getExecutionId(), context.getNode().id, question].join(' ');
	if (!(await claim(own, isTaken(context)))) return show(context, 409, answeredPage());
	context.getResponseObject().set(pageHeaders);
	const data = { ...answer, respondedAt: new Date().toISOString() };
	const json = { data, ...asked };
	return { webhookResponse: recordedPage(), workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}
