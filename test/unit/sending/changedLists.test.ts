import fc from 'fast-check';
import { range } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { FakeExecution, FakeNode, lost, type NodeFailure } from '../../support/unit/fakeNode';
import { messageOf, priced } from '../../support/unit/fakeOperations';
import {
	crashed,
	dyingWith,
	outcomes,
	phonesOf,
	refused,
	refusing,
} from '../../support/unit/sends';

// n8n's database is asked again after pauses.
jest.mock('n8n-workflow', () => {
	const n8n = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	const sleep: typeof n8n.sleep = async (ms, signal) =>
		await (ms > 1_000 ? n8n.sleep(ms, signal) : new Promise<void>(setImmediate));
	return { ...n8n, sleep };
});

/** A text for each input item, with something in the request that need not be of the item. */
const text = messageOf('phone', 'message', 'edition');

/** An item of the list, as the nodes before give it. */
interface Row {
	phone: string;
	message: string;
	/** When it was read. */
	at: number;
	/** What another field of it says: with a parameter that reads this one, not every item is right. */
	other?: string;
}

const changeNames = ['front', 'behind', 'gone', 'reversed', 'mixed', 'stamped', 'spelled'] as const;

const often = <T>(usual: T, arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, arbitrary);

type DrawnBy<T> = T extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** One execution of the workflow. */
const step = fc.record({
	/** Which of the executions that failed it resumes; none begins anew. */
	resumes: fc.option(fc.nat(5), { nil: undefined, freq: 2 }),
	/** What has become of the list meanwhile, where it begins anew. */
	changes: fc.uniqueArray(fc.constantFrom(...changeNames), { maxLength: 3 }),
	/** What the changes depend on. */
	size: fc.integer({ min: 1, max: 4 }),
	/** Items of a round of the loop; all of them at once where absent. */
	perRound: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
	/** The call to the service or the database with which the process dies. */
	diesWith: fc.option(fc.nat(40), { nil: undefined, freq: 2 }),
	/** The round before which it waits, so that n8n keeps what it knows by then, also through a kill. */
	waitsBefore: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
	hasKeys: fc.boolean(),
	/** Whether the requests have a time in them, or the workflow was edited. */
	isEdited: often(false, fc.boolean()),
	continueOnFail: fc.boolean(),
	retryOnFail: fc.boolean(),
	batchSize: fc.integer({ min: 1, max: 4 }),
	maxSends: often(undefined, fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined })),
	/** The writes behind which n8n's database refuses all others. */
	refusesAfter: often(undefined, fc.option(fc.nat(30), { nil: undefined })),
	/** What is wrong with the node itself, and whether that comes with the second try only. */
	broken: often<'credential' | 'parameter' | 'option' | undefined>(
		undefined,
		fc.constantFrom('credential', 'parameter', 'option', undefined),
	),
	breaksLate: fc.boolean(),
});

type Step = DrawnBy<typeof step>;

const fate = fc.oneof(
	{ weight: 16, arbitrary: fc.constant('accept' as const) },
	{ weight: 3, arbitrary: fc.constant('reject' as const) },
	fc.constant('lose' as const),
	fc.constant('loseBefore' as const),
);

const history = fc.record({
	/** Whom each row goes to: some to the same few people, and some of these with the same message. */
	people: fc.array(
		fc.oneof(
			{ weight: 3, arbitrary: fc.constant('another' as const) },
			fc.constantFrom('p0', 'p1', 'p2'),
			fc.constantFrom('p0 again', 'p1 again', 'p2 again'),
		),
		{ minLength: 24, maxLength: 24 },
	),
	count: fc.integer({ min: 1, max: 13 }),
	/** What becomes of each request; one that was rejected is accepted the next time. */
	fates: fc.array(fate, { minLength: 60, maxLength: 60 }),
	/** Turns of the event loop that an answer takes. */
	delays: fc.array(fc.nat(2), { minLength: 7, maxLength: 7 }),
	mayHaveKeys: fc.boolean(),
	/** Whether all items are equal and expressions read those of an earlier node. */
	isReduced: fc.boolean(),
	/** Whether the requests say when their items were made. */
	isTimed: fc.boolean(),
	/** Whether an agent calls the node, item by item, all of it again in a retry; or another workflow, once. */
	caller: often<'agent' | 'workflow' | undefined>(
		undefined,
		fc.constantFrom('agent', 'workflow', undefined),
	),
	/** Before a retry can begin anew something has to die. */
	firstDiesWith: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
	steps: fc.array(step, { minLength: 2, maxLength: 6 }),
});

