import fc from 'fast-check';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
} from 'n8n-workflow';
import { clearRows } from '../support/core/deduplicator';
import { executeContext } from '../support/core/execute';
import type { Crash } from '../support/core/process';
import { Processes } from '../support/core/processes';
import { useSandbox, type NodeFailure } from '../support/core/useSandbox';

const sandbox = useSandbox();
const processes = new Processes();
const path = '/chat/bulk-send';

/** How many histories are drawn, and from which seed: that of a failing one runs it again. */
const numRuns = Number(process.env.HISTORIES ?? 100);
const seed = Number(process.env.HISTORIES_SEED ?? 1);

const templates = ['order_update', 'reminder', 'invoice'];

const phoneOf = (index: number): string => `9198700${String(10_000 + index)}`;

/** One execution of the workflow. */
interface Step {
	/** Which of the earlier executions it is retried from. */
	from: number;
	/** Whether it is no retry; with a key only. */
	isFresh: boolean;
	chunkSize: number;
	crash: Crash | undefined;
	/** After a crash n8n counts the runs from before it, too. */
	shift: number;
}

const step: fc.Arbitrary<Step> = fc.record({
	from: fc.nat({ max: 5 }),
	isFresh: fc.boolean(),
	chunkSize: fc.integer({ min: 1, max: 9 }),
	crash: fc.option(fc.record({ afterRequests: fc.nat({ max: 5 }), arrives: fc.boolean() }), {
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
	/** Campaigns whose recipients take turns. */
	campaigns: fc.integer({ min: 1, max: templates.length }),
	isKeyed: fc.boolean(),
	continueOnFail: fc.boolean(),
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

	constructor(private readonly drawn: History) {}

	async run({ from, isFresh, chunkSize, crash, shift }: Step): Promise<void> {
		const { isKeyed, continueOnFail, fates } = this.drawn;
		const start =
			isFresh && isKeyed ? undefined : this.saved[from % Math.max(this.saved.length, 1)];
		if (!start && this.executions > 0 && !isKeyed) return;
		const executionId = String(++this.executions);
		const runtimeData = {
			version: 1 as const,
			establishedAt: Date.UTC(2026, 0, 1) + (isKeyed && !start ? this.executions : 0),
			source: 'trigger' as const,
		};
		const data = start
			? structuredClone(start.data)
			: createRunExecutionData({ executionData: { runtimeData } });
		const items = fates.map((_, index) => ({
			json: { phone: phoneOf(index), template: templates[index % this.drawn.campaigns] },
		}));
		const runIndex = start?.runIndex ?? 0;
		const context = executeContext({
			credential: sandbox.credential(),
			parameters: parametersOf(isKeyed, chunkSize),
			items,
			node: {
				id: this.nodeId,
				onError: continueOnFail ? 'continueRegularOutput' : 'stopWorkflow',
			},
			runExecutionData: data,
			executionId,
			runIndex,
			mode: start ? 'retry' : 'trigger',
		});
		const output = await this.process.execute(context, crash);
		if (output === undefined) {
			this.doubtful += chunkSize;
			this.process = processes.start();
			const left = data.executionData?.runtimeData;
			const empty = createRunExecutionData({ executionData: { runtimeData: left } });
			this.saved.push({ data: empty, runIndex: shift });
			return;
		}
		await this.check(output, items);
		if (output instanceof Error) this.saved.push({ data: structuredClone(data), runIndex });
	}

	private async check(
		output: INodeExecutionData[] | Error,
		items: INodeExecutionData[],
	): Promise<void> {
		const arrived = await arrivals();
		expect(Math.max(0, ...arrived.values())).toBeLessThanOrEqual(1);
		const countsOf = (of: INodeExecutionData['pairedItem']): number[] =>
			[of ?? []].flat().map((one) => {
				const { item } = one as { item: number };
				return arrived.get(String(items[item]?.json.phone)) ?? 0;
			});
		if (output instanceof Error) {
			const { context } = output as NodeFailure;
			const first = countsOf({ item: context.itemIndex ?? 0 });
			if (context.data?.outcome !== 'unknown') expect(first).toEqual([0]);
			return;
		}
		const told = output.flatMap(({ pairedItem }) => [pairedItem ?? []].flat());
		expect(told).toHaveLength(items.length);
		for (const { json, pairedItem } of output) {
			const { outcome } = (json.details ?? {}) as IDataObject;
			const counts = new Set(countsOf(pairedItem));
			if (json.error === undefined) expect([...counts]).toEqual([1]);
			else if (outcome !== 'unknown') expect([...counts]).toEqual([0]);
		}
	}
}

const parametersOf = (isKeyed: boolean, chunkSize: number): INodeParameters => ({
	resource: 'bulkCampaign',
	operation: 'create',
	templateName: '={{ $json.template }}',
	options: { chunkSize, ...(isKeyed ? { idempotencyKey: 'spring' } : {}) },
});

/** How often each phone number was in a campaign that the service accepted. */
async function arrivals(): Promise<Map<string, number>> {
	const counts = new Map<string, number>();
	for (const { to } of await sandbox.control.messages()) counts.set(to, (counts.get(to) ?? 0) + 1);
	return counts;
}

async function prepare(fates: History['fates']): Promise<void> {
	clearRows();
	await sandbox.control.reset();
	await sandbox.control.setLifecycle({ enabled: false });
	for (const name of templates) await sandbox.control.setTemplate({ name });
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

test('no history of tries with other chunk sizes reaches anybody twice or forgets anybody', async () => {
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
				for (const [from, { chunkSize }] of steps.entries()) {
					await world.run({ from, isFresh: false, chunkSize, crash: undefined, shift: 0 });
				}
				if ((await arrivals()).size > before) calm = -1;
			}
			const missing = fates.length - (await arrivals()).size;
			// What is reported in doubt stops every retry; a crash leaves one request in doubt.
			if (drawn.continueOnFail || fates.some((fate) => fate.startsWith('lose'))) return;
			expect(missing).toBeLessThanOrEqual(world.doubtful);
		}),
		{ seed, numRuns },
	);
}, 1_200_000);

