import fc from 'fast-check';
import { countBy, mapValues, pickBy, sum } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	FakeExecution,
	FakeNode,
	lost,
	type FakeRun,
	type NodeFailure,
} from '../../support/unit/fakeNode';
import { campaign, campaignOf, numberedPhones } from '../../support/unit/fakeOperations';
import { crashed, outcomes, phonesIn, phonesOf, refused } from '../../support/unit/sends';

const chunked = (chunkSize: number, options: IDataObject = {}) => ({
	options: { chunkSize, ...options },
});

/** Whether it is a failure that leaves in doubt what became of the run. */
const isUnknown = (result: INodeExecutionData[] | NodeFailure): boolean =>
	result instanceof Error && result.context.data?.outcome === 'unknown';

describe('a campaign that is divided otherwise', () => {
	const items = numberedPhones(6);

	const inTwos: FakeRun = { items, parameters: chunked(2) };

	test('goes on behind what was under way in a crash, and sends that again where the user wants it', async () => {
		const { retried } = await crashed(campaign, inTwos, '2');
		const { output, told } = await retried({}, () => refused);
		expect(told).toEqual([true, 'unknown', 'rejected']);
		expect(output[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		const resent = await retried({ parameters: chunked(2, { resendUnknown: true }) });
		expect(resent.told).toEqual([true, 'sent', 'sent']);
		expect(resent.sent).toEqual(['2', '3', '4', '5']);
	});

	test('is in doubt where a crash has left divisions that cannot be made any more', async () => {
		const { retried } = await crashed(campaign, inTwos, '4');
		const { output, told, node } = await retried({ items: items.with(0, { phone: 'new' }) });
		expect(told).toEqual(['unknown', 'unknown', 'unknown']);
		expect(output[0]?.json).toMatchObject({
			error:
				'The list is another one than in an earlier try, so it is not known what of it was sent',
			details: {
				count: 2,
				description: expect.stringMatching(
					/^Nothing more was sent, and Send Again If Unsure .* Set the input and the parameters back.*Get Stats/,
				),
			},
		});
		expect(node.requests).toEqual([]);
	});

	test.each([
		['that could not be planned', 0],
		['in which it was cut otherwise', 3],
	])('is known again after a retry %s, also in the retry of that retry', async (_, size) => {
		const { retried, execution } = await crashed(campaign, inTwos, '4');
		const retry = execution.afterCrash();
		const other = await retried({ parameters: chunked(size), execution: retry });
		for (const again of [execution.afterCrash(), retry.retried()]) {
			const { told, node } = await retried({ execution: again });
			expect(told).toEqual([true, true, 'unknown']);
			expect([...other.sent, ...node.sent]).toEqual([]);
		}
	});

	test('is the same in the order of its rows, whichever chunk was sent first', async () => {
		const execution = new FakeExecution();
		const run = { ...inTwos, continueOnFail: true, retryOnFail: true, execution };
		const dying: FakeNode = new FakeNode({
			answer: (body) => (phonesIn(body)[0] === '0' && dying.requests.length < 4 ? refused : {}),
			diesWith: () => dying.requests.length === 4,
		});
		expect(outcomes(await dying.json(campaign, run))).toEqual(['rejected', 'sent', 'sent']);
		await dying.tried(campaign, run);
		const node = new FakeNode({ entries: dying.store.entries });
		const told = await node.json(campaign, { ...run, execution: execution.afterCrash() });
		expect(outcomes(told)).toEqual(['unknown', true, true]);
	});

	test.each([
		['is known where it is the same', ['2', '3'], [true]],
		['is in doubt where it is another', ['2', '4'], ['unknown']],
		['is in doubt where it is cut otherwise', ['2', '3', '5'], ['unknown', 'unknown']],
	])('that went out after a wait in a loop, before a kill, %s', async (_, phones, outcome) => {
		const entries = new Set<string>();
		const list = (all: string[]) => all.map((phone) => ({ phone }));
		const run = { parameters: chunked(2), continueOnFail: true };
		const first = new FakeExecution();
		const node = new FakeNode({ entries });
		await node.json(campaign, { ...run, items: list(['0', '1']), execution: first });
		// n8n keeps what is known while the execution waits, goes on from that, and after the kill once more.
		const kept = first.retried();
		const later = { ...run, runIndex: 1 };
		const resumed = first.resumed();
		await node.json(campaign, { ...later, items: list(['2', '3']), execution: resumed });
		const again = new FakeNode({ entries });
		const told = await again.json(campaign, { ...later, items: list(phones), execution: kept });
		expect(outcomes(told)).toEqual(outcome);
		expect(phonesOf(again)).toEqual([]);
	});

	test('is not taken for one of another execution', async () => {
		const others = { items: numberedPhones(9), parameters: chunked(2) };
		const refusing = new FakeNode({ answer: () => refused });
		await refusing.failure(campaign, others);
		const { retried } = await crashed(campaign, inTwos, '4', refusing.store);
		expect((await retried()).told).toEqual([true, true, 'unknown']);
	});

	test('is known although each item has several recipients', async () => {
		const operation = campaignOf(2);
		const answer = (body: IDataObject) => (phonesIn(body).join('') === '122' ? refused : {});
		const node = new FakeNode({ answer });
		const run = { items: numberedPhones(3), execution: new FakeExecution() };
		await node.failure(operation, { ...run, parameters: chunked(3) });
		await node.json(operation, { ...run, parameters: chunked(2) });
		expect(node.sent.map((body) => phonesIn(body).join(''))).toEqual(['001', '122', '12', '2']);
	});

	test('in another try has what was in doubt sent again where the user wants it', async () => {
		const bad = new Map<string, unknown>([['2,3', lost()]]);
		const node = new FakeNode({
			answer: (body) => bad.get(phonesIn(body).join()) ?? { id: phonesIn(body).join() },
		});
		let execution = new FakeExecution();
		/** Tries once more; gives what was sent, and the ids or the outcome that are said. */
		const tried = async (chunkSize: number, resendUnknown: boolean) => {
			const before = node.requests.length;
			execution = execution.retried();
			const run = { items, execution, parameters: chunked(chunkSize, { resendUnknown }) };
			const output = await node.tried(campaign, run);
			const said = Array.isArray(output) ? output.map(({ json }) => json.id) : output;
			const { outcome } = (said as NodeFailure).context?.data ?? {};
			return [node.sent.slice(before).map((body) => phonesIn(body).join()), outcome ?? said];
		};
		expect(await tried(2, false)).toEqual([['0,1', '2,3'], 'unknown']);
		bad.set('3', refused);
		// Of the two one is known to have arrived: the other one stays in doubt, and stops nothing.
		expect(await tried(1, true)).toEqual([['2', '3'], 'unknown']);
		expect(await tried(2, false)).toEqual([['4,5'], 'unknown']);
		bad.clear();
		expect(await tried(2, false)).toEqual([[], 'unknown']);
		expect(await tried(2, true)).toEqual([['3'], ['0,1', '2', '4,5', '3']]);
	});

	test('with a key of other recipients is in doubt', async () => {
		const key = { idempotencyKey: 'k' };
		const node = new FakeNode();
		const run = { parameters: chunked(2, key) };
		expect(outcomes(await node.json(campaign, { ...run, items }))).toEqual(Array(3).fill('sent'));
		const failure = await node.failure(campaign, { ...run, items: numberedPhones(7) });
		expect(failure).toMatchObject({
			message:
				'The key "k" was used before, for other recipients or campaigns: whom of these it has reached is not known',
			context: { data: { outcome: 'unknown' } },
		});
		expect(phonesOf(node)).toHaveLength(6);
		// With them set back it is known.
		expect(outcomes(await node.json(campaign, { ...run, items }))).toEqual(Array(3).fill(true));
		const other = { items: numberedPhones(7), parameters: chunked(2, { idempotencyKey: 'l' }) };
		expect(outcomes(await node.json(campaign, other))).toEqual(Array(4).fill('sent'));
	});

	test('with a key is in doubt for chunks of another size, also where the user would have it sent', async () => {
		const key = { idempotencyKey: 'k' };
		const refusing = new FakeNode({ answer: () => refused });
		await refusing.failure(campaign, { items, parameters: chunked(1, key) });
		const node = new FakeNode({ entries: refusing.store.entries });
		const resent = chunked(2, { ...key, resendUnknown: true });
		const failure = await node.failure(campaign, { items, parameters: resent });
		expect(failure.context.data).toMatchObject({ outcome: 'unknown' });
		expect(phonesOf(node)).toEqual([]);
	});

	test.each<[string, IDataObject[], number, IDataObject?]>([
		['another row', items.with(0, { phone: 'new' }), 2],
		['a row in front', [{ phone: 'new' }, ...items], 2],
		['the other way round', items.toReversed(), 2],
		['other chunks', items, 3],
		['other chunks with a key', items, 3, { idempotencyKey: 'k' }],
	])(
		'is not sent again after a crash, also where the user would have it sent: %s',
		async (_, changed, size, key = {}) => {
			const first = { items, parameters: chunked(2, key) };
			const { retried } = await crashed(campaign, first, '4');
			const parameters = chunked(size, { ...key, resendUnknown: true });
			const { told, node } = await retried({ items: changed, parameters });
			expect(new Set(told)).toEqual(new Set(['unknown']));
			expect(node.requests).toEqual([]);
		},
	);
});

const maxChunk = 5;

/** One execution of the workflow. */
const step = fc.record({
	/** Which of the earlier executions it is retried from. */
	from: fc.nat(5),
	/** Whether it is no retry; with a key only. */
	isFresh: fc.boolean(),
	chunkSize: fc.integer({ min: 1, max: maxChunk }),
	isResent: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
	/** The call to the service or the database with which the process dies. */
	diesWith: fc.option(fc.nat(16), { nil: undefined }),
});

const history = fc.record({
	/** What becomes of the first request that holds a recipient; all later ones are accepted. */
	fates: fc.array(
		fc.oneof(
			{ weight: 8, arbitrary: fc.constant('accept' as const) },
			{ weight: 3, arbitrary: fc.constant('reject' as const) },
			fc.constant('lose' as const),
		),
		{ minLength: 1, maxLength: 10 },
	),
	isKeyed: fc.boolean(),
	continueOnFail: fc.boolean(),
	/** The chunk size of all executions, if it is not edited in between. */
	size: fc.option(fc.integer({ min: 1, max: maxChunk }), { nil: undefined }),
	steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});

type History = typeof history extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type Step = History['steps'][number];

/** Runs a history and compares what the node says with what has arrived. */
class World {
	private readonly entries = new Set<string>();

	/** Executions that did not end well: n8n retries no others. */
	private readonly saved: FakeExecution[] = [];

	private hasBegun = false;

	private readonly arrived = new Map<string, number>();

	private readonly met = new Set<string>();

	private isResent = false;

	/** Who may be reached twice, once what is in doubt is sent again. */
	private readonly uncertain = new Set<string>();

	private deaths = 0;

	private losses = 0;

	constructor(private readonly drawn: History) {}

	async run({ from, isFresh, isResent, diesWith, ...step }: Step): Promise<void> {
		const { isKeyed, fates, continueOnFail, size: chunkSize = step.chunkSize } = this.drawn;
		this.isResent ||= isResent;
		const original = this.saved[from % Math.max(1, this.saved.length)];
		const isRetry = original !== undefined && !(isKeyed && isFresh);
		if (this.hasBegun && !isRetry && !(isKeyed && isFresh)) return;
		this.hasBegun = true;
		const execution = isRetry ? original.retried() : new FakeExecution();
		const node = new FakeNode({
			entries: this.entries,
			answer: (body) => this.answer(phonesIn(body)),
			diesAt: diesWith,
			onLast: (body) => this.arrive(phonesIn(body)),
		});
		const key = isKeyed ? { idempotencyKey: 'k' } : {};
		const result = await node.tried(campaign, {
			items: numberedPhones(fates.length),
			parameters: chunked(chunkSize, { ...key, ...(isResent ? { resendUnknown: true } : {}) }),
			execution,
			continueOnFail,
		});
		if (!result) this.deaths++;
		if (!result || isUnknown(result)) this.doubt(numberedPhones(fates.length));
		if (!Array.isArray(result)) this.saved.push(result ? execution : execution.afterCrash());
		if (result) this.check(result);
	}

	private answer(phones: string[]): unknown {
		const fresh = phones.filter((phone) => !this.met.has(phone));
		for (const phone of phones) this.met.add(phone);
		const fates = fresh.map((phone) => this.drawn.fates[Number(phone)]);
		if (fates.includes('reject')) return refused;
		this.arrive(phones);
		if (!fates.includes('lose')) return { id: phones.join() };
		this.losses++;
		return lost();
	}

	private arrive(phones: string[]): void {
		for (const phone of phones) this.arrived.set(phone, (this.arrived.get(phone) ?? 0) + 1);
	}

	/** Whatever the node says must be true. */
	private check(result: INodeExecutionData[] | NodeFailure): void {
		const twice = [...this.arrived].filter(([, count]) => count > 1).map(([phone]) => phone);
		expect(twice.filter((phone) => !this.isResent || !this.uncertain.has(phone))).toEqual([]);
		// A kill or a lost answer leaves one chunk in doubt, whatever chunks there are next.
		const again = sum([...this.arrived.values()].map((count) => count - 1));
		expect(again).toBeLessThanOrEqual(maxChunk * (this.deaths + this.losses));
		const isOneSize = this.drawn.size !== undefined;
		const isCertain = isOneSize && this.deaths === 0 && !this.drawn.fates.includes('lose');
		if (isCertain) expect([...this.uncertain]).toEqual([]);
		if (result instanceof Error) return;
		const told = result.flatMap(({ json, pairedItem }) =>
			[pairedItem ?? []].flat().map((one) => ({ json, ...(one as { item: number }) })),
		);
		expect(new Set(told.map(({ item }) => item)).size).toBe(this.drawn.fates.length);
		for (const { json, item } of told) {
			const count = this.arrived.get(String(item)) ?? 0;
			const { outcome } = (json.details ?? {}) as IDataObject;
			if (outcome === 'unknown') this.doubt([{ phone: String(item) }]);
			if (json.error === undefined) expect([item, count]).not.toEqual([item, 0]);
			else if (outcome !== 'unknown' && !this.isResent) expect([item, count]).toEqual([item, 0]);
		}
	}

	private doubt(people: Array<{ phone: string }>): void {
		for (const { phone } of people) this.uncertain.add(phone);
	}

	/** In the end everybody is reached whose request was not under way when a process died. */
	async end(): Promise<void> {
		const calm = { isFresh: false, isResent: false, diesWith: undefined };
		const { fates, continueOnFail, size } = this.drawn;
		for (let round = 0; round < fates.length + 2; round++) {
			await this.run({ ...calm, from: this.saved.length - 1, chunkSize: 1 + (round % 3) });
		}
		// What was rejected in an execution that went on behind it is told, and ends well.
		const isOver = continueOnFail || fates.includes('lose');
		if (isOver || size === undefined) return;
		expect(fates.length - this.arrived.size).toBeLessThanOrEqual(maxChunk * this.deaths);
	}
}

test('no history of divisions, tries and crashes sends to anybody twice', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (drawn) => {
			const world = new World(drawn);
			for (const one of drawn.steps) await world.run(one);
			await world.end();
		}),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			numRuns: Number(process.env.HISTORIES ?? 50),
		},
	);
});