type History = DrawnBy<typeof history>;

/** An execution as n8n saves it: it resumes at the round that failed, or that it waited before. */
interface Failed {
	rounds: Row[][];
	at: number;
	execution: FakeExecution;
	/** Whether n8n has gone on from it before: of what was sent in later rounds then it knows nothing. */
	isUsed?: boolean;
}

/** What a run tells of an item. */
interface Told {
	row: Row;
	outcome: 'sent' | 'notSent' | 'unknown';
}

const credential = { baseUrl: 'no address', apiKey: 'key' };

const bare = ({ phone }: { phone: string }): string => phone.replace('+', '');

const truthOf = ({ phone, message: content }: { phone: string; message: string }): string =>
	`${bare({ phone })}: ${content}`;

/** The very same message may go to somebody several times. */
const isRepeated = (row: Row): boolean => row.message === 'again';

const counted = (all: string[]): Map<string, number> =>
	all.reduce((sums, one) => sums.set(one, (sums.get(one) ?? 0) + 1), new Map<string, number>());

/** Runs a history and compares, by person and message, what the node says with what has arrived. */
class World {
	private readonly entries = new Set<string>();

	private readonly failed: Failed[] = [];

	private readonly arrived = new Map<string, number>();

	/** How often the list had a message at most. */
	private readonly most = new Map<string, number>();

	private readonly rejected = new Set<string>();

	private readonly lost = new Set<string>();

	private readonly first: FakeExecution;

	private list: Row[];

	private rows = 0;

	private requests = 0;

	private tries = 0;

	/** Whether every process has lived, and every try has had the list of the first. */
	private isCalm = true;

	private wasKeyed = false;

	/** Whether an execution was retried twice: what cannot be read is told as not sent then. */
	private isForked = false;

	/** Whether the first execution has crashed, and n8n begins it anew at a retry. */
	private hasCrashed = false;

	constructor(private readonly drawn: History) {
		// What an agent calls with is the input.
		drawn.isReduced &&= drawn.caller !== 'agent';
		const calledBy = drawn.caller === 'workflow' ? 'caller' : undefined;
		this.first = new FakeExecution({ calledBy });
		this.list = Array.from({ length: drawn.count }, () => this.row());
	}

	private row(): Row {
		const number = this.rows++;
		const person = this.drawn.people[number % this.drawn.people.length] ?? 'another';
		const [name = '', again] = person.split(' ');
		const phone = person === 'another' ? `q${number}` : name;
		const content = again ?? `m${number}`;
		// Equal messages have equal inputs: which is which is not promised else.
		const hasOther = again === undefined && number % 3 === 0;
		return { phone, message: content, at: 0, ...(hasOther ? { other: content } : {}) };
	}

	private get edition(): string {
		return this.drawn.isTimed ? '={{ $json.at }}' : 'edition';
	}

	private stamped(row: Row): Row {
		return isRepeated(row) ? row : { ...row, at: this.tries };
	}

	private changed(before: Row[], { changes: all, size }: Step): Row[] {
		const added = () => Array.from({ length: size }, () => this.row());
		const changes: Record<(typeof changeNames)[number], (list: Row[]) => Row[]> = {
			front: (list) => [...added(), ...list],
			behind: (list) => [...list, ...added()],
			gone: (list) => list.slice(size),
			reversed: (list) => list.toReversed(),
			mixed: (list) => [
				...list.filter((_, n) => n % size === 0),
				...list.filter((_, n) => n % size),
			],
			stamped: (list) => list.map((row) => this.stamped(row)),
			spelled: (list) =>
				list.map((row) => (isRepeated(row) ? row : { ...row, phone: `+${bare(row)}` })),
		};
		return all.reduce((list, change) => changes[change](list), before);
	}