describe('a key that was used for a campaign', () => {
	const itemsOf = (count: number): INodeExecutionData[] =>
		Array.from({ length: count }, (_, index) => ({
			json: { phone: phoneOf(index), template: 'order_update' },
		}));

	beforeEach(async () => {
		await prepare([]);
		await sandbox.run(parametersOf(true, 2), { items: itemsOf(2), executionId: '1' });
	});

	test('is found again with another chunk size', async () => {
		const output = await sandbox.json(parametersOf(true, 1), {
			items: itemsOf(2),
			executionId: '2',
		});
		expect(output).toEqual([
			{ alreadySent: true, idempotencyKey: 'spring', recipients: { from: 1, to: 2 } },
		]);
		expect((await arrivals()).size).toBe(2);
	});

	test('is in doubt for other recipients, of whom nobody is reached', async () => {
		const failure = await sandbox.failure(parametersOf(true, 2), {
			items: itemsOf(3),
			executionId: '2',
		});
		expect(failure.message).toContain('The key "spring" was used before, for other recipients');
		expect(failure.description).toContain('Resend Unknown');
		expect(failure.context.data?.outcome).toBe('unknown');
		expect((await arrivals()).size).toBe(2);
	});

	test('reaches other recipients when what is in doubt is to be sent', async () => {
		const { options, ...parameters } = parametersOf(true, 2);
		const resend = { ...(options as INodeParameters), resendUnknown: true };
		await sandbox.run({ ...parameters, options: resend }, { items: itemsOf(3), executionId: '2' });
		expect([...(await arrivals()).values()]).toEqual([2, 2, 1]);
	});
});
