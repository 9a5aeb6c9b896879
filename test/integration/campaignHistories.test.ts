import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
} from 'n8n-workflow';
import { clearRows } from '../support/core/deduplicator';
import { executeContext, type NodeFailure } from '../support/core/execute';
import { Processes, type Crash } from '../support/core/process';
import { useSandbox } from '../support/core/useSandbox';

const sandbox = useSandbox();
const processes = new Processes();
const path = '/chat/bulk-send';

/** How many histories are drawn, and from which seed: that of a failing one runs it again. */
const numRuns = Number(process.env.HISTORIES ?? 100);
const seed = Number(process.env.HISTORIES_SEED ?? 1);

/** Milliseconds for all histories, however busy the machine is. */
const patience = Math.max(1_200_000, numRuns * 5_000);

const maxChunk = 9;

const phoneOf = (index: number): string => `9198700${String(10_000 + index)}`;

/** One execution of the workflow. */
interface Step {
	/** Which of the earlier executions it is retried from. */
	from: number;
	/** Whether it is no retry; with a key only. */
	isFresh: boolean;
	chunkSize: number;
	/** Requests that are under way at the same time. */
	batchSize: number;
	/** Whether the user has what is in doubt sent again. */
	isResent: boolean;
	crash: Crash | undefined;
	/** After a crash n8n counts the runs from before it, too. */
	shift: number;
}

const step: fc.Arbitrary<Step> = fc.record({
	from: fc.nat({ max: 5 }),
	isFresh: fc.boolean(),
	chunkSize: fc.integer({ min: 1, max: maxChunk }),
	batchSize: fc.integer({ min: 1, max: 3 }),
	isResent: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
	crash: fc.option(fc.record({ afterCalls: fc.nat({ max: 20 }), arrives: fc.boolean() }), {
		nil: undefined,
	}),
	shift: fc.nat({ max: 1 }),
});

const history = fc.record({
	/** What becomes of the first request that holds a recipient; all later ones are accepted. */
	fates: fc.array(
		fc.oneof(
			{ weight: 12, arbitrary: fc.constant('accept' as const) },
			{ weight: 2, arbitrary: fc.constant('reject' as const) },
			fc.constantFrom('lose after' as const, 'lose before' as const),
		),
		{ minLength: 1, maxLength: 24 },
	),
	isKeyed: fc.boolean(),
	continueOnFail: fc.boolean(),
	/** Tries of the node in one execution; 1 without Retry On Fail. */
	tries: fc.integer({ min: 1, max: 3 }),
	/** Rows that cannot be sent, and are skipped. */
	badRows: fc.uniqueArray(fc.nat({ max: 24 }), { maxLength: 3 }),
	/** Rows that repeat the one before, and are removed. */
	duplicates: fc.uniqueArray(fc.nat({ max: 24 }), { maxLength: 3 }),
	steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});

type History = typeof history extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Runs a history and checks what it reports. */
class World {
	private readonly nodeId = processes.begin();

	private process = processes.start();

	private executions = 0;

	/** What n8n keeps of the executions that can be retried. */
	private readonly saved: Array<{ data: IRunExecutionData; runIndex: number }> = [];

	/** Recipients that may be left in doubt. */
	doubtful = 0;

	/** Chunk sizes that were used: after a crash nothing more is sent of what is cut otherwise. */
	readonly sizes = new Set<number>();

	/** Phone numbers that may have been reached already when they are sent to again. */
	private readonly uncertain = new Set<string>();

	private readonly items: INodeExecutionData[];

	/** Items that are to be reached. */
	readonly people: number[];

	constructor(private readonly drawn: History) {
		const { fates, badRows, duplicates } = drawn;
		this.items = fates.map((_, index) => ({
			json: { phone: badRows.includes(index) ? 'nobody' : phoneOf(index) },
		}));
		this.people = [...fates.keys()].filter((index) => !badRows.includes(index));
		for (const index of duplicates) {
			if (this.people.includes(index)) this.items.push({ json: { ...this.items[index]?.json } });
		}
	}