	async run(step: Step): Promise<void> {
		const { resumes, perRound, diesWith } = step;
		const isFirst = this.tries++ === 0;
		const { failed } = this;
		const isAnew = isFirst || (this.hasCrashed && (resumes === undefined || failed.length === 0));
		const from = isAnew ? undefined : failed[(resumes ?? 0) % failed.length];
		// What has ended well is not retried.
		if (!isAnew && !from) return;
		// Where inputs are equal only their requests tell which is which then, and these can be edited.
		if (from?.isUsed) this.isCalm = false;
		if (from?.isUsed) this.isForked = true;
		if (from) from.isUsed = true;
		if (isAnew && !isFirst) {
			this.isCalm = false;
			this.list = this.changed(this.list, step);
		}
		const isAgent = this.drawn.caller === 'agent';
		// Which calls it is still going to make nobody knows, so something in doubt may be any of them.
		if (isAgent && from) this.isCalm = false;
		if (step.refusesAfter !== undefined) this.isCalm = false;
		const start = from?.at ?? 0;
		const done = from?.rounds.slice(0, start).flat() ?? [];
		const anew = from?.rounds.slice(start).flat() ?? [];
		const list = isAgent && from ? [...done, ...this.changed(anew, step)] : this.list;
		/** Calls of a run of the agent, of which a loop has several. */
		const perRun = 1 + (this.drawn.delays[0] ?? 0);
		// Of equal items in rounds of their own nothing tells yet, in the first, that others follow.
		const several = (this.drawn.isReduced ? undefined : perRound) ?? list.length;
		const size = isAgent ? 1 : several;
		const cut = () => list.flatMap((_, n) => (n % size === 0 ? [list.slice(n, n + size)] : []));
		// What stands between the loop and the node runs anew in later rounds.
		const isStamped = (at: number) => at > start && step.changes.includes('stamped');
		const before = isAgent ? undefined : from?.rounds;
		const rounds =
			before?.map((rows, at) => (isStamped(at) ? rows.map((row) => this.stamped(row)) : rows)) ??
			cut();
		for (const [truth, times] of counted(rounds.flat().map(truthOf)))
			this.most.set(truth, Math.max(this.most.get(truth) ?? 0, times));
		const began = isFirst ? this.first : this.first.afterCrash();
		let execution = from?.execution.retried() ?? began;
		let kept: Failed | undefined;
		const node = new FakeNode({
			entries: this.entries,
			isTool: isAgent,
			answer: async (body) => await this.answer(body),
			diesAt: diesWith,
			onWrite: refusing(step.refusesAfter ?? Infinity),
			onLast: (body) => this.arrive(body),
		});
		const all: Told[] = [];
		for (let at = start; at < rounds.length; at++) {
			// A retry begins at the node that has failed, behind the wait of its round.
			if (!isAgent && at > start && at === step.waitsBefore) {
				// What stands between the wait and the node runs anew.
				const later = rounds.map((rows, n) =>
					n < at ? rows : rows.map((row) => this.stamped(row)),
				);
				kept = { rounds: later, at, execution: execution.retried() };
				execution = execution.resumed();
			}
			const told = await this.round(node, execution, rounds, at, step);
			if (told === undefined) {
				this.isCalm = false;
				if (kept) failed.push(kept);
				else this.hasCrashed ||= isFirst;
				break;
			}
			all.push(...told.all);
			this.judge(all, step);
			// An agent is told what has failed, and goes on; it may itself fail behind its last call.
			const isLast = (at + 1) % perRun === 0 || at + 1 === rounds.length;
			const group = Math.floor(at / perRun);
			if (isAgent && isLast && group >= Math.floor(start / perRun) + step.size - 1) {
				failed.push({ rounds, at: group * perRun, execution: execution.retried() });
				break;
			}
			if (!told.hasFailed || isAgent) continue;
			failed.push({ rounds, at, execution: execution.retried() });
			break;
		}
		this.judge(all, step);
		if (!node.hasDied) await execution.end();
	}

	/** One run of the node, with a second try where it has Retry On Fail; undefined if the process died. */
	private async round(
		node: FakeNode,
		execution: FakeExecution,
		rounds: Row[][],
		runIndex: number,
		step: Step,
	): Promise<{ all: Told[]; hasFailed: boolean } | undefined> {
		const { continueOnFail, retryOnFail } = step;
		const rows = rounds[runIndex] ?? [];
		const hasKeys = step.hasKeys && this.drawn.mayHaveKeys;
		this.wasKeyed ||= hasKeys;
		for (let isLast = !retryOnFail; ; isLast = true) {
			const isBroken = isLast || !step.breaksLate ? step.broken : undefined;
			const read = rows.map((row) => ({ ...row, key: truthOf(row) }));
			const result = await node.tried(text, {
				items: this.drawn.isReduced ? rows.map(() => ({ same: true })) : read,
				read,
				parameters: {
					phone: '={{ $json.phone }}',
					message: isBroken === 'parameter' ? '={{ $json.other }}' : '={{ $json.message }}',
					edition: step.isEdited ? `edition ${this.tries}` : this.edition,
					options: {
						batching: { batch: { batchSize: step.batchSize } },
						...(hasKeys ? { idempotencyKey: '={{ $json.key }}' } : {}),
						...(step.maxSends ? { maxSends: step.maxSends } : {}),
						...(isBroken === 'option' ? { timeout: '={{ $json.none }}' } : {}),
					},
				},
				execution,
				runIndex,
				caller: Math.floor(runIndex / (1 + (this.drawn.delays[0] ?? 0))),
				continueOnFail,
				retryOnFail,
				...(isBroken === 'credential' ? { credential } : {}),
			});
			if (!result) return undefined;
			if (!(result instanceof Error)) {
				const all = toldOf(result, rows);
				expect(all).toHaveLength(rows.length);
				// n8n tries again if the first item has failed.
				if (isLast || result[0]?.json.error === undefined) return { all, hasFailed: false };
				this.judge(all, step);
			} else {
				const all = this.toldBy(result, rows, rounds.slice(0, runIndex + 1).flat());
				if (isLast) return { all, hasFailed: true };
				this.judge(all, step);
			}
		}
	}

