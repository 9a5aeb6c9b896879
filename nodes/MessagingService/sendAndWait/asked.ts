import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { Question } from './fields';

const contextKey = 'asked';

/** The question that is open, and who was asked with which message. */
export interface Asked extends Question {
	asked: IDataObject;
}

/** Keeps the open question for its answer; n8n saves it with the execution. */
export function rememberAsked(
	context: IExecuteFunctions,
	question: Question,
	{ phone, to }: IDataObject,
	{ messageId, providerMessageId }: IDataObject,
): void {
	const id = messageId ?? providerMessageId;
	// The service gives text messages no id (docs/service.md, section 4.4).
	const asked = { to: phone ?? to, ...(id === undefined || id === null ? {} : { messageId: id }) };
	context.getContext('node')[contextKey] = { ...question, asked } satisfies Asked;
}

/** The open question; undefined where the execution knows none. */
export function recallAsked(context: IWebhookFunctions): Asked | undefined {
	// An answer comes in without the node's context; expressions can read it. Braces would end one.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	const path = `$node[${name}].context.${contextKey}`;
	try {
		return JSON.parse(String(context.evaluateExpression(`{{ JSON.stringify(${path}) }}`))) as Asked;
	} catch {
		return undefined;
	}
}