	async run({ from, isFresh, chunkSize, batchSize, isResent, crash, shift }: Step): Promise<void> {
		const { isKeyed, continueOnFail, tries } = this.drawn;
		const start =
			isFresh && isKeyed ? undefined : this.saved[from % Math.max(this.saved.length, 1)];
		if (!start && this.executions > 0 && !isKeyed) return;
		this.sizes.add(chunkSize);
		const executionId = String(++this.executions);
		const runtimeData = {
			version: 1 as const,
			establishedAt: Date.UTC(2026, 0, 1) + (isKeyed && !start ? this.executions : 0),
			source: 'trigger' as const,
		};
		const data = start
			? structuredClone(start.data)
			: createRunExecutionData({ executionData: { runtimeData } });
		const runIndex = start?.runIndex ?? 0;
		for (let attempt = 1; attempt <= tries; attempt++) {
			const context = executeContext({
				credential: sandbox.credential(),
				parameters: parametersOf({ isKeyed, chunkSize, batchSize, isResent }),
				items: this.items,
				node: {
					id: this.nodeId,
					retryOnFail: tries > 1,
					onError: continueOnFail ? 'continueRegularOutput' : 'stopWorkflow',
				},
				runExecutionData: data,
				executionId,
				runIndex,
				mode: start ? 'retry' : 'trigger',
			});
			const output = await this.process.execute(context, attempt === 1 ? crash : undefined);
			if (output === undefined) {
				this.crashed(data, shift, batchSize);
				return;
			}
			await this.check(output);
			if (!(output instanceof Error) && output[0]?.json.error === undefined) return;
			if (attempt === tries && output instanceof Error)
				this.saved.push({ data: structuredClone(data), runIndex });
		}
	}

	private crashed(data: IRunExecutionData, shift: number, batchSize: number): void {
		// Where even the question of how rows were divided was cut short, nobody can tell any more.
		this.doubtful += this.process.wasLooking ? this.items.length : batchSize * maxChunk;
		for (const index of this.people) this.uncertain.add(phoneOf(index));
		this.process = processes.start();
		const runtimeData = data.executionData?.runtimeData;
		const empty = createRunExecutionData({ executionData: { runtimeData } });
		this.saved.push({ data: empty, runIndex: shift });
	}

	/** Whatever the node says must be true. */
	private async check(output: INodeExecutionData[] | Error): Promise<void> {
		const arrived = await arrivals();
		this.checkNothingTwice(arrived);
		const phonesOf = (of: INodeExecutionData['pairedItem']): string[] =>
			[of ?? []].flat().map((one) => {
				const { item } = one as { item: number };
				return String(this.items[item]?.json.phone);
			});
		const countsOf = (of: INodeExecutionData['pairedItem']): number[] =>
			phonesOf(of).map((phone) => arrived.get(phone) ?? 0);
		if (output instanceof Error) {
			const { context } = output as NodeFailure;
			const first = { item: context.itemIndex ?? 0 };
			if (context.data?.outcome === 'unknown') this.doubt(this.people.map(phoneOf));
			else this.checkNotSent(phonesOf(first), arrived);
			return;
		}
		const told = output.flatMap(({ pairedItem }) => phonesOf(pairedItem));
		for (const index of this.people) expect(told).toContain(phoneOf(index));
		for (const { json, pairedItem } of output) {
			// Of a campaign without a good row nothing can arrive.
			if (json.total === 0) continue;
			const { outcome } = (json.details ?? {}) as IDataObject;
			if (json.error === undefined) expect(countsOf(pairedItem)).not.toContain(0);
			else if (outcome === 'unknown') this.doubt(phonesOf(pairedItem));
			else this.checkNotSent(phonesOf(pairedItem), arrived);
		}
	}

	/** What was in doubt may have arrived before, and been rejected when it was sent again. */
	private checkNotSent(phones: string[], arrived: Map<string, number>): void {
		const certain = phones.filter((phone) => !this.uncertain.has(phone));
		expect(certain.filter((phone) => arrived.has(phone))).toEqual([]);
	}

	private doubt(phones: string[]): void {
		for (const phone of phones) this.uncertain.add(phone);
	}

	checkNothingTwice(arrived: Map<string, number>): void {
		const isResent = this.drawn.steps.some((one) => one.isResent);
		const twice = [...arrived].filter(([, count]) => count > 1).map(([phone]) => phone);
		expect(twice.filter((phone) => !isResent || !this.uncertain.has(phone))).toEqual([]);
	}
}