	/** What the error of a run that has stopped says. */
	private toldBy({ description, context }: NodeFailure, rows: Row[], begun: Row[]): Told[] {
		const arrivals = (row: Row) => this.arrived.get(truthOf(row)) ?? 0;
		const certain = begun.filter((row) => !isRepeated(row));
		if (description.includes('Nothing was sent.') && !this.isForked)
			expect(certain.filter((row) => arrivals(row) > 0)).toEqual([]);
		const [, sent = '0'] = /(\d+) of \d+ items were sent before this/.exec(description) ?? [];
		const once = [...counted(rows.map(truthOf))].map(([truth, times]) =>
			this.wasKeyed ? times : Math.min(times, this.arrived.get(truth) ?? 0),
		);
		expect(Number(sent)).toBeLessThanOrEqual(once.reduce((sum, one) => sum + one, 0));
		const row = rows[context.itemIndex ?? 0];
		return row ? [{ row, outcome: outcomeOf(context.data) }] : [];
	}

	private async answer(body: IDataObject): Promise<unknown> {
		const number = this.requests++;
		const { fates, delays } = this.drawn;
		const truth = truthOf(body as unknown as Row);
		const drawn = fates[number % fates.length];
		const isAccepted = drawn === 'accept' || this.rejected.has(truth);
		if (isAccepted || drawn === 'lose') this.arrive(body);
		for (let left = delays[number % delays.length] ?? 0; left > 0; left--)
			await new Promise(setImmediate);
		if (isAccepted) return { id: truth };
		if (drawn === 'reject') {
			if (body.message !== 'again') this.rejected.add(truth);
			return refused;
		}
		this.lost.add(truth);
		return lost();
	}

	private arrive(body: IDataObject): void {
		const truth = truthOf(body as unknown as Row);
		this.arrived.set(truth, (this.arrived.get(truth) ?? 0) + 1);
	}

	/** Whatever one try has said must be true. */
	private judge(all: Told[], { broken }: Step): void {
		for (const [truth, times] of this.arrived)
			expect([truth, times <= (this.most.get(truth) ?? 0)]).toEqual([truth, true]);
		const sent = all.filter(({ outcome }) => outcome === 'sent').map(({ row }) => truthOf(row));
		for (const [truth, times] of counted(sent)) {
			// A key names the effect: of several items with it one is sent.
			const wanted = this.wasKeyed ? 1 : times;
			expect([truth, (this.arrived.get(truth) ?? 0) >= wanted]).toEqual([truth, true]);
		}
		for (const { row, outcome } of all) {
			const truth = truthOf(row);
			const isThere = this.arrived.has(truth);
			if (outcome === 'notSent' && !isRepeated(row) && !(broken && this.isForked))
				expect([truth, isThere]).toEqual([truth, false]);
			if (outcome !== 'unknown' || broken) continue;
			expect([truth, !this.isCalm || this.lost.has(truth)]).toEqual([truth, true]);
		}
	}

	/** Where nothing was killed or lost and the list is the same, everybody is reached in the end. */
	async end(): Promise<void> {
		if (!this.isCalm || this.lost.size > 0 || this.failed.length === 0) return;
		this.drawn.fates.fill('accept');
		const [last] = this.drawn.steps;
		const calm = { diesWith: undefined, broken: undefined, maxSends: undefined };
		// Nor does an agent fail again.
		const good = {
			refusesAfter: undefined,
			isEdited: false,
			hasKeys: false,
			continueOnFail: true,
			size: this.drawn.people.length,
		};
		await this.run({ ...(last as Step), ...calm, ...good, resumes: this.failed.length - 1 });
		// Of what another retry of the same execution has sent in later rounds, this one knows nothing.
		if (!this.isCalm) return;
		const { rounds = [], at = 0 } = this.failed.at(-1) ?? {};
		// What an agent was told of in the runs before, it does not try again.
		for (const row of rounds.slice(this.drawn.caller === 'agent' ? at : 0).flat())
			expect([truthOf(row), this.arrived.has(truthOf(row))]).toEqual([truthOf(row), true]);
	}
}

