import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

const contextKey = 'asked';

/** Keeps for the answer who was asked and with which message; n8n saves it with the execution. */
export function rememberAsked(
	context: IExecuteFunctions,
	{ phone, to }: IDataObject,
	sent?: INodeExecutionData,
): void {
	const { messageId, providerMessageId } = sent?.json ?? {};
	context.getContext('node')[contextKey] = {
		to: phone ?? to,
		// The service gives text messages no id (docs/service.md, section 4.4).
		messageId: messageId ?? providerMessageId ?? null,
	};
}

/** Who was asked; nothing where the execution does not know it. */
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