const parametersOf = ({
	isKeyed,
	...options
}: Pick<Step, 'chunkSize'> &
	Partial<Pick<Step, 'batchSize' | 'isResent'>> & {
		isKeyed: boolean;
	}): INodeParameters => ({
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: 'order_update',
	options: {
		chunkSize: options.chunkSize,
		batching: { batch: { batchSize: options.batchSize ?? 1 } },
		invalidRecipients: 'skip',
		removeDuplicates: true,
		resendUnknown: options.isResent ?? false,
		...(isKeyed ? { idempotencyKey: 'spring' } : {}),
	},
});

/** How often each phone number was in a campaign that the service accepted. */
async function arrivals(): Promise<Map<string, number>> {
	// The service sends a campaign's messages after its response.
	await sandbox.control.settle();
	const counts = new Map<string, number>();
	for (const { to } of await sandbox.control.messages()) counts.set(to, (counts.get(to) ?? 0) + 1);
	return counts;
}

async function prepare(fates: History['fates']): Promise<void> {
	clearRows();
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
	for (const [index, fate] of fates.entries()) {
		const bodyContains = phoneOf(index);
		if (fate === 'reject') {
			const body = { error: 'Rejected' };
			await sandbox.control.addFault({ kind: 'status', path, status: 400, body, bodyContains });
		} else if (fate !== 'accept') {
			const when = fate === 'lose after' ? 'after' : 'before';
			await sandbox.control.addFault({ kind: 'cut', path, when, bodyContains });
		}
	}
}

test(
	'no history of tries with other chunk sizes reaches anybody twice or forgets anybody',
	async () => {
		await fc.assert(
			fc.asyncProperty(history, async (drawn) => {
				const { fates, steps } = drawn;
				await prepare(fates);
				const world = new World(drawn);
				for (const one of steps) await world.run(one);
				// Each retry can meet one more rejection.
				const rejections = fates.filter((fate) => fate === 'reject').length;
				for (let calm = 0; calm <= rejections; calm++) {
					const before = (await arrivals()).size;
					for (const [from, one] of steps.entries()) {
						const calm = { isFresh: false, isResent: false, crash: undefined, shift: 0 };
						await world.run({ ...one, ...calm, from });
					}
					if ((await arrivals()).size > before) calm = -1;
				}
				const arrived = await arrivals();
				world.checkNothingTwice(arrived);
				const missing = world.people.length - arrived.size;
				// What is reported in doubt stops every retry; a crash leaves one request in doubt.
				if (drawn.continueOnFail || fates.some((fate) => fate.startsWith('lose'))) return;
				// So does a list that was cut in several ways, after a crash or under a key.
				if (world.sizes.size > 1 && (world.doubtful > 0 || drawn.isKeyed)) return;
				expect(missing).toBeLessThanOrEqual(world.doubtful);
			}),
			{ seed, numRuns },
		);
	},
	patience,
);

describe('a key that was used for a campaign', () => {
	const itemsOf = (count: number): INodeExecutionData[] =>
		Array.from({ length: count }, (_, index) => ({
			json: { phone: phoneOf(index) },
		}));

	// The process remembers keys of a node whose row was cleared.
	let node: { id: string };

	beforeEach(async () => {
		await prepare([]);
		node = { id: randomUUID() };
		const first = { items: itemsOf(2), executionId: '1', node };
		await sandbox.run(parametersOf({ isKeyed: true, chunkSize: 2 }), first);
	});

	test.each([
		[3, 2, false],
		[2, 1, false],
		[3, 2, true],
	])(
		'is in doubt for others, or cut otherwise, and nobody is reached: %i in chunks of %i, sent again %p',
		async (count, chunkSize, isResent) => {
			const parameters = parametersOf({ isKeyed: true, chunkSize, isResent });
			const failure = await sandbox.failure(parameters, {
				items: itemsOf(count),
				executionId: '2',
				node,
			});
			expect(failure.message).toContain('The key "spring" was used before, for other recipients');
			expect(failure.context.data?.outcome).toBe('unknown');
			expect((await arrivals()).size).toBe(2);
		},
	);
});