/** People by their numbers, some of them several times. */
const people = fc.array(fc.nat(7), { minLength: 1, maxLength: 8 });

test('a retry that remembers reaches those of any other list who were not reached', async () => {
	const size = fc.integer({ min: 1, max: maxChunk });
	await fc.assert(
		fc.asyncProperty(people, people, size, size, fc.nat(7), async (first, second, a, b, bad) => {
			fc.pre(first.includes(bad));
			const arrived: Array<string | undefined> = [];
			let isBad = true;
			const node = new FakeNode({
				answer: (body) => {
					if (isBad && phonesIn(body).includes(String(bad))) return refused;
					arrived.push(...phonesIn(body));
					return {};
				},
			});
			const execution = new FakeExecution();
			const list = (all: number[]) => all.map((one) => ({ phone: String(one) }));
			await node.failure(campaign, { items: list(first), parameters: chunked(a), execution });
			const before = countBy(arrived);
			isBad = false;
			const again = { items: list(second), execution: execution.retried() };
			await node.json(campaign, { ...again, parameters: chunked(b) });
			const wanted = mapValues(countBy(second), (times, one) => Math.max(times, before[one] ?? 0));
			expect(countBy(arrived)).toEqual({ ...before, ...wanted });
		}),
		{ numRuns: 300 },
	);
});

