// Simulated runs: what is simulated, its output, and which items only a simulation may use.

import { mapValues, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { pathOf, type ApiRequest } from '../api/client';
import { InputFailure } from '../api/failure';
import { isProduction } from '../n8n';
import type { ReadShared } from '../parameters/read';
import { oneOf } from '../parameters/schemas';
import type { Operation, Plan } from '../operation';
import type { Job } from '../job';

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** Maximum recipients of a list that a simulation shows. */
const maxShown = 3;

/** Whether the item is only simulated (docs/contract.md, section 3.3); throws InputFailure. */
export function readSimulate(read: ReadShared): boolean {
	const simulate = read.has('options.simulate') ? read('options.simulate', choice) : 'never';
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry starts with what the first attempt stored, and shows less than that.
	const stored = read.context.getContext('node');
	stored.isProduction ??= isProduction(read.context);
	if (stored.isProduction !== undefined) return !stored.isProduction;
	throw new InputFailure(
		'In a sub-workflow, Simulate cannot be "Send in Production Only": n8n does not show who started the run',
		`Set 'Simulate' to Send Always or Send Nothing. To let the calling workflow decide, set it to {{ $json.simulate }}. In that workflow, set the field simulate to "never" (send) or "always" (do not send).`,
	);
}

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
		...pick(plan.request, 'query'),
		...contentOf(plan.request, recipients !== undefined),
		...(plan.file && { file: factsOf(plan.file) }),
	},
});

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) return { form: { ...form.fields, file: factsOf(form.file) } };
	return { body: hasRows ? mapValues(body, inShort) : body };
}

const factsOf = (file: BinaryFile) => pick(file, ['fileName', 'mimeType', 'size']);

/** The first entries of a long array, and a count. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > maxShown + 1
		? [...value.slice(0, maxShown), `(${value.length - maxShown} more)`]
		: value;
