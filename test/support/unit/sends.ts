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

/** A database that refuses all writes behind so many. */
export const refusing = (writes: number) => () => {
	if (writes-- < 1) throw new Error('Locked');
};

/** What is told of each item: `sent`, that it was before, or its outcome. */
export const outcomes = (output: IDataObject[]) =>
	output.map(({ alreadySent, error, details }) =>
		error === undefined ? (alreadySent ?? 'sent') : (details as IDataObject).outcome,
	);

/** A process that dies with the request that holds something, or with the call that is the one. */
export const dyingWith = (
	last: string | ((body: IDataObject | undefined) => boolean),
	settings: ConstructorParameters<typeof FakeNode>[0] = {},
) =>
	new FakeNode({
		diesWith: (body) =>
			typeof last === 'string'
				? Object.values(body ?? {})
						.flat()
						.includes(last)
				: last(body),
		...settings,
	});

/**
 * Runs, one behind the other, of which the last dies with a request, and what retries of the first say.
 *
 * @param last what the request holds
 */
export async function crashed(
	operation: Operation,
	runs: FakeRun | FakeRun[],
	last: Parameters<typeof dyingWith>[0],
	{ execution = new FakeExecution(), entries = new Set<string>(), answer }: Crash = {},
) {
	const dying = dyingWith(last, { entries, answer });
	const all = [runs].flat();
	const tries = all.map((run, runIndex) => ({ runIndex, ...run, execution }));
	let ended: unknown = tries;
	for (const run of tries) ended = await dying.tried(operation, run);
	expect(ended).toBeUndefined();
	/** A retry, which goes on after a failure. */
	const again = (change: FakeRun) => ({
		...all[0],
		execution: execution.afterCrash(),
		continueOnFail: true,
		...change,
	});
	/** A retry in another process. */
	const retried = async (change: FakeRun = {}, answers?: Crash['answer']) => {
		const node = new FakeNode({ entries, answer: answers });
		const output = await node.run(operation, again(change));
		return { output, told: outcomes(output.map(({ json }) => json)), sent: phonesOf(node), node };
	};
	/** A retry in a process that dies, too, with the call of this number. */
	const killed = async (diesAt: number, change: FakeRun = {}) => {
		const node = new FakeNode({ entries, diesAt });
		await node.tried(operation, again(change));
		return node;
	};
	return { entries, execution, dying, retried, killed };
}

interface Crash {
	execution?: FakeExecution;
	entries?: Set<string>;
	answer?: (body: IDataObject) => unknown;
}

export const turns = async (count = 20): Promise<void> => {
	for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};
