// Simulated runs: what is simulated, its output, and which items only a simulation may use.

import { mapValues } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { pathOf, type ApiRequest } from '../api/client';
import { Failure, InputFailure } from '../api/failure';
import type { Read, ReadValue } from '../parameters/read';
import { oneOf } from '../parameters/schemas';
import { isSimulatedItem, type Operation, type Plan } from '../operation';
import type { Job } from '../job';

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** Maximum recipients of a list that a simulation shows. */
const maxShown = 3;

/** Modes of runs that a user or n8n's evaluations start. */
export const testModes = new Set(['manual', 'evaluation']);

/** Whether the item is only simulated (docs/contract.md, section 3.3); throws InputFailure. */
export function readSimulate(
	context: IExecuteFunctions,
	{ billable }: Operation,
	has: Read['has'],
	read: ReadValue,
): boolean {
	if (!billable) return false;
	const simulate = has('options.simulate') ? read('options.simulate', choice) : 'never';
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry has its own mode; `source` shows how the first attempt was started.
	const source = context.getExecutionContext()?.source;
	const mode = context.getMode();
	if (mode === 'integrated' || source === 'integrated') {
		throw new InputFailure(
			'In a sub-workflow, Simulate cannot be "Send in Production Only": n8n does not show who started the run',
			'Set Simulate to "Send Always" or "Send Nothing". To let the calling workflow decide, set it to {{ $json.simulate }}. In that workflow, set the field simulate to "never" (send) or "always" (do not send).',
		);
	}
	return testModes.has(mode) || (source !== undefined && testModes.has(source));
}

/** The failure of simulated items in a retry of an execution that has sent something, perhaps these items. */
export const simulatedRetry = (): Failure =>
	new Failure(
		'A retry cannot be simulated after something was sent: once it succeeds, n8n offers no further retry',
		{
			outcome: 'unknown',
			description: 'Remove Simulate and press Retry on the same execution: it sends only the rest.',
		},
	);

/** The output of a simulated request, in a shape that nobody takes for a response. */
export const simulated = (
	{ cost }: Operation,
	{ plan, recipients, facts }: Job & { plan: Plan },
): IDataObject => ({
	simulated: true,
	...(recipients ? { total: recipients.length } : {}),
	cost: cost?.(plan.request) ?? {},
	...facts,
	request: {
		method: plan.request.endpoint.method,
		path: pathOf(plan.request),
		...(plan.request.query ? { query: plan.request.query } : {}),
		...contentOf(plan.request, recipients !== undefined),
		...(plan.file && { file: factsOf(plan.file) }),
	},
});

/** In manual runs, throws InputFailure for a sample of the polling trigger or a simulated item. */
export function rejectTestItem(context: IExecuteFunctions, item: INodeExecutionData): void {
	if (!testModes.has(context.getMode())) return;
	const isSample = item.json.sample === true;
	if (!isSample && !isSimulatedItem(item)) return;
	throw new InputFailure(
		isSample
			? 'The input item is only a sample of the polling trigger'
			: 'The input item was only simulated by the node before',
		`To try this node, add its option Simulate (Send in Production Only). To send, remove the field ${isSample ? 'sample' : 'simulated'} with Edit Fields.`,
	);
}

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) return { form: { ...form.fields, file: factsOf(form.file) } };
	if (!body) return {};
	return { body: hasRows ? mapValues(body, inShort) : body };
}

const factsOf = ({ fileName, mimeType, size }: BinaryFile) => ({ fileName, mimeType, size });

/** The first entries of a long array, and a count. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > maxShown + 1
		? [...value.slice(0, maxShown), `(${value.length - maxShown} more)`]
		: value;
