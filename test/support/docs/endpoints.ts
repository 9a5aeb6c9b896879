import { findOperation } from '../../../nodes/MessagingService/actions';
import type { Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { fakeFile, fakeRead, fakeReader } from '../unit/fakeRead';
import { examplesOf, goodParameters, type DescribedOperation } from '../operations';

/** The endpoint that an operation uses with its examples. */
export async function endpointOf(described: DescribedOperation): Promise<Endpoint> {
	const { name, choice } = described;
	const operation = findOperation(choice.resource, choice.operation);
	if (!operation) throw new Error(`No operation ${name}`);
	const parameters = { ...examplesOf(described), ...goodParameters[name] };
	const read = fakeRead(operation.fields, parameters, { file: fakeFile() });
	if (operation.kind === 'item') return (await operation.plan(read)).request.endpoint;
	const items = [{ json: { phone: '447700900210' }, binary: { data: { data: '', mimeType: '' } } }];
	const [plan] = (await operation.plan(fakeReader(read), items)).plans;
	if (!plan) throw new Error(`${name} makes no request of its good parameters`);
	return plan.request.endpoint;
}
