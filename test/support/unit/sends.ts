import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../../../nodes/MessagingService/operation';
import { FakeExecution, FakeNode, type FakeRun } from './fakeNode';

/** What the service answers to what it does not do. */
export const refused = { error: 'No' };

/** Parameters that take the recipient from the item. */
export const parameters = (options: IDataObject = {}) => ({ phone: '={{ $json.phone }}', options });
export const atOnce = (batchSize: number) => ({ batching: { batch: { batchSize } } });
export const one = parameters(atOnce(1));
export const keyed = parameters({ ...atOnce(1), idempotencyKey: '={{ $json.phone }}' });

/** Whom the body of a request reaches. */
export const phonesIn = ({ phone, phones }: IDataObject): string[] =>
	(phones ?? (phone === undefined ? [] : [phone])) as string[];
export const phonesOf = ({ sent }: FakeNode) => sent.flatMap(phonesIn);

/** What is told of each item: `sent`, that it was before, or its outcome. */
export const outcomes = (output: IDataObject[]) =>
	output.map(({ alreadySent, error, details }) =>
		error === undefined ? (alreadySent ?? 'sent') : (details as IDataObject).outcome,
	);

/** A process that dies with the request that reaches somebody. */
export const dyingWith = (phone: string, entries = new Set<string>()) =>
	new FakeNode({ entries, diesWith: (body) => phonesIn(body ?? {}).includes(phone) });

/** A run whose process has died with the request that reaches somebody, and what retries of it say. */
export async function crashed(
	operation: Operation,
	run: FakeRun,
	phone: string,
	execution = new FakeExecution(),
	entries = new Set<string>(),
) {
	const dying = dyingWith(phone, entries);
	expect(await dying.tried(operation, { ...run, execution })).toBeUndefined();
	/** A retry in another process, which goes on after a failure. */
	const retried = async (change: FakeRun = {}, answer?: (body: IDataObject) => unknown) => {
		const node = new FakeNode({ entries, answer });
		const again = { ...run, execution: execution.afterCrash(), continueOnFail: true, ...change };
		const output = await node.run(operation, again);
		return { output, told: outcomes(output.map(({ json }) => json)), sent: phonesOf(node), node };
	};
	return { entries, execution, dying, retried };
}

export const turns = async (count = 20): Promise<void> => {
	for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};
