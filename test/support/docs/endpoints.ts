import { set } from 'lodash';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { findOperation } from '../../../nodes/MessagingService/actions';
import type { ApiRequest } from '../../../nodes/MessagingService/api/client';
import type { Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { Failure, failureOr } from '../../../nodes/MessagingService/api/failure';
import { fakeFile, fakeRead, fakeReader } from '../unit/fakeRead';
import { examplesOf, goodParameters, type DescribedOperation } from '../operations';
import { fieldRows } from './fieldTable';

/** What an operation sends if it is given these parameters besides those of its examples. */
async function planOf(described: DescribedOperation, parameters: IDataObject = {}) {
	const { name, choice } = described;
	const operation = findOperation(choice.resource, choice.operation);
	if (!operation) throw new Error(`No operation ${name}`);
	const all = { ...examplesOf(described), ...goodParameters[name], ...parameters };
	const read = fakeRead(operation.fields, all, { file: fakeFile() });
	if (operation.kind === 'item') return await operation.plan(read);
	const items = [{ json: { phone: '919876543210' }, binary: { data: { data: '', mimeType: '' } } }];
	const [plan] = (await operation.plan(fakeReader(read), items)).plans;
	if (!plan) throw new Error(`${name} makes no request of its good parameters`);
	return plan;
}

/** The endpoint that an operation uses. */
export const endpointOf = async (operation: DescribedOperation): Promise<Endpoint> =>
	(await planOf(operation)).request.endpoint;

/** A choice of the user, and an endpoint that the operation uses because of it. */
export interface FurtherEndpoint {
	endpoint: Endpoint;
	/** E.g. "if **Send As** is Template". */
	condition: string;
}

/** The endpoints that an operation uses besides its own, depending on the user's choices. */
export async function furtherEndpoints(operation: DescribedOperation): Promise<FurtherEndpoint[]> {
	const own = await endpointOf(operation);
	const rows = fieldRows(operation.fields);
	// A choice can make a date required, which has no example.
	const dates = rows.filter(({ field }) => field.type === 'dateTime').map(({ name }) => name);
	const withDates = () => dates.reduce((all, name) => set(all, name, '2031-01-31'), {});
	const choices = rows.flatMap(({ name, field }) =>
		((field.type === 'options' ? field.options : []) as INodePropertyOptions[]).map(
			({ name: label, value }) => ({
				name,
				value,
				condition: name.startsWith('options.')
					? `with **${field.displayName}**`
					: `if **${field.displayName}** is ${label}`,
			}),
		),
	);
	const found: FurtherEndpoint[] = [];
	for (const { name, value, condition } of choices) {
		const used: Endpoint[] = [];
		const call = async ({ endpoint }: ApiRequest): Promise<IDataObject> => {
			used.push(endpoint);
			return await Promise.reject(new Error('Only the endpoint counts'));
		};
		// A choice that doesn't go with the examples sends nothing.
		const plan = await failureOr(planOf(operation, set(withDates(), name, value)));
		if (plan instanceof Failure) continue;
		used.push(plan.request.endpoint);
		await plan.prepare?.(call).catch(() => undefined);
		const others = used.filter(({ path }) => path !== own.path);
		found.push(...others.map((endpoint) => ({ endpoint, condition })));
	}
	return found;
}
