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
const path = '/chat/send-template';

/** How many histories are drawn, and from which seed: that of a failing one runs it again. */
const numRuns = Number(process.env.HISTORIES ?? 200);
const seed = Number(process.env.HISTORIES_SEED ?? 1);

/** Milliseconds that so many may take on a busy machine. */
const patience = Math.max(1_200_000, 10_000 * numRuns);

/** What a crash may leave in doubt in a run (docs/contract.md, section 4.3). */
const inDoubtPerCrash = ({ batchSize }: Settings): number => 2 * batchSize;

/** What the service does with the first request for an item; all later ones it accepts. */
type Fate = 'accept' | 'reject' | 'lose after' | 'lose before';

interface Settings {
	continueOnFail: boolean;
	isKeyed: boolean;
	batchSize: number;
	/** Tries of the node in one execution; 1 without Retry On Fail. */
	tries: number;
	/** Runs of the node in one execution, as in a loop. */
	loops: number;
}

/** One execution of the workflow. */
interface Step {
	/** Which of the earlier executions it is retried from; fresh with a key if there is none. */
	from: number;
	isFresh: boolean;
	isSimulated: boolean;
	/** The user may edit the workflow before it. */
	templateName: string;
	crash: (Crash & { inRun: number }) | undefined;
	/** After a crash n8n counts the runs from before it, too. */
	shift: number;
}

interface History {
	fates: Fate[];
	settings: Settings;
	steps: Step[];
}

const crash = fc.record({
	afterCalls: fc.nat({ max: 40 }),
	arrives: fc.boolean(),
	inRun: fc.nat({ max: 1 }),
});

const step: fc.Arbitrary<Step> = fc.record({
	from: fc.nat({ max: 5 }),
	isFresh: fc.boolean(),
	isSimulated: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
	templateName: fc.constantFrom('order_update', 'reminder'),
	crash: fc.option(crash, { nil: undefined, freq: 2 }),
	shift: fc.nat({ max: 1 }),
});

const fate: fc.Arbitrary<Fate> = fc.oneof(
	{ weight: 12, arbitrary: fc.constant('accept' as const) },
	{ weight: 2, arbitrary: fc.constant('reject' as const) },
	fc.constantFrom('lose after' as const, 'lose before' as const),
);

const history: fc.Arbitrary<History> = fc.record({
	fates: fc.array(fate, { minLength: 1, maxLength: 48 }),
	settings: fc.record({
		continueOnFail: fc.boolean(),
		isKeyed: fc.boolean(),
		batchSize: fc.integer({ min: 1, max: 25 }),
		tries: fc.integer({ min: 1, max: 3 }),
		loops: fc.integer({ min: 1, max: 2 }),
	}),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});

const phoneOf = (loop: number, index: number): string => `91987${loop}${String(100_000 + index)}`;

/** What n8n keeps of an execution. */
interface Saved {
	data: IRunExecutionData;
	/** The round of the loop that a retry of it begins with, and its number in the execution. */
	loop: number;
	runIndex: number;
	isOver: boolean;
}

/** Runs a history and knows what a user has been told of each message. */
class World {
	private readonly nodeId = processes.begin();

	private process = processes.start();

	private executions = 0;

	private readonly saved: Saved[] = [];

	private readonly establishedAt = Date.now();

	crashes = 0;

	/** Phone numbers that were said to be in doubt. */
	readonly doubtful = new Set<string>();

	/** Runs of the loop that went out: behind one that is in doubt no other begins. */
	readonly reached = new Set<number>();

	constructor(private readonly drawn: History) {}

