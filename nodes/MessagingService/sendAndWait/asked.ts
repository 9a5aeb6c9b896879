import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';
import type { Read } from '../parameters/read';

const contextKey = 'asked';

/** Names a question among those of its node and execution, of which n8n signs a link. */
export const questionOf = (read: Read) => ({ question: String(read.run()) });

/**
 * Keeps for the answer which question is open, who was asked and with which message; n8n saves it
 * with the execution.
 */
export function rememberAsked(
	context: IExecuteFunctions,
	question: ReturnType<typeof questionOf>,
	{ phone, to }: IDataObject,
	sent?: INodeExecutionData,
): void {
	const { messageId, providerMessageId } = sent?.json ?? {};
	const id = messageId ?? providerMessageId;
	context.getContext('node')[contextKey] = {
		...question,
		to: phone ?? to,
		// The service gives text messages no id (docs/service.md, section 4.4).
		...(id === undefined || id === null ? {} : { messageId: id }),
	};
}

/** The open question and who was asked; nothing where the execution does not know it. */
export function recallAsked(context: IWebhookFunctions): IDataObject {
	// An answer comes in without the node's context; expressions can read it. Braces would end one.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	try {
		const asked = context.evaluateExpression(`{{ $node[${name}].context.${contextKey} }}`);
		return asked && typeof asked === 'object' ? (asked as IDataObject) : {};
	} catch {
		return {};
	}
}
