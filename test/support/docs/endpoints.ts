import { findOperation } from '../../../nodes/MessagingService/actions';
import type { Endpoint } from '../../../nodes/MessagingService/api/endpoints';
import { fakeFile, fakeRead, fakeReader } from '../unit/fakeRead';
import { goodParameters, type DescribedOperation } from '../operations';

/** The endpoint that an operation uses. */
export async function endpointOf({ name, choice }: DescribedOperation): Promise<Endpoint> {
	const operation = findOperation(choice.resource, choice.operation);
	if (!operation) throw new Error(`No operation ${name}`);
	const read = fakeRead(operation.fields, goodParameters[name] ?? {}, { file: fakeFile() });
	const [plan] =
		operation.kind === 'item'
			? [await operation.plan(read)]
			: (await operation.plan(fakeReader(read), [{ json: { phone: '447700900210' } }], () => false))
					.plans;
	if (!plan) throw new Error(`${name} makes no request of its good parameters`);
	return plan.request.endpoint;
}