describe('several campaigns in a run', () => {
	const size = fc.integer({ min: 1, max: 3 });
	const row = fc.record({
		phone: fc.constantFrom('0', '1', '2'),
		template: fc.constantFrom('a', 'b', 'c'),
	});
	const rows = fc.array(row, { minLength: 1, maxLength: 7 });

	/** What has arrived: each message to each person. */
	const arrivals = ({ sent }: FakeNode) =>
		sent.flatMap((body) => phonesIn(body).map((phone) => `${phone} ${String(body.template)}`));

	const wantedOf = (items: IDataObject[]) =>
		countBy(items, ({ phone, template }) => `${String(phone)} ${String(template)}`);

	test('a retry that remembers sends each message that is missing, and no other', async () => {
		const bad = fc.array(fc.nat(6), { maxLength: 3 });
		await fc.assert(
			fc.asyncProperty(rows, bad, size, size, fc.boolean(), async (items, later, a, b, goesOn) => {
				let refusedNow = goesOn ? [0, ...later] : later;
				let requests = 0;
				const arrived: string[] = [];
				const node = new FakeNode({
					answer: (body) => {
						if (refusedNow.includes(requests++)) return refused;
						arrived.push(...phonesIn(body).map((one) => `${one} ${String(body.template)}`));
						return {};
					},
				});
				const execution = new FakeExecution();
				// Retry On Fail tries again where the first item has failed, the button where the node has.
				const run = { items, continueOnFail: goesOn, retryOnFail: goesOn };
				await node.tried(campaign, { ...run, parameters: chunked(a), execution });
				fc.pre(arrived.length < items.length);
				refusedNow = [];
				const again = { ...run, execution: goesOn ? execution : execution.retried() };
				await node.run(campaign, { ...again, parameters: chunked(b) });
				expect(countBy(arrived)).toEqual(wantedOf(items));
			}),
			{ numRuns: 200 },
		);
	});

	test('after a crash no message goes to anybody a second time, in whatever order they come', async () => {
		const orders = rows.chain((items) =>
			fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
		);
		await fc.assert(
			fc.asyncProperty(
				orders,
				size,
				fc.nat(20),
				fc.boolean(),
				async ([items, changed], a, diesAt, isKeyed) => {
					const parameters = chunked(a, isKeyed ? { idempotencyKey: 'k' } : {});
					const dying = new FakeNode({ diesAt });
					const execution = new FakeExecution();
					const first = await dying.tried(campaign, { items, parameters, execution });
					fc.pre(first === undefined);
					const node = new FakeNode({ entries: dying.store.entries });
					const output = await node.json(campaign, {
						items: changed,
						parameters,
						continueOnFail: true,
						execution: execution.afterCrash(),
					});
					const wanted = wantedOf(items);
					const all = countBy([...arrivals(dying), ...arrivals(node)]);
					expect(pickBy(all, (times, one) => times > (wanted[one] ?? 0))).toEqual({});
					expect(outcomes(output)).not.toContain('notSent');
				},
			),
			{ numRuns: 200 },
		);
	});

	test('with a key are known to other executions in the same order only; one campaign whatever it is', async () => {
		const parameters = chunked(2, { idempotencyKey: 'k' });
		const items = ['a', 'b'].map((template) => ({ phone: '1', template }));
		const run = { parameters, continueOnFail: true };
		const told = async (first: IDataObject[], then: IDataObject[]) => {
			const node = new FakeNode();
			await node.run(campaign, { ...run, items: first });
			const other = new FakeNode({ entries: node.store.entries });
			const output = await other.json(campaign, { ...run, items: then });
			expect(other.requests).toEqual([]);
			return outcomes(output);
		};
		expect(await told(items, items.toReversed())).toEqual(['unknown', 'unknown']);
		expect(await told(items.slice(0, 1), items.slice(1))).toEqual([true]);
	});

	test('with one key for all are all sent, once', async () => {
		await fc.assert(
			fc.asyncProperty(rows, size, async (items, a) => {
				const entries = new Set<string>();
				const parameters = chunked(a, { idempotencyKey: 'k' });
				const node = new FakeNode({ entries });
				for (let execution = 0; execution < 2; execution++) {
					const output = await node.json(campaign, { items, parameters });
					expect(new Set(outcomes(output))).toEqual(new Set([execution === 0 ? 'sent' : true]));
					expect(countBy(arrivals(node))).toEqual(wantedOf(items));
				}
			}),
			{ numRuns: 50 },
		);
	});
});
