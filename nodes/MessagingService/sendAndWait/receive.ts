import { isString } from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { claim } from '../remembered/duplicates';
import { contextValue, whenResponded } from '../n8n';
import type { Question } from './fields';
import { closedPage, pageHeaders, questionPage, recordedPage } from './page';

const contextKey = 'openQuestion';

/** The open question, its recipient and its message. */
interface OpenQuestion extends Question {
	sent: IDataObject;
}

/** Stores the open question; n8n saves it with the execution. */
export function storeQuestion(
	context: IExecuteFunctions,
	question: Question,
	{ phone, to }: IDataObject = {},
	{ messageId, providerMessageId, excluded }: IDataObject,
): void {
	// A text message has no ID (docs/service.md, section 4.4).
	const sent = {
		to: phone ?? to,
		messageId: messageId ?? providerMessageId ?? undefined,
		excluded,
	};
	context.getContext('node')[contextKey] = { ...question, sent } satisfies OpenQuestion;
}

/** Webhooks of a waiting execution. n8n checks the signature before it calls the node. */
export const answerWebhooks = (['GET', 'POST'] as const).map((httpMethod): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
}));

/**
 * Shows a page when a link is opened, and continues the execution when the form of the page is sent. Mail
 * scanners and link previews open links, but send no forms.
 */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const open = contextValue(context, contextKey) as OpenQuestion | undefined;
	const query = context.getQueryData() as IDataObject;
	const answer = open?.answers.find(({ approved }) => approved === query.approved);
	// n8n's signature stays valid in later rounds of a loop, so the question's ID is compared too.
	if (!open || !answer || query.question !== open.id) {
		return show(context, 409, closedPage);
	}
	const { button, approved } = answer;
	const page = { ...open, button, isText: approved === undefined };
	if (context.getRequestObject().method !== 'POST') return show(context, 200, questionPage(page));
	if (!page.isText) return await resume(context, open, { approved: approved === 'true' });
	// n8n's type lacks undefined: a request may have no body.
	const body = context.getBodyData() as IDataObject | undefined;
	const text = isString(body?.text) ? body.text.trim().replace(/\r\n/g, '\n') : '';
	if (text !== '') return await resume(context, open, { text });
	return show(context, 400, questionPage(page, 'Please write a response first.'));
}

function show(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	context.getResponseObject().status(status).set(pageHeaders).send(page);
	return { noWebhookResponse: true };
}

/** Continues the execution. n8n sends the page once it has accepted the answer. */
async function resume(
	context: IWebhookFunctions,
	{ sent, id }: OpenQuestion,
	answer: IDataObject,
): Promise<IWebhookResponseData> {
	// On a double click, n8n would respond to the second click with an error.
	const key = [context.getExecutionId(), context.getNode().id, id].join(' ');
	if (!(await claim(key, whenResponded(context)))) return show(context, 409, closedPage);
	context.getResponseObject().set(pageHeaders);
	const json = {
		answered: true,
		data: { ...answer, respondedAt: new Date().toISOString() },
		...sent,
	};
	return { webhookResponse: recordedPage, workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}