	async run({ from, isFresh, isSimulated, templateName, crash: end, shift }: Step): Promise<void> {
		const { settings } = this.drawn;
		const start = this.saved[from % Math.max(this.saved.length, 1)];
		if (start?.isOver && !(isFresh && settings.isKeyed)) return;
		const isRetry = start !== undefined && !(isFresh && settings.isKeyed);
		const data = isRetry ? structuredClone(start.data) : this.freshData(isFresh);
		const first = isRetry ? start.runIndex : 0;
		const executionId = String(++this.executions);
		const mode = isRetry ? 'retry' : 'trigger';
		for (let loop = isRetry ? start.loop : 0; loop < settings.loops; loop++) {
			const runIndex = first + loop - (isRetry ? start.loop : 0);
			const isHere = end?.inRun === loop % 2;
			if (!isSimulated) this.reached.add(loop);
			const output = await this.tried(
				{ data, executionId, mode, runIndex, isSimulated, templateName },
				loop,
				isHere ? end : undefined,
			);
			if (output === 'crashed') {
				this.crashes++;
				this.process = processes.start();
				const runtimeData = data.executionData?.runtimeData;
				const left = createRunExecutionData({ executionData: { runtimeData } });
				this.saved.push({ data: left, loop: 0, runIndex: shift, isOver: false });
				return;
			}
			if (output === 'failed') {
				// A retry from the list begins with the node that failed, and with this run of it.
				this.saved.push({ data: structuredClone(data), loop, runIndex, isOver: false });
				return;
			}
		}
		if (!isSimulated) this.saved.push({ data, loop: 0, runIndex: first, isOver: true });
	}

	private async tried(
		execution: {
			data: IRunExecutionData;
			executionId: string;
			mode: 'retry' | 'trigger';
			runIndex: number;
			isSimulated: boolean;
			templateName: string;
		},
		loop: number,
		end: Crash | undefined,
	): Promise<'crashed' | 'failed' | 'done'> {
		const { settings, fates } = this.drawn;
		const { data, isSimulated, templateName, ...rest } = execution;
		const items = fates.map((_, index) => ({ json: { phone: phoneOf(loop, index) } }));
		for (let attempt = 1; ; attempt++) {
			const context = executeContext({
				credential: sandbox.credential(),
				parameters: parametersOf(settings, isSimulated, templateName),
				items,
				node: {
					id: this.nodeId,
					retryOnFail: settings.tries > 1,
					onError: settings.continueOnFail ? 'continueRegularOutput' : 'stopWorkflow',
				},
				runExecutionData: data,
				...rest,
			});
			const output = await this.process.execute(context, attempt === 1 ? end : undefined);
			if (output === undefined) return 'crashed';
			await this.check(output, items, isSimulated);
			const isFailed = output instanceof Error || output[0]?.json.error !== undefined;
			if (!isFailed) return 'done';
			if (attempt < settings.tries) continue;
			return output instanceof Error ? 'failed' : 'done';
		}
	}

	/** Whatever the node says must be true. */
	private async check(
		output: INodeExecutionData[] | Error,
		items: INodeExecutionData[],
		isSimulated: boolean,
	): Promise<void> {
		const arrived = await arrivals();
		expect(Math.max(0, ...arrived.values())).toBeLessThanOrEqual(1);
		if (output instanceof Error) {
			this.checkFailure(output as NodeFailure, arrived, items);
			return;
		}
		expect(output).toHaveLength(items.length);
		output.forEach(({ json }, index) => {
			const phone = String(items[index]?.json.phone);
			const count = arrived.get(phone) ?? 0;
			const { outcome } = (json.details ?? {}) as IDataObject;
			if (isSimulated && json.error === undefined) expect(json.simulated).toBe(true);
			else if (json.error === undefined) expect([phone, count]).toEqual([phone, 1]);
			else if (outcome === 'unknown') this.doubtful.add(phone);
			else expect([phone, outcome, count]).toEqual([phone, outcome, 0]);
			if (json.simulated) expect(json).not.toHaveProperty('providerMessageId');
		});
	}

	private checkFailure(
		{ description = '', context }: NodeFailure,
		arrived: Map<string, number>,
		items: INodeExecutionData[],
	): void {
		const sent = items.filter(({ json }) => arrived.has(String(json.phone))).length;
		const [, told] = /(\d+) of \d+ items were sent before this/.exec(description) ?? [];
		if (told !== undefined) expect(Number(told)).toBeLessThanOrEqual(sent);
		if (/Nothing was sent\.$/.test(description)) expect(sent).toBe(0);
		const phone = String(items[context.itemIndex ?? -1]?.json.phone);
		const outcome = context.data?.outcome;
		if (outcome === 'unknown') this.doubtful.add(phone);
		else expect([phone, outcome, arrived.get(phone) ?? 0]).toEqual([phone, outcome, 0]);
	}

