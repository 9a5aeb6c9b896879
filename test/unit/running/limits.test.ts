import '../../support/core/shortWaits';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { toldBy } from '../../support/reliability/ledger';
import { FakeExecution, FakeNode, lost, type FakeRun } from '../../support/unit/fakeNode';
import { campaign, message } from '../../support/unit/fakeOperations';
import { phonesIn, refused, reportsOf } from '../../support/unit/sends';

const operations = { messages: message, campaign };

/** What a try is: of a new execution, of the next round of a loop, the same again, or a Retry, also after a crash. */
type How = 'new' | 'round' | 'again' | 'retried' | 'anew';

/** What is wrong with the node in a try; with its database nothing that is seen here. */
const wrongs: Record<string, FakeRun> = {
	credential: { credential: { baseUrl: 'no address', apiKey: 'key' } },
	database: {},
	option: { parameters: { options: { timeout: 'soon' } } },
	parameters: { parameters: { phone: '={{ $json.none }}', options: { chunkSize: 'many' } } },
};

const history = fc.record({
	kind: fc.constantFrom<keyof typeof operations>('messages', 'campaign'),
	count: fc.integer({ min: 1, max: 8 }),
	chunkSize: fc.integer({ min: 1, max: 4 }),
	hasKeys: fc.boolean(),
	fates: fc.array(
		fc.oneof(
			{ weight: 5, arbitrary: fc.constant('accept' as const) },
			fc.constantFrom('reject' as const, 'lose' as const),
		),
		{ minLength: 50, maxLength: 50 },
	),
	/** Milliseconds that an answer takes. */
	takes: fc.constantFrom(0, 1_000, 7_000),
	tries: fc.array(
		fc.record({
			how: fc.constantFrom<How>('new', 'round', 'again', 'retried', 'anew'),
			broken: fc.option(fc.constantFrom(...Object.keys(wrongs)), { nil: undefined, freq: 2 }),
			batchSize: fc.integer({ min: 1, max: 3 }),
			continueOnFail: fc.boolean(),
			resendUnknown: fc.boolean(),
			/** Messages and recipients of campaigns. */
			maxSends: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }),
			/** The credits that the account has then, if they are looked at. */
			balance: fc.option(fc.nat(9), { nil: undefined, freq: 2 }),
			/** Seconds. */
			limit: fc.option(fc.constantFrom(5, 30), { nil: undefined, freq: 2 }),
			/** With which request n8n stops the execution. */
			stopsWith: fc.option(fc.nat(5), { nil: undefined, freq: 2 }),
		}),
		{ minLength: 1, maxLength: 5 },
	),
});

type History = typeof history extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** What n8n does next, by how the last try has ended. */
const after: Record<'stopped' | 'tryAgain' | 'wentOn', Record<How, How>> = {
	stopped: { new: 'new', round: 'retried', again: 'again', retried: 'retried', anew: 'anew' },
	tryAgain: { new: 'new', round: 'round', again: 'again', retried: 'again', anew: 'anew' },
	wentOn: { new: 'new', round: 'round', again: 'round', retried: 'new', anew: 'anew' },
};

const start = 1_800_000_000_000;

