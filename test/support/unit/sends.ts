import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import type { Operation } from '../../../nodes/MessagingService/operation';
import type { NodeFailure } from '../core/execute';
import { FakeExecution, FakeNode, type FakeRun } from './fakeNode';

/** The service's response to a request that it rejects. */
export const rejected = { error: 'No' };

/** Parameters that read the recipient from the item. */
export const parameters = (options: IDataObject = {}) => ({ phone: '={{ $json.phone }}', options });
export const atOnce = (batchSize: number) => ({ batching: { batch: { batchSize } } });
export const one = parameters(atOnce(1));
export const keyed = parameters({ ...atOnce(1), idempotencyKey: '={{ $json.phone }}' });

/** The recipients in the body of a request. */
export const phonesIn = ({ phone, phones }: IDataObject): string[] =>
	(phones ?? (phone === undefined ? [] : [phone])) as string[];
export const phonesOf = ({ sent }: FakeNode) => sent.flatMap(phonesIn);

/** What a run reports of each item: `sent`, true if it was sent before, or the outcome of its failure. */
export const outcomes = (output: IDataObject[]) =>
	output.map(({ alreadySent, error, details }) =>
		error === undefined ? (alreadySent ?? 'sent') : (details as IDataObject).outcome,
	);

/** What a run reports of input items, by their index. */
export const reportsOf = (output: INodeExecutionData[] | NodeFailure = []) =>
	Array.isArray(output)
		? output.map(({ json, pairedItem }) => ({
				json,
				of: [pairedItem as IPairedItemData].flat().map(({ item }) => item),
			}))
		: [reportOf(output)];

const reportOf = ({ message, context: { data, itemIndex = -1 } }: NodeFailure) => ({
	json: { error: message, details: data } as IDataObject,
	of: [itemIndex],
});

/** A process that dies with the request that holds a value, or with the call that fits. */
export const dyingWith = (
	last: string | ((body: IDataObject | undefined) => boolean),
	settings: ConstructorParameters<typeof FakeNode>[0] = {},
) => {
	const holds = (body?: IDataObject) => phonesIn(body ?? {}).includes(String(last));
	return new FakeNode({ diesWith: typeof last === 'string' ? holds : last, ...settings });
};

/** Runs the node in a process that dies with the request to `last`; `retried` runs it in another one. */
export async function crashed(
	operation: Operation,
	run: FakeRun,
	last: string,
	{ entries = new Set<string>(), execution = new FakeExecution(), respond }: Crash = {},
) {
	const dying = dyingWith(last, { entries, respond });
	expect(await dying.tried(operation, { ...run, execution })).toBeUndefined();
	/** A retry, which continues on fail. */
	const retried = async (change: FakeRun = {}, responses?: Crash['respond']) => {
		const node = new FakeNode({ entries, respond: responses });
		const again = { ...run, execution: execution.afterCrash(), continueOnFail: true, ...change };
		const output = await node.run(operation, again);
		const reported = outcomes(output.map(({ json }) => json));
		return { output, reported, sent: phonesOf(node), node };
	};
	return { entries, execution, retried };
}

interface Crash {
	execution?: FakeExecution;
	entries?: Set<string>;
	respond?: (body: IDataObject) => unknown;
}

export const turns = async (count = 20): Promise<void> => {
	for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};