	private freshData(isFresh: boolean): IRunExecutionData {
		const establishedAt = this.establishedAt + (isFresh ? this.executions + 1 : 0);
		const runtimeData = { version: 1 as const, establishedAt, source: 'trigger' as const };
		return createRunExecutionData({ executionData: { runtimeData } });
	}
}

const parametersOf = (
	{ isKeyed, batchSize }: Settings,
	isSimulated: boolean,
	templateName: string,
): INodeParameters => ({
	resource: 'chatMessage',
	operation: 'sendTemplate',
	phone: '={{ $json.phone }}',
	templateName,
	// Another value at every try: what an expression gives does not make a send another one.
	parametersUi: { parameter: [{ value: '={{ Math.random() }}' }] },
	options: {
		batching: { batch: { batchSize } },
		...(isKeyed ? { idempotencyKey: '={{ "key of " + $json.phone }}' } : {}),
		...(isSimulated ? { simulate: 'always' } : {}),
	},
});

/** How many messages were accepted for each phone number. */
async function arrivals(): Promise<Map<string, number>> {
	const counts = new Map<string, number>();
	for (const { to } of await sandbox.control.messages()) counts.set(to, (counts.get(to) ?? 0) + 1);
	return counts;
}

async function prepare(fates: Fate[], loops: number): Promise<void> {
	clearRows();
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
	await sandbox.control.setTemplate({ name: 'reminder' });
	for (let loop = 0; loop < loops; loop++) {
		for (const [index, wanted] of fates.entries()) {
			const bodyContains = phoneOf(loop, index);
			if (wanted === 'reject') {
				const body = { error: 'Rejected' };
				await sandbox.control.addFault({ kind: 'status', path, status: 400, body, bodyContains });
			}
			if (wanted === 'lose after' || wanted === 'lose before') {
				const when = wanted === 'lose after' ? 'after' : 'before';
				await sandbox.control.addFault({ kind: 'cut', path, when, bodyContains });
			}
		}
	}
}

/** A retry in which nothing goes wrong any more. */
const calm = (from: number): Step => ({
	from,
	isFresh: false,
	isSimulated: false,
	templateName: 'order_update',
	crash: undefined,
	shift: 0,
});

test(
	'no history of tries, retries and crashes sends anything twice or forgets it',
	async () => {
		await fc.assert(
			fc.asyncProperty(history, async (drawn) => {
				const { fates, settings, steps } = drawn;
				await prepare(fates, settings.loops);
				const world = new World(drawn);
				for (const one of steps) await world.run(one);
				// Every execution that did not end well is retried until nothing changes any more.
				for (let round = 0; round < 2 * fates.length * settings.loops + 2; round++) {
					const before = (await arrivals()).size;
					for (let from = 0; from < steps.length; from++) await world.run(calm(from));
					if ((await arrivals()).size === before && round > 1) break;
				}
				const arrived = await arrivals();
				expect(Math.max(0, ...arrived.values())).toBeLessThanOrEqual(1);
				const missing = [...world.reached].flatMap((loop) =>
					fates.map((_, index) => phoneOf(loop, index)).filter((phone) => !arrived.has(phone)),
				);
				const lost = fates.filter((wanted) => wanted.startsWith('lose')).length * settings.loops;
				// Behind what is in doubt nothing is sent, until somebody has found out.
				// What was rejected in an execution that went on behind it is told, and ends well.
				if (settings.continueOnFail || lost > 0) return;
				expect(missing.length).toBeLessThanOrEqual(inDoubtPerCrash(settings) * world.crashes);
				// What is missing has been said to be in doubt, not passed over.
				if (missing.length > 0) expect(world.doubtful.size).toBeGreaterThan(0);
			}),
			{ seed, numRuns },
		);
	},
	patience,
);