/** Runs the tries of a history and says what is wrong with what has gone out, or with what is told of it. */
async function wrongIn({ kind, count, chunkSize, hasKeys, fates, takes, tries }: History) {
	const wrong: string[] = [];
	let now = start;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	let execution = new FakeExecution({ establishedAt: now });
	let round = 0;
	let balance = 0;
	let end = Infinity;
	let left = 0;
	let isResent = false;
	let isKept = false;
	const sent = { arrived: new Set<string>(), accepted: new Set<string>() };
	const own = (phone: string) => `${phone} ${execution.establishedAt}`;
	/** A key holds in all executions. */
	const nameOf = (phone: string) => (hasKeys ? phone : own(phone));
	/** How many each execution and its retries have reached. */
	const reached = new Map<number, number>();
	/** Executions that were begun anew: what is not found of them is unknown. */
	const crashed = new Set<number>();
	/** Executions in which more may have been unknown than was sent: that counts for Max Sends. */
	const doubtful = new Set<number>();
	let isRefusing = false;
	const entries = new Set<string>();
	const process = (): FakeNode =>
		new FakeNode({
			entries,
			onWrite: () => {
				if (isRefusing) throw new Error('It is locked');
			},
			answer: async (body) => {
				const phones = phonesIn(body);
				const [{ timeout = 0 } = {}] = node.requests.slice(-1);
				if (now + timeout > end) wrong.push('a request that may last longer than the limit');
				if (left-- === 0) execution.stop.abort();
				if (phones.length === 0) return { chatBalance: balance };
				const fate = fates[node.requests.length % fates.length];
				await new Promise(setImmediate);
				now += takes;
				if (fate === 'reject') return refused;
				balance -= phones.length;
				if (!isResent && phones.some((phone) => sent.arrived.has(nameOf(phone))))
					wrong.push(`twice: ${phones.join()}`);
				const { establishedAt } = execution;
				reached.set(establishedAt, (reached.get(establishedAt) ?? 0) + phones.length);
				phones.forEach((phone) => [own, nameOf].forEach((name) => sent.arrived.add(name(phone))));
				if (fate === 'lose') return lost();
				phones.forEach((phone) => [own, nameOf].forEach((name) => sent.accepted.add(name(phone))));
				return { id: phones.join() };
			},
		});
	let node = process();
	let last: keyof typeof after = 'wentOn';
	for (const { batchSize, continueOnFail, stopsWith = -1, limit, ...rest } of tries) {
		now += 1;
		// Killed in a retry n8n goes on once more from what it had kept.
		const how: How = after[last][rest.how === 'anew' && isKept ? 'retried' : rest.how];
		if (how === 'new') execution = new FakeExecution({ establishedAt: now });
		if (how === 'retried') execution = execution.retried();
		if (how !== 'again' && how !== 'round') isKept = how === 'retried';
		if (how === 'anew') {
			crashed.add(execution.establishedAt);
			execution = execution.afterCrash();
			node = process();
		}
		round = how === 'round' ? round + 1 : ['new', 'anew'].includes(how) ? 0 : round;
		const { maxSends, resendUnknown, broken } = rest;
		const { credential, parameters } = wrongs[broken ?? ''] ?? {};
		isRefusing = broken === 'database';
		isResent = resendUnknown;
		balance = rest.balance ?? 0;
		left = stopsWith;
		const { mode, establishedAt } = execution;
		const begun = mode === 'retry' || now >= establishedAt + 1_000 * (limit ?? 0);
		end = limit === undefined ? Infinity : (begun ? now : establishedAt) + 1_000 * limit;
		const items = Array.from({ length: count }, (_, n) => ({
			phone: `${round} ${n}`,
			key: kind === 'campaign' ? String(round) : `${round} ${n}`,
		}));
		const before = node.requests.length;
		const had = reached.get(establishedAt) ?? 0;
		const output = await node.tried(operations[kind], {
			items,
			parameters: {
				phone: '={{ $json.phone }}',
				...parameters,
				options: {
					chunkSize,
					resendUnknown,
					batching: { batch: { batchSize } },
					...(hasKeys && { idempotencyKey: '={{ $json.key }}' }),
					...(maxSends !== undefined && { maxSends }),
					...(rest.balance !== undefined && { checkBalance: true }),
					...(parameters?.options as IDataObject),
				},
			},
			credential,
			continueOnFail,
			retryOnFail: true,
			execution,
			runIndex: round,
			executionTimeout: limit,
		});
		last = !Array.isArray(output) ? 'stopped' : output[0]?.json.error ? 'tryAgain' : 'wentOn';
		const total = reached.get(establishedAt) ?? 0;
		// A key that a crash has left in doubt is so in all executions.
		const isCrashed = hasKeys ? crashed.size > 0 : crashed.has(establishedAt);
		if (isCrashed || broken !== undefined) doubtful.add(establishedAt);
		// Of what was sent in other rounds a crash has left nothing to count.
		if (!isCrashed && total > Math.max(had, maxSends ?? Infinity))
			wrong.push(`${total} sent of ${maxSends}`);
		if (rest.balance !== undefined && balance < 0) wrong.push('more sent than the balance covers');
		const reports = reportsOf(output);
		const { description = '' } = output instanceof Error ? output : {};
		if (description.includes('This node sent nothing.') && total > 0) wrong.push(description);
		const made = node.requests.slice(before);
		if (broken !== undefined && isCrashed && made.some(({ method }) => method !== 'GET'))
			wrong.push('sent by a broken node');
		for (const { json, of } of reports) {
			const text = String(json.error);
			if (text.startsWith('Not enough') && node.requests.length > before + 1)
				wrong.push('sent without the balance');
			if (
				!doubtful.has(establishedAt) &&
				text.includes('Max Sends allows') &&
				batchSize === 1 &&
				total + chunkSize <= Number(maxSends)
			)
				wrong.push(`${total} sent of ${maxSends}, and no more`);
			const outcome = toldBy(json);
			for (const { phone } of of.flatMap((index) => items[index] ?? [])) {
				const name = nameOf(phone);
				const isTrue = ['sent', 'alreadySent'].includes(outcome)
					? sent.accepted.has(name)
					: outcome === 'unknown'
						? sent.arrived.has(name) || broken !== undefined || isCrashed
						: !sent.arrived.has(own(phone));
				if (!isTrue) wrong.push(`${phone} is ${outcome}: ${JSON.stringify(json)}`);
			}
		}
		if (continueOnFail && new Set(reports.flatMap(({ of }) => of)).size < count)
			wrong.push('an item of which nothing is told');
	}
	return wrong;
}

afterEach(() => jest.restoreAllMocks());

test('whatever the batches, rounds, retries and faults: no limit is passed, and what is told is true', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (drawn) => expect(await wrongIn(drawn)).toEqual([])),
		{ numRuns: Number(process.env.FUZZ_RUNS ?? 300), seed: Number(process.env.FUZZ_SEED ?? 1) },
	);
});
