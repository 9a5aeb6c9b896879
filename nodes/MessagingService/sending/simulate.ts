import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { pathOf, type ApiRequest } from '../api/client';
import type { Read } from '../parameters/read';
import { oneOf } from '../parameters/schemas';
import type { Operation } from '../operation';

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** What a person starts by hand, and what n8n's evaluations start. */
const trials = new Set(['manual', 'evaluation']);

/** Whether nothing billable is to be sent (docs/contract.md, option Simulate); throws InputFailure. */
export function isSimulated(
	context: IExecuteFunctions,
	{ billable }: Operation,
	read: Read,
): boolean {
	if (!billable) return false;
	const simulate = read('options.simulate', choice);
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry has a mode of its own; where its first try came from tells what it is.
	const source = context.getExecutionContext()?.source;
	return trials.has(context.getMode()) || (source !== undefined && trials.has(source));
}

/** What stands for the response to a request that was not made; nobody can take it for one. */
export const simulated = ({ cost }: Operation, request: ApiRequest): IDataObject => ({
	simulated: true,
	request: {
		method: request.endpoint.method,
		path: pathOf(request),
		...(request.query ? { query: request.query } : {}),
		...contentOf(request),
	},
	cost: cost?.(request) ?? {},
});

function contentOf({ body, form }: ApiRequest): IDataObject {
	if (form) {
		const { fileName, mimeType, size } = form.file;
		return { form: { ...form.fields, file: { fileName, mimeType, size } } };
	}
	if (!body) return {};
	return { body: Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as IDataObject) : body };
}
