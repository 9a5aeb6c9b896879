import { isNumber, mapValues, pickBy, sumBy } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { BinaryFile } from '../api/binaryFile';
import { pathOf, type ApiRequest } from '../api/client';
import { InputFailure } from '../api/failure';
import type { JoinedPlan, Operation } from '../operation';
import type { Read, ReadValue } from '../parameters/read';
import { oneOf } from '../parameters/schemas';

const choice = oneOf(['never', 'notInProduction', 'always'] as const);

/** Recipients of a campaign that its simulated request shows. */
const mostShown = 3;

/** What a person starts by hand, and what n8n's evaluations start. */
const trials = new Set(['manual', 'evaluation']);

/** Whether nothing billable is to be sent (docs/contract.md, section 3.3); throws InputFailure. */
export function isSimulated(
	context: IExecuteFunctions,
	{ billable }: Operation,
	has: Read['has'],
	read: ReadValue,
): boolean {
	if (!billable) return false;
	const simulate = has('options.simulate') ? read('options.simulate', choice) : 'never';
	if (simulate !== 'notInProduction') return simulate === 'always';
	// A retry has a mode of its own; where its first try came from tells what it is.
	const source = context.getExecutionContext()?.source;
	const mode = context.getMode();
	if (mode === 'integrated' || source === 'integrated') {
		throw new InputFailure(
			'Simulate cannot be Send in Production Only in a sub-workflow: n8n does not tell a node there who started it',
			'Set Simulate to Send Always or Send Nothing, or to an expression from what the calling workflow hands over, e.g. {{ $json.simulate }}.',
		);
	}
	return trials.has(mode) || (source !== undefined && trials.has(source));
}

/** What stands for the response to a request that was not made; nobody can take it for one. */
export const simulated = (
	{ cost }: Operation,
	{ request, file, rows }: Pick<JoinedPlan, 'request' | 'file' | 'rows'>,
	facts?: IDataObject,
): IDataObject => ({
	simulated: true,
	...(rows ? { total: rows.length } : {}),
	cost: cost?.(request) ?? {},
	...facts,
	request: {
		method: request.endpoint.method,
		path: pathOf(request),
		...(request.query ? { query: request.query } : {}),
		...contentOf(request, rows !== undefined),
		...(file && { file: factsOf(file) }),
	},
});

/** Says of a simulated run what it would have cost. */
export function simulationHint(records: IDataObject[]): string {
	const costs = records.map(({ cost }) => cost as IDataObject);
	const { unit, ...prices } = costs[0] ?? {};
	const sums = Object.keys(pickBy(prices, isNumber)).map((kind) => {
		const sum = sumBy(costs, ({ [kind]: price }) => Number(price));
		return `${sum} ${String(unit)}${kind === 'amount' ? '' : ` (${kind})`}`;
	});
	const cost =
		sums.length > 0 ? `Sending would cost ${sums.join(' or ')}.` : 'The price is not documented.';
	return `Simulated: nothing was sent for ${records.length} ${records.length === 1 ? 'request' : 'requests'}. ${cost}`;
}

function contentOf({ body, form }: ApiRequest, hasRows: boolean): IDataObject {
	if (form) return { form: { ...form.fields, file: factsOf(form.file) } };
	if (!body) return {};
	return { body: hasRows ? mapValues(body, inShort) : body };
}

const factsOf = ({ fileName, mimeType, size }: BinaryFile) => ({ fileName, mimeType, size });

/** Of many recipients the first ones, and how many more there are. */
const inShort = <T>(value: T): T | unknown[] =>
	Array.isArray(value) && value.length > mostShown + 1
		? [...value.slice(0, mostShown), `(${value.length - mostShown} more)`]
		: value;
