// The internals of n8n that the package relies on. n8n does not document them; they were read in n8n 2.41.1. After an
// update of n8n, run the tests that are named here.

import { get, invoke } from 'lodash';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

/**
 * A context for one request: n8n's HTTP helper uses the signal of its context and ignores that of the request.
 * Test: test/integration/deadlines.test.ts.
 */
export const withSignal = <Context extends object>(
	context: Context,
	signal: AbortSignal,
): Context =>
	Object.assign(Object.create(context) as Context, { getExecutionCancelSignal: () => signal });

/**
 * Passes a decrypted credential to n8n's HTTP helper, which saves a database query and a decryption per request.
 * Test: test/integration/operations.test.ts.
 */
export const decryptedOption = (type: string, data: ICredentialDataDecryptedObject) => ({
	credentialsDecrypted: { id: '', name: '', type, data },
});

/**
 * The index of no item: for it, n8n evaluates the expressions of a credential without an item.
 * Test: test/e2e/operations.test.ts.
 */
export const noItem = Number.MAX_SAFE_INTEGER;

/**
 * Calls back once the execution has succeeded. Failed or stopped executions can be retried, and a retry has the mode
 * `retry`. Only the context's `runExecutionData` shows the result, which n8n's types lack.
 * Test: test/unit/sending/retries.test.ts, which imitates n8n: compare it with the new version.
 */
export function onSuccess(context: IExecuteFunctions, work: () => void): void {
	context.onExecutionFinish?.(() => {
		const run = get(context, 'runExecutionData.resultData') as IDataObject | undefined;
		const hasSucceeded = run && run.error === undefined && context.getMode() !== 'retry';
		if (hasSucceeded && !context.getExecutionCancelSignal()?.aborted) work();
	});
}

/** Modes in which n8n runs only published workflows, except for its AI Assistant. */
const publishedModes = ['webhook', 'trigger', 'error'];

/**
 * Whether an execution is production; undefined if n8n does not show who started it. n8n's AI Assistant runs a draft in
 * the mode of its trigger, but marks the execution. `active` shows whether a workflow is published, except in a retry and
 * in a worker, where it is always false. Manual runs of a published workflow have it as well.
 * Tests: test/unit/running/production.test.ts, test/e2e/production.test.ts, test/scale/processes.test.ts.
 */
export function isProduction(context: IExecuteFunctions): boolean | undefined {
	const isRetry = context.getMode() === 'retry';
	const { source = context.getMode() } = context.getExecutionContext() ?? {};
	// A retry has its own mode; `source` shows how the first attempt was started, unless n8n lost it.
	const modes = isRetry ? [source] : [context.getMode(), source];
	if (modes.some((mode) => mode === 'integrated' || mode === 'retry')) return undefined;
	if (modes.some((mode) => mode === 'manual' || mode === 'evaluation')) return false;
	if (get(context, 'runExecutionData.manualData.source') === 'instance_ai') return false;
	const showsActive = !isRetry && get(context, 'instanceSettings.instanceType') === 'main';
	return showsActive ? context.getWorkflow().active : publishedModes.includes(source);
}

/**
 * Whether n8n accepts a webhook's request: it responds with 200 once the execution has started. The events `finish`
 * and `close` do not distinguish an aborted connection from a rejected request.
 * Test: test/integration/triggerReceiving.test.ts.
 */
export async function whenResponded(context: IWebhookFunctions): Promise<boolean> {
	const response = context.getResponseObject();
	return await new Promise((resolve) => {
		response.end = new Proxy(response.end, {
			apply: (end, self, args) => {
				resolve(response.statusCode < 400);
				return Reflect.apply(end, self, args) as unknown;
			},
		});
	});
}

/**
 * The body of a delivery, and its bytes. n8n itself reads only JSON, text, forms and XML. The bytes of a body that is
 * too large, or that n8n has treated as a form with files, can't be read.
 * Test: test/integration/triggerReceiving.test.ts.
 */
export async function bodyOf(
	context: IWebhookFunctions,
): Promise<{ rawBody: Buffer | undefined; body: IDataObject | undefined }> {
	const request = context.getRequestObject();
	if (!request.rawBody) await request.readRawBody().catch(() => {});
	return { rawBody: request.rawBody, body: context.getBodyData() };
}

/**
 * A value of the node's context in a webhook, which has no access to it, but an expression has. Undefined if there is
 * none. Test: test/e2e/sendAndWait.test.ts.
 */
export function contextValue(context: IWebhookFunctions, key: string): unknown {
	// Braces would end the expression.
	const name = JSON.stringify(context.getNode().name)
		.replaceAll('{', '\\u007b')
		.replaceAll('}', '\\u007d');
	try {
		const path = `$node[${name}].context.${key}`;
		return JSON.parse(String(context.evaluateExpression(`{{ JSON.stringify(${path}) }}`)));
	} catch {
		return undefined;
	}
}

/**
 * The items that n8n outputs when a wait ends without an answer: those of the input. With Execute Once,
 * `getInputData` returns only the first. Test: test/e2e/sendAndWait.test.ts.
 */
export const itemsAfterWait = (context: IExecuteFunctions): INodeExecutionData[] =>
	context.getExecuteData().data.main?.[0] ?? [];

/**
 * Whether the node runs inside another one, which continues at once: n8n runs the tools of older agents and of its MCP
 * Server Trigger in this way. Test: test/e2e/sendAndWait.test.ts.
 */
export const runsInsideAnotherNode = (context: IExecuteFunctions): boolean =>
	'getNextRunIndex' in context;

/** Makes older versions of n8n check the signature of links; newer ones always do. Test: `npm run test:compat`. */
export const requireSignature = (context: IExecuteFunctions): void =>
	void invoke(context, 'setSignatureValidationRequired');