function toldOf(items: INodeExecutionData[], rows: Row[]): Told[] {
	return items.flatMap(({ json, pairedItem }) => {
		const row = rows[(pairedItem as { item: number }).item];
		if (!row) return [];
		const outcome = json.error === undefined ? 'sent' : outcomeOf(json.details as IDataObject);
		return [{ row, outcome }];
	});
}

const outcomeOf = ({ outcome }: IDataObject = {}): Told['outcome'] =>
	outcome === 'unknown' ? 'unknown' : 'notSent';

test('whatever becomes of the list between the tries, nobody is reached twice', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (drawn) => {
			const world = new World(structuredClone(drawn));
			for (const [n, one] of drawn.steps.entries())
				await world.run(n === 0 ? { ...one, diesWith: drawn.firstDiesWith } : one);
			await world.end();
		}),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			path: process.env.HISTORIES_PATH,
			numRuns: Number(process.env.HISTORIES ?? 300),
			// Nothing waits for ever.
			timeout: 60_000,
			endOnFailure: process.env.NO_SHRINK !== undefined,
		},
	);
}, 900_000);

/** Places in a list of people, to all of whom one message goes. */
const people = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 });

const mailHistory = fc.record({
	lists: fc.array(people, { minLength: 1, maxLength: 8 }),
	firstDiesWith: fc.nat(30),
	fates: fc.array(fate, { minLength: 40, maxLength: 40 }),
	tries: fc.array(
		fc.record({
			diesWith: fc.option(fc.nat(30), { nil: undefined }),
			/** Whom a message goes to instead. */
			others: fc.array(fc.tuple(fc.nat(7), people), { maxLength: 3 }),
			/** Whether each gets a message alone. */
			isSplit: fc.boolean(),
			isReversed: fc.boolean(),
			isStamped: fc.boolean(),
			isEdited: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 4 },
	),
});

test('whatever becomes of the addresses between the tries, nobody gets a message twice', async () => {
	await fc.assert(
		fc.asyncProperty(mailHistory, async ({ lists, firstDiesWith, fates, tries }) => {
			const entries = new Set<string>();
			/** How often which message has reached whom. */
			const arrived = new Map<string, number>();
			const arrive = ({ phone, message: content }: IDataObject) => {
				for (const one of String(phone).split(', '))
					arrived.set(`${content} ${one}`, (arrived.get(`${content} ${one}`) ?? 0) + 1);
			};
			let requests = 0;
			const answer = (body: IDataObject) => {
				const drawn = fates[requests++ % fates.length];
				if (drawn === 'accept' || drawn === 'lose') arrive(body);
				if (drawn === 'reject') return refused;
				return drawn === 'accept' ? {} : lost();
			};
			const rows = lists.map((to, n) => ({ to, message: `m${n}` }));
			const execution = new FakeExecution();
			const first = { others: [], isSplit: false, isReversed: false, isStamped: false };
			const all = [{ ...first, isEdited: false, diesWith: firstDiesWith }, ...tries];
			for (const [number, one] of all.entries()) {
				for (const [row, to] of one.others) Object.assign(rows[row] ?? {}, { to });
				const list = rows
					.flatMap((row) => (one.isSplit ? row.to.map((to) => ({ ...row, to: [to] })) : [row]))
					.map((row) => ({ ...row, phone: row.to.map((to) => `p${to}`).join(', ') }))
					.map((row) => (one.isStamped ? { ...row, at: number } : row));
				const items = one.isReversed ? list.toReversed() : list;
				const edition = one.isEdited ? `edition ${number}` : 'edition';
				const node = new FakeNode({ entries, answer, diesAt: one.diesWith, onLast: arrive });
				const output = await node.tried(text, {
					items,
					parameters: { ...parameters(), edition },
					execution: number === 0 ? execution : execution.afterCrash(),
					continueOnFail: true,
				});
				expect([...arrived].filter(([, times]) => times > 1)).toEqual([]);
				if (output === undefined) continue;
				for (const [n, { json }] of (output as INodeExecutionData[]).entries()) {
					const { outcome = 'sent' } = (json.details ?? {}) as IDataObject;
					const { phone = '', message: content } = items[n] ?? {};
					const reached = phone.split(', ').map((to) => arrived.has(`${content} ${to}`));
					if (outcome === 'sent') expect([n, reached]).toEqual([n, reached.map(() => true)]);
					else if (outcome !== 'unknown')
						expect([n, reached]).toEqual([n, reached.map(() => false)]);
				}
				// Only what has died begins anew.
				if (number === 0) return;
			}
		}),
		{
			seed: Number(process.env.HISTORIES_SEED ?? 1),
			path: process.env.HISTORIES_PATH,
			numRuns: Number(process.env.HISTORIES ?? 300),
			endOnFailure: process.env.NO_SHRINK !== undefined,
		},
	);
}, 900_000);

const parameters = (options: IDataObject = {}) => ({
	phone: '={{ $json.phone }}',
	message: '={{ $json.message }}',
	edition: 'edition',
	options: { batching: { batch: { batchSize: 1 } }, ...options },
});

const rowsTo = (phone: string, count: number) =>
	Array.from({ length: count }, (_, n) => ({ phone, message: `${phone} ${n}` }));

/** What processes have sent, none of it twice. */
function sentOnce(...nodes: FakeNode[]): unknown[] {
	const all = nodes.flatMap(({ sent }) => sent.map((body) => body.message));
	expect(new Set(all).size).toBe(all.length);
	return all;
}

const unknownIn = (told: unknown[]): number => told.filter((one) => one === 'unknown').length;

test('what had not begun is sent after a crash, also to somebody with others in doubt', async () => {
	const run = { items: rowsTo('p', 120), parameters: parameters() };
	const { dying, retried } = await crashed(text, run, 'p 19');
	const { told, node } = await retried();
	expect(unknownIn(told)).toBeLessThanOrEqual(10);
	expect(told).not.toContain('notSent');
	expect(sentOnce(dying, node).length).toBeGreaterThanOrEqual(95);
});

test.each(range(12))(
	'a retry after a crash that is killed as it begins leaves two more in doubt: after %i writes',
	async (writes) => {
		const items = range(60).map((n) => ({ phone: `p${n}`, message: `m${n}` }));
		const run = { items, parameters: parameters() };
		const { dying, retried, killed } = await crashed(text, run, 'p30');
		const second = await killed(writes);
		const { told, node } = await retried();
		expect(unknownIn(told)).toBeLessThanOrEqual(4);
		expect(sentOnce(dying, second, node).length).toBeGreaterThanOrEqual(40);
	},
);

test.each(range(12))(
	'a question that is cut short says nothing of what went to somebody: after %i writes',
	async (writes) => {
		const old = rowsTo('p', 5);
		const items = [...rowsTo('p', 30).slice(5), ...old].map((row) => ({ ...row, at: 1 }));
		let left = 5;
		// With a write behind them.
		const diesWith = (body?: IDataObject) => (body ? left-- < 0 : left === 0);
		const run = { items: old, parameters: parameters() };
		const { dying, retried, killed } = await crashed(text, run, diesWith);
		const again = { items, parameters: { ...parameters(), edition: 'other' } };
		const second = await killed(writes, again);
		sentOnce(dying, second, (await retried(again)).node);
	},
);

test('equal items do not tell which message is which in a loop, either, once there were several', async () => {
	const round = (row: IDataObject) => ({
		items: [{ same: true }],
		read: [row],
		parameters: parameters(),
	});
	const { retried } = await crashed(text, rowsTo('p', 3).map(round), 'p 2');
	const { told } = await retried(round({ phone: 'p', message: 'new' }));
	expect(told).toEqual(['unknown']);
});

test('one of equal items that was refused does not make the others known by their place', async () => {
	const round = (rows: IDataObject[], item: IDataObject) => ({
		items: rows.map(() => item),
		read: rows,
		parameters: parameters(),
		continueOnFail: true,
	});
	const list = rowsTo('p', 3);
	const answer = (body: IDataObject) => (body.message === 'p 0' ? refused : {});
	const rounds = [round(list, { same: true }), round(rowsTo('q', 1), { same: false })];
	const { retried } = await crashed(text, rounds, 'q', { answer });
	const { told } = await retried(round(list.toReversed(), { same: true }));
	expect(told).toEqual([true, true, 'sent']);
});

test('a retry knows what an agent had called in the rounds before, which it does not run again', async () => {
	const node = new FakeNode({ isTool: true });
	let runIndex = 0;
	const told = async (execution: FakeExecution, caller: number, content: string) => {
		const items = [{ phone: 'p', message: content }];
		const run = { items, parameters: parameters(), execution, runIndex: runIndex++, caller };
		return outcomes(await node.json(text, run));
	};
	const first = new FakeExecution();
	for (const caller of [0, 1, 2]) await told(first, caller, `m${caller}`);
	const retry = first.retried();
	expect(await told(retry, 2, 'm2 in other words')).toEqual(['unknown']);
	expect(await told(retry, 2, 'm2')).toEqual([true]);
	expect(await told(retry, 3, 'm3')).toEqual(['sent']);
	expect(node.sent).toHaveLength(4);
});

test('a request that is made anew is known by its input', async () => {
	const run = { items: rowsTo('p', 30), parameters: parameters() };
	const { retried } = await crashed(text, run, 'p 19');
	const { told } = await retried({ parameters: { ...parameters(), edition: 'another' } });
	expect(told.filter((one) => one === true).length).toBeGreaterThan(5);
});

describe('in a list in which nothing is as it was, what went to somebody', () => {
	const anew = (rows: IDataObject[], at: number, options: IDataObject = {}) => ({
		items: rows.map((row) => ({ ...row, at })),
		parameters: { ...parameters(options), edition: `edition ${at}` },
		continueOnFail: true,
	});
	const oneTo = (...phones: string[]) => phones.flatMap((phone) => rowsTo(phone, 1));

	test('counts although another message to the same person was rejected', async () => {
		const list = [...oneTo('p', 'q', 'r', 's', 't'), { phone: 'p', message: 'last' }];
		const answer = (body: IDataObject) => (body.message === 'p 0' ? refused : {});
		const { retried } = await crashed(text, anew(list, 1), 'last', { answer });
		const { told, sent } = await retried(anew(list, 2));
		expect(told).not.toContain('sent');
		expect(sent).toEqual([]);
	});

	test('counts for Max Sends', async () => {
		const { retried } = await crashed(text, anew(oneTo('p', 'q'), 1), 'q');
		const { sent } = await retried(anew(oneTo('p', 'r', 's'), 2, { maxSends: 2 }));
		expect(sent).toEqual(['r']);
	});

	test.each([
		["n8n's database refuses", 16, undefined, {}],
		['there is no time left', Infinity, 3, {}],
		['the balance is too low', Infinity, undefined, { checkBalance: true }],
		['an option cannot be read', Infinity, undefined, { timeout: '={{ $json.none }}' }],
	])(
		'is not told as unsent where %s before it is asked for',
		async (_what, writes, limit, more) => {
			const list = oneTo(...range(12).map((n) => `p${n}`));
			const { entries, execution } = await crashed(text, anew(list, 1), 'p3');
			const second = new FakeNode({
				entries,
				answer: async () =>
					await new Promise((resolve) => setTimeout(() => resolve({ chatBalance: 9 }), 400)),
				onWrite: refusing(writes),
			});
			const items = list.toReversed();
			const again = { executionTimeout: limit, execution: execution.afterCrash() };
			const told = await second.run(priced(text), { ...anew(items, 2, more), ...again });
			const fates = toldOf(told, items as never).map(({ outcome }) => outcome);
			expect(fates.slice(-4)).toEqual(Array(4).fill('unknown'));
			// What cannot be looked up is unknown, too.
			if (writes === Infinity) expect(fates.slice(0, 8)).not.toContain('unknown');
			expect(second.sent.length).toBeLessThan(8);
		},
	);

	test.each(range(4, 14))(
		"counts once, though n8n's database refuses while it is asked for: after %i writes",
		async (writes) => {
			const list = [...rowsTo('p', 2), ...oneTo('q')];
			const { entries, execution } = await crashed(text, anew(list, 1), 'q');
			// The first is as it was; for the second no item stands any more.
			const other = { phone: 'p', message: 'other', at: 2 };
			const items = [...anew(oneTo('p', 'r'), 1).items, other];
			const again = { ...anew([], 1), items, continueOnFail: false };
			const retry = { ...again, execution: execution.afterCrash() };
			await new FakeNode({ entries, onWrite: refusing(writes) }).tried(text, retry);
			const third = new FakeNode({ entries });
			await third.failure(text, { ...again, execution: retry.execution.retried() });
			expect(third.sent.filter(({ phone }) => phone === 'p')).toEqual([]);
		},
	);

	test('counts in each try, whatever items have accounted for it before', async () => {
		const list = oneTo('p');
		const { entries, execution, retried } = await crashed(text, anew(list, 1), 'p');
		const retry = { ...anew(list, 2), execution: execution.afterCrash(), continueOnFail: false };
		const second = new FakeNode({ entries });
		await second.failure(text, { ...retry, parameters: anew(list, 1).parameters });
		const third = await retried({ ...anew(list, 3), execution: retry.execution.retried() });
		expect(third.told).toEqual(['unknown']);
		expect([...second.sent, ...third.sent]).toEqual([]);
	});

	test.each([
		[
			'is the same',
			'={{ $json.message }}',
			[true, true, 'unknown', ...Array<string>(5).fill('sent')],
		],
		['has changed', '={{ $json.edition }}', Array<string>(8).fill('unknown')],
		['is gone', undefined, Array<string>(8).fill('unknown')],
	])('is known by the key of each item, where that %s', async (_what, key, expected) => {
		const run = (at: number, idempotencyKey: string | undefined) => ({
			items: range(8).map((n) => ({
				phone: `p${n % 2}`,
				message: `m${n}`,
				edition: `m${n} of ${at}`,
			})),
			parameters: { ...parameters({ idempotencyKey }), edition: '={{ $json.edition }}' },
		});
		const { dying, retried } = await crashed(text, run(1, '={{ $json.message }}'), 'm2');
		const { told, node } = await retried(run(2, key));
		expect(told).toEqual(expected);
		sentOnce(dying, node);
	});

	test('counts after a key of others that was sent again', async () => {
		const row = (phone: string, key: string, at: number) => ({
			phone,
			key,
			message: `${key} ${at}`,
		});
		const run = (options: IDataObject, ...items: IDataObject[]) => ({
			items,
			parameters: parameters(options),
			continueOnFail: true,
		});
		const byKey = { idempotencyKey: '={{ $json.key }}' };
		const list = ['q', 'x', 'y', 'p', 'r'].map((phone) => row(phone, `of ${phone}`, 1));
		// Another execution leaves a key in doubt.
		const other = new FakeNode({ answer: lost });
		await other.run(text, run(byKey, row('p', 'of p', 0)));
		const { entries } = other.store;
		const { execution, retried } = await crashed(text, run(byKey, ...list), 'q', { entries });
		const resent = run({ ...byKey, resendUnknown: true }, ...list);
		const second = dyingWith('r', { entries });
		await second.tried(text, { ...resent, execution: execution.afterCrash() });
		expect(phonesOf(second)).toContain('p');
		expect((await retried(run({}, row('p', 'new', 2)))).sent).toEqual([]);
	});

	test.each(range(16))(
		'counts although another item has a key that is known, and a retry is killed: after %i writes',
		async (writes) => {
			const run = (last: number, options: IDataObject) => ({
				items: ['again', 'again', 'm'].map((content, n) => ({
					phone: 'p',
					message: content,
					at: n === 2 ? last : 1,
				})),
				parameters: { ...parameters(options), edition: '={{ $json.at }}' },
			});
			const keyed = {
				idempotencyKey: '={{ $json.message }}',
				batching: { batch: { batchSize: 2 } },
			};
			const { dying, retried, killed } = await crashed(text, run(1, keyed), 'm');
			const second = await killed(writes);
			const { node } = await retried(run(2, {}));
			const sent = [dying, second, node].flatMap((one) => one.sent.map((body) => body.message));
			expect(sent.filter((content) => content === 'm')).toHaveLength(1);
		},
	);

	test.each(['', '0'])('counts behind a wait, whatever came before it: "%s"', async (phone) => {
		const node = new FakeNode();
		const execution = new FakeExecution();
		await node.json(text, { ...anew([{ phone, message: 'm' }], 0), execution });
		const kept = execution.retried();
		const behind = (at: number) => ({ ...anew(oneTo('p', 'q'), at), runIndex: 1 });
		const { entries } = node.store;
		const own = { entries, execution: execution.resumed() };
		const { retried } = await crashed(text, behind(1), 'q', own);
		expect((await retried({ ...behind(2), execution: kept })).sent).toEqual([]);
		// Another execution that goes on from a wait remembers all that it has sent.
		const other = new FakeExecution();
		await node.json(text, { ...anew([{ phone: 'r', message: 'm' }], 0), execution: other });
		const unread = { ...anew([{ message: 'm' }, ...oneTo('s')], 1), runIndex: 1 };
		const told = await node.json(text, { ...unread, execution: other.resumed() });
		expect(outcomes(told)).toEqual(['notSent', 'sent']);
	});
});
