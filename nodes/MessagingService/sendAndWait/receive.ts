import { isString } from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { claim, isTaken } from '../api/duplicates';
import type { Question } from './fields';
import { answeredPage, pageHeaders, questionPage, recordedPage } from './page';

const contextKey = 'asked';

/** The question that is open, and who was asked with which message. */
interface Asked extends Question {
	asked: IDataObject;
}

/** Keeps the open question for its answer; n8n saves it with the execution. */
export function rememberAsked(
	context: IExecuteFunctions,
	question: Question,
	{ phone, to }: IDataObject = {},
	{ messageId, providerMessageId, excluded }: IDataObject,
): void {
	// The service gives text messages no id (docs/service.md, section 4.4).
	const asked = {
		to: phone ?? to,
		messageId: messageId ?? providerMessageId ?? undefined,
		excluded,
	};
	context.getContext('node')[contextKey] = { ...question, asked } satisfies Asked;
}

/** The open question; undefined where the execution knows none. */
function recallAsked(context: IWebhookFunctions): Asked | undefined {
	// An answer comes in without the node's context; expressions can read it. Braces would end one.
	const name = JSON.stringify(context.getNode().name)
		.replaceAll('{', '\\u007b')
		.replaceAll('}', '\\u007d');
	const path = `$node[${name}].context.${contextKey}`;
	try {
		return JSON.parse(String(context.evaluateExpression(`{{ JSON.stringify(${path}) }}`))) as Asked;
	} catch {
		return undefined;
	}
}

/** Addresses of a waiting execution; n8n checks their signature before it calls the node. */
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
 * Answers the opening of a link with a page, and continues the execution when its form is sent.
 * Mail scanners and link previews open links, but they send no forms.
 */
export async function receiveAnswer(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const open = recallAsked(context);
	const query = context.getQueryData() as IDataObject;
	const answer = open?.answers.find(({ approved }) => approved === query.approved);
	// n8n's signature holds for the node in whatever round of a loop.
	if (!open || !answer || query.question !== open.question) {
		return show(context, 409, answeredPage);
	}
	const { button, approved } = answer;
	const page = { ...open, button, isText: approved === undefined };
	if (context.getRequestObject().method !== 'POST') return show(context, 200, questionPage(page));
	if (!page.isText) return await resume(context, open, { approved: approved === 'true' });
	// A request without a body has none, whatever the type says.
	const body = context.getBodyData() as IDataObject | undefined;
	const text = isString(body?.text) ? body.text.trim().replace(/\r\n/g, '\n') : '';
	if (text !== '') return await resume(context, open, { text });
	return show(context, 400, questionPage(page, 'Please write a response first.'));
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
	if (!(await claim(own, isTaken(context)))) return show(context, 409, answeredPage);
	context.getResponseObject().set(pageHeaders);
	const json = { data: { ...answer, respondedAt: new Date().toISOString() }, ...asked };
	return { webhookResponse: recordedPage, workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}
